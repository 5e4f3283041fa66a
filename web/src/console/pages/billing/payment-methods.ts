import type { paymentOptionsResponse } from "@sluice/contracts/payments";
import type { ResponseOf } from "@sluice/contracts/wire";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import { billingArea } from "./messages/messages.ts";

type Options = ResponseOf<typeof paymentOptionsResponse>;

/** A way to pay for an order, through one of the gateways. */
export type Method = {
  readonly id: string;
  readonly label: string;
  readonly isReady: boolean;
  /** Where a payment by it is created. */
  readonly path: string;
};

const walletPath = "/backend/payment/walletpay/create/";

/** Names that are the same in all languages but Chinese, by vendor. */
const brands: Readonly<Record<string, string>> = {
  alipay: "Alipay",
  apple_pay: "Apple Pay",
  google_pay: "Google Pay",
  paypal: "PayPal",
  unionpay: "UnionPay",
  venmo: "Venmo",
  wechat_pay: "WeChat Pay",
  wechatpay: "WeChat Pay",
};

const chineseBrands: Readonly<Record<string, string>> = {
  alipay: "支付宝",
  unionpay: "银联",
  wechat_pay: "微信支付",
  wechatpay: "微信支付",
};

/** What a buyer calls a vendor of a gateway; of one that nobody knows, the operator's own name. */
export function methodName(vendor: string): string {
  const { methodNames } = billingArea.texts();
  const id = vendor.replace(/^cardpay_/, "");
  const own = consoleLocale === "zh" ? chineseBrands : {};
  if (id === "card" || id === "creditcard") {
    return methodNames.card;
  }
  return id === "crypto" ? methodNames.crypto : (own[id] ?? brands[id] ?? id.replaceAll("_", " "));
}

/** Every method that the gateways have, the ready ones first. */
export function methodsOf(options: Options): readonly Method[] {
  const texts = billingArea.texts();
  const of = (vendors: readonly string[], isReady: boolean, gateway: string, path: string) =>
    vendors.map((vendor) => ({ vendor, name: methodName(vendor), isReady, gateway, path }));
  const all = [
    ...of(options.card_vendors, options.is_card_ready, texts.channels.cardpay, "/backend/payment/cardpay/create/"),
    ...of(options.wallet_vendors, options.is_wallet_ready, texts.channels.walletpay, walletPath),
  ];
  // Where nothing is ready yet, a note at each would say it thirteen times.
  const isAnyReady = all.some((method) => method.isReady);
  return all
    .map(({ vendor, name, isReady, gateway, path }) => {
      const isNameShared = all.some((other) => other.name === name && other.path !== path);
      const notes = [
        ...(isNameShared && path === walletPath ? [gateway] : []),
        ...(isAnyReady && !isReady ? [texts.notReady] : []),
      ];
      return { id: vendor, label: notes.length === 0 ? name : `${name} (${formats.list(notes)})`, isReady, path };
    })
    .sort((one, other) => Number(other.isReady) - Number(one.isReady));
}

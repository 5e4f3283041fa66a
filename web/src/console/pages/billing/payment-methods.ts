import type { paymentOptionsResponse } from "@sluice/contracts/payments";
import type { ResponseOf } from "@sluice/contracts/wire";
import { vendorName } from "../../../i18n/vendor-names.ts";
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

/** What a buyer calls a vendor of a gateway. */
export function methodName(vendor: string): string {
  return vendorName(vendor, billingArea.texts().methodNames);
}

/** Every method that the gateways have, the ready ones first. */
export function methodsOf(options: Options): readonly Method[] {
  const texts = billingArea.texts();
  const of = (vendors: readonly string[], isReady: boolean, gateway: string, path: string) =>
    vendors.map((vendor) => ({ vendor, name: methodName(vendor), isReady, gateway, path }));
  const all = [
    ...of(options.card_vendors, options.is_card_ready, texts.channels.cardpay, "/backend/payment/cardpay/create/"),
    ...of(
      options.wallet_vendors,
      options.is_wallet_ready,
      texts.channels.walletpay,
      "/backend/payment/walletpay/create/",
    ),
  ];
  // Where nothing is ready yet, a note at each would say it thirteen times.
  const isAnyReady = all.some((method) => method.isReady);
  return all
    .map(({ vendor, name, isReady, gateway, path }) => {
      const isNameShared = all.some((other) => other.name === name && other.path !== path);
      const notes = [...(isNameShared ? [gateway] : []), ...(isAnyReady && !isReady ? [texts.notReady] : [])];
      return { id: vendor, label: notes.length === 0 ? name : `${name} (${notes.join(", ")})`, isReady, path };
    })
    .sort((one, other) => Number(other.isReady) - Number(one.isReady));
}

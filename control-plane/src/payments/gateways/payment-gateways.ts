import { type CardSender, cardSenders } from "@sluice/contracts/payments";
import type { HttpClient } from "@sluice/http-client/model";
import type { SecretReader } from "../../admin/secrets/service.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Config, publicBaseUrl } from "../../platform/config.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { AppError } from "../../platform/errors.ts";
import { CardPay, cardSecretNames } from "./cardpay/card-pay.ts";
import type { CardGateway, WalletGateway } from "./port.ts";
import { WalletPay, walletSecrets } from "./walletpay/wallet-pay.ts";

export type PaymentDeps = {
  readonly config: Config;
  readonly secrets: SecretReader;
  readonly http: HttpClient;
  readonly clock: Clock;
};

/** Both gateways, as configured. */
export type Payments = { readonly wallet: WalletGateway; readonly card: CardGateway };

export function openPayments({ config, secrets, http, clock }: PaymentDeps): Payments {
  const base = publicBaseUrl(config);
  const isProduction = config.NODE_ENV === "production";
  const walletUrl = config.WALLETPAY_BASE_URL ?? null;
  const wallet = new WalletPay(
    {
      baseUrl: walletUrl,
      vendors: config.WALLETPAY_VENDORS,
      timeoutMs: config.WALLETPAY_TIMEOUT_MS,
      isConfirmed: config.WALLETPAY_CONFIRM ?? (isProduction || walletUrl !== null),
      publicBaseUrl: base,
    },
    secrets,
    http,
  );
  const card = new CardPay(
    {
      apiUrl: config.CARDPAY_API_URL ?? null,
      timeoutMs: config.CARDPAY_TIMEOUT_MS,
      retriesMax: config.CARDPAY_RETRIES_MAX,
      allowsTestMode: config.PAYMENT_TEST_MODE ?? !isProduction,
      publicBaseUrl: base,
    },
    secrets,
    clock,
  );
  return { wallet, card };
}

/** Whether customers can pay by a gateway now: one that is offered and has its credentials. */
export async function isPaymentReady(
  { wallet, card }: Payments,
  isOffered: (gateway: "walletpay" | "cardpay") => boolean,
): Promise<boolean> {
  const checks = [
    ...(isOffered("cardpay") ? [isReady(() => card.requireReady("default"))] : []),
    ...(isOffered("walletpay") ? [isReady(() => wallet.requireReady(false))] : []),
  ];
  return (await Promise.all(checks)).includes(true);
}

/** Whether a gateway has what it needs for real payments. */
export async function isReady(check: () => Promise<void>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "gateway_not_configured") {
      return false;
    }
    throw error;
  }
}

/**
 * The credentials from the environment, by their names in the secret store, which takes precedence. Development invents
 * an account of the wallet gateway, so that dry runs work immediately: its token comes from the master key and nobody knows
 * it.
 */
export function paymentFallbacks(config: Config, masterKey: MasterKey): Record<string, string | undefined> {
  const isProduction = config.NODE_ENV === "production";
  const madeUp = isProduction ? undefined : "development";
  const token = isProduction
    ? undefined
    : Buffer.from(masterKey.deriveKey("wallet token of development")).toString("hex");
  const cards: Record<CardSender, readonly [key: string | undefined, webhook: string | undefined]> = {
    default: [config.CARDPAY_SECRET_KEY, config.CARDPAY_WEBHOOK_SECRET],
    account_a: [config.CARDPAY_ACCOUNT_A_SECRET_KEY, config.CARDPAY_ACCOUNT_A_WEBHOOK_SECRET],
    account_b: [config.CARDPAY_ACCOUNT_B_SECRET_KEY, config.CARDPAY_ACCOUNT_B_WEBHOOK_SECRET],
  };
  const ofCards = cardSenders.flatMap((sender): [string, string | undefined][] => {
    const names = cardSecretNames(sender);
    const [key, webhook] = cards[sender];
    return [
      [names.key, key],
      [names.webhook, webhook],
    ];
  });
  return {
    ...Object.fromEntries(ofCards),
    [walletSecrets.merchantNo]: config.WALLETPAY_MERCHANT_NO ?? madeUp,
    [walletSecrets.storeNo]: config.WALLETPAY_STORE_NO ?? madeUp,
    [walletSecrets.token]: config.WALLETPAY_TOKEN ?? token,
  };
}

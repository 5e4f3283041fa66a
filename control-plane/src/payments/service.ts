import { type CardSender, cardSenders } from "@sluice/contracts/payments";
import type { Clock } from "../platform/clock.ts";
import { type Config, publicBaseUrl } from "../platform/config.ts";
import { isEqualSecret } from "../platform/crypto/compare.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database, Transaction } from "../platform/db.ts";
import { AppError } from "../platform/errors.ts";
import type { HttpClient } from "../platform/http-client/model.ts";
import type { SecretReader } from "../secrets/service.ts";
import { CardPay, cardSecretNames } from "./cardpay/card-pay.ts";
import { type GatewayNotice, isFinished, type NoticeResult } from "./model.ts";
import type { CardGateway, WalletGateway } from "./port.ts";
import { countTry, findNotice, insertNotice, lockNotice, updateNoticeError, updateNoticeResult } from "./store.ts";
import { WalletPay, walletSecrets } from "./walletpay/wallet-pay.ts";

export type PaymentParts = {
  readonly config: Config;
  readonly secrets: SecretReader;
  readonly http: HttpClient;
  readonly clock: Clock;
};

/** Both gateways, as configured. */
export type Payments = { readonly wallet: WalletGateway; readonly card: CardGateway };

export function openPayments({ config, secrets, http, clock }: PaymentParts): Payments {
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

/**
 * The credentials that the environment has, by their names in the secret store, which is asked first. Development makes up
 * an account of the wallet gateway, so that dry runs work at once: its token comes from the master key and nobody knows it.
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

export type KnownNotice = { readonly id: bigint; readonly result: NoticeResult };

/**
 * Writes a message down, once. What it says under the same id must stay the same.
 * @throws AppError `event_conflict` when it came before with other content
 */
export async function recordNotice(db: Database, notice: GatewayNotice): Promise<KnownNotice> {
  const isNew = await insertNotice(db, notice);
  const stored = await findNotice(db, notice);
  if (stored === null) {
    throw new Error("a message of a gateway was written down and is not there");
  }
  if (!isEqualSecret(stored.contentHash, notice.contentHash)) {
    throw new AppError("event_conflict");
  }
  if (!isNew && !isFinished(stored.result)) {
    await countTry(db, stored.id);
  }
  return { id: stored.id, result: stored.result };
}

const takenAgainAfterSeconds = 10;

/** A message that is to be taken again; `notice` is null for one that has been dealt with. */
export type ReopenedNotice = { readonly notice: GatewayNotice | null; readonly result: NoticeResult };

/**
 * Begins to take a message again that was written down and not dealt with, from what was kept of it.
 * @throws AppError `not_found`, `conflict` when nothing was kept, `too_many_attempts` when it was taken a moment ago
 */
export async function reopenNotice(tx: Transaction, id: bigint): Promise<ReopenedNotice> {
  const kept = await lockNotice(tx, id);
  if (kept === null) {
    throw new AppError("not_found", { message: "There is no such message." });
  }
  if (isFinished(kept.result)) {
    return { notice: null, result: kept.result };
  }
  if (kept.notice === null) {
    throw new AppError("conflict", { message: "Nothing was kept of what it said. Have the gateway send it again." });
  }
  const waitSeconds = Math.ceil(takenAgainAfterSeconds - kept.triedSecondsAgo);
  if (waitSeconds > 0) {
    const message = "It was taken a moment ago, or still is.";
    throw new AppError("too_many_attempts", { message, retryAfterSeconds: waitSeconds });
  }
  await countTry(tx, id);
  return { notice: kept.notice, result: kept.result };
}

/** Writes down the code of the error that kept a message from being dealt with. */
export async function failNotice(db: Database, id: bigint, code: string): Promise<void> {
  await updateNoticeError(db, id, code);
}

/** Writes down what became of a message. */
export async function closeNotice(db: Database, id: bigint, result: NoticeResult): Promise<void> {
  await updateNoticeResult(db, id, result);
}

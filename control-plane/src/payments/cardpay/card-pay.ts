import { type CardSender, cardSenders, type GatewayRequest } from "@sluice/contracts/payments";
import { Stripe } from "stripe";
import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/errors.ts";
import type { SecretReader } from "../../secrets/service.ts";
import { type CardCheckoutRequest, type Checkout, type GatewayNotice, toCents } from "../model.ts";
import type { CardGateway, RefundAnswer, RefundRequest } from "../port.ts";
import { checkoutKey, checkoutParams, encodeBracketForm } from "./checkout.ts";
import { readCardNotice } from "./notice.ts";
import { readSignedEvent } from "./signed-event.ts";

export type CardSettings = {
  /** Null: where the package sends to by itself. */
  readonly apiUrl: string | null;
  readonly timeoutMs: number;
  readonly retriesMax: number;
  /** Whether accounts for play money may be used. */
  readonly allowsTestMode: boolean;
  /** Of this service, without a slash at its end. */
  readonly publicBaseUrl: string;
};

/** Where an account's credentials stand in the secret store. */
export function cardSecretNames(account: CardSender): { readonly key: string; readonly webhook: string } {
  return { key: `cardpay.${account}.secret_key`, webhook: `cardpay.${account}.webhook_secret` };
}

const keyPattern = /^(?:sk|rk)_(live|test)_[A-Za-z0-9]{8,}$/;
/** A shorter secret could be guessed, and with it every event. */
const webhookSecretLengthMin = 24;

/** A payment has fewer refunds than this. */
const refundsMax = 100;
const wordsMax = 300;

type Account = { readonly key: string; readonly isLive: boolean };

export class CardPay implements CardGateway {
  readonly #settings: CardSettings;
  readonly #secrets: SecretReader;
  readonly #clock: Clock;

  constructor(settings: CardSettings, secrets: SecretReader, clock: Clock) {
    this.#settings = settings;
    this.#secrets = secrets;
    this.#clock = clock;
  }

  async requireReady(sender: CardSender): Promise<void> {
    await this.#account(sender);
  }

  describeCheckout(request: CardCheckoutRequest): GatewayRequest {
    const params = checkoutParams(request, this.#settings.publicBaseUrl);
    return {
      method: "POST",
      path: "/v1/checkout/sessions",
      content_type: "application/x-www-form-urlencoded",
      fields: { ...params },
      body: encodeBracketForm(params),
    };
  }

  async openCheckout(request: CardCheckoutRequest): Promise<Checkout> {
    const account = await this.#account(request.sender);
    const params = checkoutParams(request, this.#settings.publicBaseUrl);
    const options = { idempotencyKey: checkoutKey(request.order.orderNo) };
    const session = await this.#client(account)
      .checkout.sessions.create(params, options)
      .catch((error: unknown) => {
        throw failureOf(error);
      });
    if (session.url === null || !URL.canParse(session.url)) {
      throw new AppError("payment_gateway_failed", { internal: { gateway: "cardpay", reason: "no address" } });
    }
    return { url: session.url, reference: session.id };
  }

  async isLive(account: string): Promise<boolean> {
    return (await this.#account(senderOf(account))).isLive;
  }

  async readNotice(sender: CardSender, bytes: Uint8Array, signature: string | null): Promise<GatewayNotice> {
    const secret = await this.#secrets.read(cardSecretNames(sender).webhook);
    if (secret === null || secret.trim().length < webhookSecretLengthMin) {
      throw notConfigured(sender, "webhook secret");
    }
    // Only the key tells whether the account is for real money.
    const { isLive } = await this.#account(sender);
    const event = await readSignedEvent(bytes, signature, secret, this.#clock.now());
    return readCardNotice(event, sender, isLive);
  }

  /**
   * The gateway forgets an idempotency key after a day, and a second part of a payment can be given back as well as the
   * first. So what was done under this number is looked for before anything is asked.
   */
  async refund(request: RefundRequest): Promise<RefundAnswer> {
    const client = this.#client(await this.#account(senderOf(request.account)));
    try {
      const known = await findRefund(client, request);
      return answerOf(known ?? (await createRefund(client, request)));
    } catch (error) {
      if (error instanceof Stripe.errors.StripeInvalidRequestError) {
        return { kind: "failed", error: (error.code ?? error.message).slice(0, wordsMax) };
      }
      throw failureOf(error);
    }
  }

  async #account(sender: CardSender): Promise<Account> {
    const key = (await this.#secrets.read(cardSecretNames(sender).key))?.trim() ?? "";
    const mode = keyPattern.exec(key)?.[1];
    if (mode === undefined) {
      throw notConfigured(sender, "secret key");
    }
    if (mode === "test" && !this.#settings.allowsTestMode) {
      throw notConfigured(sender, "key for real money");
    }
    return { key, isLive: mode === "live" };
  }

  #client({ key }: Account): Stripe {
    const { apiUrl, timeoutMs, retriesMax } = this.#settings;
    return new Stripe(key, {
      timeout: timeoutMs,
      maxNetworkRetries: retriesMax,
      telemetry: false,
      ...(apiUrl === null ? {} : addressOf(apiUrl)),
    });
  }
}

function senderOf(account: string): CardSender {
  const sender = cardSenders.find((each) => each === account);
  if (sender === undefined) {
    throw new AppError("gateway_not_configured", { internal: { account } });
  }
  return sender;
}

function addressOf(apiUrl: string): { host: string; port: string; protocol: "http" | "https" } {
  const { protocol, hostname, port } = new URL(apiUrl);
  const isPlain = protocol === "http:";
  return { host: hostname, port: port || (isPlain ? "80" : "443"), protocol: isPlain ? "http" : "https" };
}

function notConfigured(sender: CardSender, missing: string): AppError {
  return new AppError("gateway_not_configured", { internal: { gateway: "cardpay", sender, missing } });
}

async function findRefund(client: Stripe, { transactionId, refundNo }: RefundRequest): Promise<Stripe.Refund | null> {
  const { data } = await client.refunds.list({ payment_intent: transactionId, limit: refundsMax });
  return data.find(({ metadata }) => metadata?.["refund_no"] === refundNo) ?? null;
}

async function createRefund(client: Stripe, request: RefundRequest): Promise<Stripe.Refund> {
  const { transactionId, refundNo, orderNo, amountUsd } = request;
  const metadata = { refund_no: refundNo, trade_no: orderNo };
  return await client.refunds.create(
    { payment_intent: transactionId, amount: toCents(amountUsd), metadata },
    { idempotencyKey: `refund:${refundNo}` },
  );
}

function answerOf({ id, status, failure_reason: reason }: Stripe.Refund): RefundAnswer {
  if (status === "failed" || status === "canceled") {
    return { kind: "failed", error: (reason ?? status).slice(0, wordsMax) };
  }
  return status === "succeeded" ? { kind: "done", gatewayRefundId: id } : { kind: "pending" };
}

/** Codes and ids for the log; the words of the gateway may quote what was sent. */
function failureOf(error: unknown): AppError {
  if (!(error instanceof Stripe.errors.StripeError)) {
    return new AppError("payment_gateway_failed", { cause: error });
  }
  const { type, code, param, statusCode, requestId } = error;
  return new AppError("payment_gateway_failed", {
    internal: { gateway: "cardpay", type, code, param, statusCode, gatewayRequestId: requestId },
  });
}

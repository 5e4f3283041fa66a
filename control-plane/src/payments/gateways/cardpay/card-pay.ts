import { type CardSender, cardSenders, type GatewayRequest } from "@sluice/contracts/payments";
import type { Stripe } from "stripe";
import type { SecretReader } from "../../../admin/secrets/service.ts";
import type { Clock } from "../../../platform/clock.ts";
import { AppError } from "../../../platform/errors.ts";
import type { CardCheckoutRequest, Checkout, GatewayNotice } from "../model.ts";
import type { CardGateway, RefundAnswer, RefundRequest } from "../port.ts";
import { loadCardPackage } from "./card-package.ts";
import { checkoutKey, checkoutParams, encodeBracketForm } from "./checkout.ts";
import { failureOf } from "./failure.ts";
import { readCardNotice } from "./notice.ts";
import { refundAtGateway } from "./refund.ts";
import { CardSavedMethods } from "./saved-methods.ts";
import { readSignedEvent } from "./signed-event.ts";
import { CardSubscriptions } from "./subscriptions.ts";

export type CardSettings = {
  /** Null uses the default of the package. */
  readonly apiUrl: string | null;
  readonly timeoutMs: number;
  readonly retriesMax: number;
  /** Whether accounts for test money may be used. */
  readonly allowsTestMode: boolean;
  /** The base URL of this service, without a trailing slash. */
  readonly publicBaseUrl: string;
};

/** The names of an account's credentials in the secret store. */
export function cardSecretNames(account: CardSender): { readonly key: string; readonly webhook: string } {
  return { key: `cardpay.${account}.secret_key`, webhook: `cardpay.${account}.webhook_secret` };
}

const keyPattern = /^(?:sk|rk)_(live|test)_[A-Za-z0-9]{8,}$/;
/** A shorter secret could be guessed, and every event forged with it. */
const webhookSecretLengthMin = 24;

type Account = { readonly key: string; readonly isLive: boolean };

export class CardPay implements CardGateway {
  readonly #settings: CardSettings;
  readonly #secrets: SecretReader;
  readonly #clock: Clock;
  readonly subscriptions: CardSubscriptions;
  readonly savedMethods: CardSavedMethods;

  constructor(settings: CardSettings, secrets: SecretReader, clock: Clock) {
    this.#settings = settings;
    this.#secrets = secrets;
    this.#clock = clock;
    const clientOf = async (sender: CardSender) => this.#client(await this.#account(sender));
    this.subscriptions = new CardSubscriptions(clientOf, settings.publicBaseUrl);
    this.savedMethods = new CardSavedMethods(clientOf, settings.publicBaseUrl);
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
    const client = await this.#client(account);
    const session = await client.checkout.sessions.create(params, options).catch((error: unknown) => {
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
    // Only the key shows whether the account takes real money.
    const { isLive } = await this.#account(sender);
    const event = await readSignedEvent(bytes, signature, secret, this.#clock.now());
    return readCardNotice(event, sender, isLive);
  }

  async refund(request: RefundRequest): Promise<RefundAnswer> {
    return await refundAtGateway(await this.#client(await this.#account(senderOf(request.account))), request);
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

  async #client({ key }: Account): Promise<Stripe> {
    const Package = await loadCardPackage();
    const { apiUrl, timeoutMs, retriesMax } = this.#settings;
    return new Package(key, {
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

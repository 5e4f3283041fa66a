import { redemptionAttempts } from "@sluice/control-plane/accounts/attempts/sender-limits.ts";
import { SecretReader } from "@sluice/control-plane/admin/secrets/service.ts";
import { membershipsOf } from "@sluice/control-plane/organisations/feature.ts";
import { CheckoutService } from "@sluice/control-plane/payments/checkout/checkout.ts";
import { checkoutEndpoints } from "@sluice/control-plane/payments/checkout/routes.ts";
import { openPayments, type Payments } from "@sluice/control-plane/payments/gateways/payment-gateways.ts";
import { GatewayNotices } from "@sluice/control-plane/payments/notices/notices.ts";
import { Renewals } from "@sluice/control-plane/payments/renewals/apply-renewal.ts";
import type { RenewalDeps } from "@sluice/control-plane/payments/renewals/model.ts";
import { renewalAdminEndpoints, renewalEndpoints } from "@sluice/control-plane/payments/renewals/routes.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { loadConfig } from "@sluice/control-plane/platform/config.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { type EndpointServer, serveEndpoints } from "../service/endpoint-server.ts";
import { BillingScene } from "./billing-scene.ts";
import { LocalCardGateway } from "./card-gateway.ts";
import { LocalWalletGateway, signLikeWallet, type WalletFields, walletToken } from "./wallet-gateway.ts";

export const cardSecrets = {
  default: "whsec_default_0123456789abcdef",
  account_a: "whsec_account_a_0123456789abcdef",
  account_b: "whsec_account_b_0123456789abcdef",
} as const;

/** The contents of the secret store in these tests; a test may change it and must call `forgetSecrets`. */
const usualSecrets: Readonly<Record<string, string | undefined>> = {
  "walletpay.merchant_no": "200043",
  "walletpay.store_no": "300014",
  "walletpay.token": walletToken,
  "cardpay.default.secret_key": "sk_test_default0123456789",
  "cardpay.default.webhook_secret": cardSecrets.default,
  "cardpay.account_a.secret_key": "sk_test_accounta0123456789",
  "cardpay.account_a.webhook_secret": cardSecrets.account_a,
  "cardpay.account_b.secret_key": "sk_live_accountb0123456789",
  "cardpay.account_b.webhook_secret": cardSecrets.account_b,
};

/** Checkout over HTTP, both gateways, and a database. */
export class PaymentScene implements AsyncDisposable {
  readonly billing: BillingScene;
  readonly wallet = new LocalWalletGateway();
  readonly card = new LocalCardGateway();
  readonly payments: Payments;
  /** For how many days a plan is kept whose next charge fails. */
  graceDays = 3;
  /** The gateways that the operator does not offer. */
  readonly switchedOff = new Set<string>();
  readonly renewals: RenewalDeps;
  /** The time at which subscriptions are applied; null for the real one. */
  time: Date | null = null;
  readonly #fallbacks: Record<string, string | undefined> = { ...usualSecrets };
  readonly #secrets: SecretReader;
  readonly #server: EndpointServer;

  private constructor(billing: BillingScene, env: Record<string, string>, isPlay: boolean) {
    this.billing = billing;
    const masterKey = new MasterKey(new Bun.CryptoHasher("sha256").update("the master key of tests").digest());
    const { db } = billing;
    this.#secrets = new SecretReader({ db, masterKey, clock: systemClock, fallbacks: this.#fallbacks });
    const config = loadConfig({
      NODE_ENV: "test",
      DATABASE_URL: billing.url,
      PUBLIC_BASE_URL: "https://sluice.example",
      WALLETPAY_BASE_URL: this.wallet.url,
      WALLETPAY_TIMEOUT_MS: "500",
      CARDPAY_API_URL: this.card.url,
      CARDPAY_TIMEOUT_MS: "500",
      CARDPAY_RETRIES_MAX: "0",
      ...env,
    });
    const http = new PooledHttpClient();
    this.payments = openPayments({ config, secrets: this.#secrets, http, clock: systemClock });
    this.renewals = {
      ...billing.deps,
      gateway: this.payments.card.subscriptions,
      rules: {
        graceDays: () => this.graceDays,
        noticeDays: () => 30,
        isOffered: () => !this.switchedOff.has("cardpay"),
        billingUrl: "https://sluice.example/console/billing/",
      },
    };
    const applied = new Renewals(this.renewals);
    const endpoints = [
      ...renewalEndpoints(this.renewals),
      ...renewalAdminEndpoints(this.renewals),
      ...checkoutEndpoints({
        guests: { count: () => Promise.resolve(), networkOf: () => "here" },
        codeAttempts: redemptionAttempts(billing.db),
        checkout: new CheckoutService(billing.deps, this.payments, {
          isPlay,
          isOffered: (gateway) => !this.switchedOff.has(gateway),
        }),
        notices: new GatewayNotices(billing.deps, this.payments, {
          take: (account, hint) => applied.take(account, hint, this.time === null ? {} : { at: this.time }),
        }),
        isMockOffered: false,
      }),
    ];
    this.#server = serveEndpoints(endpoints, undefined, membershipsOf(db));
  }

  /** @param isPlay false: as if real money were taken */
  static async create(env: Record<string, string> = {}, isPlay = true): Promise<PaymentScene> {
    return new PaymentScene(await BillingScene.create(), env, isPlay);
  }

  /** Changes secrets while the work runs; undefined removes one. */
  async withSecrets<T>(changes: Readonly<Record<string, string | undefined>>, work: () => Promise<T>): Promise<T> {
    Object.assign(this.#fallbacks, changes);
    this.#secrets.forget();
    try {
      return await work();
    } finally {
      Object.assign(this.#fallbacks, usualSecrets);
      this.#secrets.forget();
    }
  }

  post(path: string, body: string | Uint8Array | null, headers: Record<string, string> = {}): Promise<Response> {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    return fetch(`${this.#server.url}${path}`, {
      method: "POST",
      body: bytes as Uint8Array<ArrayBuffer> | null,
      headers,
    });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.#server.url}${path}`, { headers });
  }

  postJson(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.post(path, JSON.stringify(body), { "content-type": "application/json", ...headers });
  }

  /** A notification of the wallet gateway; fields are sent as they are. */
  postNotice(fields: WalletFields): Promise<Response> {
    return this.postForm(new URLSearchParams(fields).toString());
  }

  postForm(text: string | Uint8Array): Promise<Response> {
    return this.post("/backend/payment/walletpay/ipn/", text, { "content-type": "application/x-www-form-urlencoded" });
  }

  /** Signs and sends what the wallet gateway would never report, or not about this order. */
  postSigned(fields: WalletFields, token?: string): Promise<Response> {
    return this.postNotice(signLikeWallet(fields, token));
  }

  /** An event of the card gateway to one of the webhooks. */
  postEvent(body: string | Uint8Array, signature: string | null, account = ""): Promise<Response> {
    const headers = signature === null ? {} : { "stripe-signature": signature };
    const path = `/backend/payment/cardpay/${account === "" ? "" : `${account}/`}webhook/`;
    return this.post(path, body, { "content-type": "application/json", ...headers });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop();
    await this.wallet.stop();
    await this.card.stop();
    await this.billing[Symbol.asyncDispose]();
  }
}

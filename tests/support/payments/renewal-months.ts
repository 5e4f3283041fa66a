import { SecretReader } from "@sluice/control-plane/admin/secrets/service.ts";
import { openPayments } from "@sluice/control-plane/payments/gateways/payment-gateways.ts";
import type { RenewalDeps } from "@sluice/control-plane/payments/renewals/model.ts";
import { endUnpaidRenewals } from "@sluice/control-plane/payments/renewals/renewal-jobs.ts";
import { endOverdueSubscriptions } from "@sluice/control-plane/payments/subscriptions/subscriptions.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { loadConfig } from "@sluice/control-plane/platform/config.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { masterKeyBytes, type SluiceProcess, type SluiceRig } from "../service/sluice.ts";
import { billingDeps } from "./billing-scene.ts";
import { type LocalCardGateway, signLikeCard } from "./card-gateway.ts";
import { renewalEventBody } from "./renewal-scene.ts";
import { monthsAfter } from "./subscription-book.ts";

const webhookSecret = "whsec_months0123456789abcdef";

/** The environment of a program whose card gateway is this one. */
export function cardEnvironment(card: LocalCardGateway): Record<string, string> {
  return {
    CARDPAY_API_URL: card.url,
    CARDPAY_SECRET_KEY: "sk_test_months0123456789abcdef",
    CARDPAY_WEBHOOK_SECRET: webhookSecret,
  };
}

/** Months of a subscription at a running program: the gateway's clock moves, and its signed messages arrive over HTTP. */
export class RenewalMonths {
  readonly #rig: SluiceRig;
  readonly #sluice: SluiceProcess;
  readonly #card: LocalCardGateway;
  readonly #start: Date;

  constructor(rig: SluiceRig, sluice: SluiceProcess, card: LocalCardGateway) {
    this.#rig = rig;
    this.#sluice = sluice;
    this.#card = card;
    this.#start = card.subscriptions.now;
  }

  /** The messages about what has happened arrive, the newest first and each twice. */
  async deliver(): Promise<void> {
    const bodies = this.#card.subscriptions.take().map((event) => renewalEventBody(event));
    for (const body of [...bodies.reverse(), ...bodies]) {
      const response = await fetch(`${this.#sluice.url}/backend/payment/cardpay/webhook/`, {
        method: "POST",
        headers: { "content-type": "application/json", "stripe-signature": signLikeCard(body, webhookSecret) },
        body,
      });
      if (!response.ok) {
        throw new Error(`a message was answered with ${response.status}: ${await response.text()}`);
      }
    }
  }

  /** A month begins, counted from 0, and the gateway charges for it. */
  async begin(month: number): Promise<void> {
    this.#card.subscriptions.advance(this.#time(month, 1));
    await this.deliver();
  }

  /** Some days later, the jobs of that time end what was not paid. */
  async pass(month: number, days: number): Promise<void> {
    const at = this.#time(month, days * 24 + 1);
    await endUnpaidRenewals(this.#deps(), at);
    await this.deliver();
    await endOverdueSubscriptions(this.#rig.db, at);
  }

  #time(month: number, hours: number): Date {
    return new Date(monthsAfter(this.#start, month).getTime() + hours * 3_600_000);
  }

  #deps(): RenewalDeps {
    const { db } = this.#rig;
    const config = loadConfig({
      ...{ NODE_ENV: "test", DATABASE_URL: this.#rig.database.url },
      ...cardEnvironment(this.#card),
    });
    const fallbacks = { "cardpay.default.secret_key": cardEnvironment(this.#card)["CARDPAY_SECRET_KEY"] };
    const secrets = new SecretReader({ db, masterKey: new MasterKey(masterKeyBytes), clock: systemClock, fallbacks });
    const { card } = openPayments({ config, secrets, http: new PooledHttpClient(), clock: systemClock });
    const rules = {
      ...{ graceDays: () => 3, noticeDays: () => 30, isOffered: () => true },
      billingUrl: `${this.#sluice.url}/console/billing/`,
    };
    return { ...billingDeps(db), gateway: card.subscriptions, rules };
  }
}

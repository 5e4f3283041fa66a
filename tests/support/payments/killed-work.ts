import type { UserId } from "@sluice/contracts/ids";
import { SecretReader } from "@sluice/control-plane/admin/secrets/service.ts";
import { redeemCode } from "@sluice/control-plane/payments/codes/redeem-code.ts";
import { openPayments } from "@sluice/control-plane/payments/gateways/payment-gateways.ts";
import { createOrder } from "@sluice/control-plane/payments/orders/place-order.ts";
import {
  type ReferralRules,
  rewardReferrals,
  takeRewardsBack,
} from "@sluice/control-plane/payments/referrals/reward-referrals.ts";
import { applyRenewal } from "@sluice/control-plane/payments/renewals/apply-renewal.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { chargeTopUps } from "@sluice/control-plane/payments/top-ups/charge-top-up.ts";
import { closeCharge } from "@sluice/control-plane/payments/top-ups/close-charge.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { loadConfig } from "@sluice/control-plane/platform/config.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { billingDeps, noticeOf } from "./billing-scene.ts";

/** A piece of work on money that a process does, and does again after it died; ids and times as texts, for a command line. */
export type KilledWork =
  | { readonly kind: "code"; readonly text: string; readonly userId: string }
  | { readonly kind: "coupon"; readonly couponCode: string; readonly userId: string; readonly key: string }
  | { readonly kind: "reward" | "take-back"; readonly at: string }
  | { readonly kind: "top-up" }
  | { readonly kind: "close-charge"; readonly orderNo: string; readonly transactionId: string }
  | { readonly kind: "renewal"; readonly renewalNo: string; readonly subscriptionId: string; readonly at: string };

/** Where the work is done: the address of the database is that of `db`. */
export type WorkPlace = { readonly db: Database; readonly databaseUrl: string; readonly cardUrl: string };

export const referralRules: ReferralRules = {
  ...{
    isOn: true,
    inviterCents: 500,
    invitedCents: 100,
    waitDays: 14,
    monthMax: 1_000,
    minimumUsd: 5,
    takeBackDays: 120,
  },
};

const billingUrl = "https://sluice.example/console/billing/";

function cardOf({ db, databaseUrl, cardUrl }: WorkPlace) {
  const masterKey = new MasterKey(new Bun.CryptoHasher("sha256").update("the master key of tests").digest());
  const fallbacks = { "cardpay.default.secret_key": "sk_test_default0123456789" };
  const config = loadConfig({
    ...{ NODE_ENV: "test", DATABASE_URL: databaseUrl, PUBLIC_BASE_URL: "https://sluice.example" },
    ...{ CARDPAY_API_URL: cardUrl, CARDPAY_TIMEOUT_MS: "5000", CARDPAY_RETRIES_MAX: "0" },
  });
  const secrets = new SecretReader({ db, masterKey, clock: systemClock, fallbacks });
  return openPayments({ config, secrets, http: new PooledHttpClient(), clock: systemClock }).card;
}

/** Does the work as the service does. */
export async function doWork(place: WorkPlace, work: KilledWork): Promise<void> {
  const { db } = place;
  const deps = billingDeps(db);
  switch (work.kind) {
    case "code":
      await redeemCode(deps, { text: work.text, userId: BigInt(work.userId) as UserId });
      return;
    case "coupon": {
      const { couponCode, userId, key: idempotencyKey } = work;
      const wish = { planCode: "credit", userId: BigInt(userId) as UserId, couponCode, idempotencyKey, email: null };
      const way = { payChannel: "walletpay", sender: null, vendor: null } as const;
      const { order } = await db.withTransaction((tx) => createOrder(tx, { ...wish, ...way }));
      await settlePaid(deps, noticeOf(order));
      return;
    }
    case "reward":
      await rewardReferrals({ ...deps, rules: () => referralRules, marksOf: () => [] }, new Date(work.at));
      return;
    case "take-back":
      await takeRewardsBack({ ...deps, rules: () => referralRules, marksOf: () => [] }, new Date(work.at));
      return;
    case "top-up":
      await chargeTopUps({ ...deps, card: cardOf(place), rules: { isOffered: () => true, billingUrl } });
      return;
    case "close-charge": {
      const { orderNo, transactionId } = work;
      await db.withTransaction((tx) => closeCharge(tx, deps, { orderNo, outcome: "charged", transactionId }));
      return;
    }
    case "renewal": {
      const rules = { graceDays: () => 3, noticeDays: () => 30, isOffered: () => true, billingUrl };
      const ids = { subscriptionId: work.subscriptionId, invoiceId: null };
      const options = { at: new Date(work.at) };
      await applyRenewal({ ...deps, gateway: cardOf(place).subscriptions, rules }, work.renewalNo, ids, options);
    }
  }
}

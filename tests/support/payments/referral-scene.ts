import { expect } from "bun:test";
import type { UserId } from "@sluice/contracts/ids";
import { maskOrigins } from "@sluice/control-plane/accounts/registration/registration-store.ts";
import type { Order } from "@sluice/control-plane/payments/model.ts";
import { codeOf, recordReferral } from "@sluice/control-plane/payments/referrals/referrals.ts";
import type { ReferralDeps, ReferralRules } from "@sluice/control-plane/payments/referrals/reward-referrals.ts";
import { openRefund } from "@sluice/control-plane/payments/refunds/refunds.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { sha256 } from "@sluice/control-plane/platform/crypto/digest.ts";
import { BillingScene, type Buyer, noticeOf } from "./billing-scene.ts";

export const usualReferralRules: ReferralRules = {
  ...{ isOn: true, inviterCents: 500, invitedCents: 100, waitDays: 14, monthMax: 3, minimumUsd: 5, takeBackDays: 120 },
};

const day = 86_400_000;
export const inDays = (days: number): Date => new Date(Date.now() + days * day);

/** What is left of an origin when its account is closed. */
const markOf = (origin: string): string => `closed:${Bun.hash(origin)}`;

/** Where an account was registered. */
type Origin = { readonly network?: string; readonly device?: string; readonly address?: string };

export type InvitedPair = { readonly inviter: Buyer; readonly invited: Buyer };

/** Buyers who invite each other, under rules that a test may change. */
export class ReferralScene implements AsyncDisposable {
  readonly billing: BillingScene;
  readonly deps: ReferralDeps;
  rules: ReferralRules = usualReferralRules;
  #places = 0;

  private constructor(billing: BillingScene) {
    this.billing = billing;
    this.deps = {
      db: billing.db,
      log: billing.deps.log,
      rules: () => this.rules,
      marksOf: (origin) => [markOf(origin)],
    };
  }

  static async create(): Promise<ReferralScene> {
    return new ReferralScene(await BillingScene.create());
  }

  /** Says where an account was registered: a place of its own, except for what is given. */
  async register(userId: UserId, from: Origin = {}): Promise<void> {
    this.#places += 1;
    const places = this.#places;
    const { network = `198.51.${places}`, device = `device-${places}`, address = `address ${places}` } = from;
    await this.billing.db.sql`
      insert into user_registration (user_id, network, device, address_key, decided_at)
      values (${userId}::bigint, ${network}, ${device}, ${sha256(address)}, now())`;
  }

  /** Somebody who came by the link of another, under the usual rules. */
  async invite(inviter?: Buyer, from: Origin = {}): Promise<InvitedPair> {
    this.rules = usualReferralRules;
    const by = inviter ?? (await this.billing.addBuyer());
    if (inviter === undefined) {
      await this.register(by.userId);
    }
    const invited = await this.billing.addBuyer();
    await this.register(invited.userId, from);
    const { db } = this.billing;
    const code = await codeOf(db, by.userId);
    await db.withTransaction((tx) => recordReferral(tx, this.rules, { invitedId: invited.userId, code }));
    return { inviter: by, invited };
  }

  async pay(buyer: Buyer, planCode = "credit"): Promise<Order> {
    const order = await this.billing.placeFor(buyer, planCode);
    expect(await settlePaid(this.billing.deps, noticeOf(order))).toBe("settled");
    return order;
  }

  async refund(order: Order): Promise<void> {
    await this.billing.db.withTransaction((tx) =>
      openRefund(tx, {
        ...{ orderNo: order.orderNo, amountUsd: null, reason: "test", idempotencyKey: `refund ${order.orderNo}` },
        mayGoNegative: true,
      }),
    );
  }

  async setStatus(userId: UserId, status: string): Promise<void> {
    await this.billing.db.sql`update user_profile set status = ${status} where id = ${userId}::bigint`;
  }

  /** What closing does to an account that matters for referrals. */
  async close(userId: UserId): Promise<void> {
    await this.setStatus(userId, "closed");
    await maskOrigins(this.billing.db, userId, markOf);
  }

  async stateOf({ invited }: InvitedPair): Promise<string> {
    const [row] = await this.billing.db.sql<{ state: string; refusal: string | null }>`
      select state, refusal from referral where invited_id = ${invited.userId}::bigint`;
    return [row?.state ?? "none", row?.refusal].filter((text) => text !== null).join(" ");
  }

  /** After each test: the books are correct, and what it leaves pending is not decided by the next one. */
  async endTest(): Promise<void> {
    expect(await this.billing.checkMoney()).toEqual([]);
    await this.billing.db
      .sql`update referral set state = 'refused', refusal = 'month', decided_at = now() where state = 'pending'`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.billing[Symbol.asyncDispose]();
  }
}

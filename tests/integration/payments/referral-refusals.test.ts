import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { UserId } from "@sluice/contracts/ids";
import { addressKeyOf } from "@sluice/control-plane/accounts/email-address.ts";
import { codeOf, recordReferral } from "@sluice/control-plane/payments/referrals/referrals.ts";
import { rewardReferrals } from "@sluice/control-plane/payments/referrals/reward-referrals.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import type { Transaction } from "@sluice/control-plane/platform/db.ts";
import { noticeOf } from "../../support/payments/billing-scene.ts";
import { type InvitedPair, inDays, ReferralScene, usualReferralRules } from "../../support/payments/referral-scene.ts";

let scene: ReferralScene;

beforeAll(async () => {
  scene = await ReferralScene.create();
});

afterEach(() => scene.endTest());

afterAll(() => scene[Symbol.asyncDispose]());

async function beginClosing(userId: UserId): Promise<void> {
  await scene.billing.db.sql`
    insert into account_closing (user_id, requested_by, agreed_quota, closes_at)
    values (${userId}::bigint, 'owner', 0, now() + interval '7 days')`;
}

/** Resolves once somebody waits for a lock that this transaction has. */
async function blocking(tx: Transaction): Promise<void> {
  const isAwaited = async () =>
    (await tx.sql`select 1 from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`).length >
    0;
  while (!(await isAwaited())) {
    await Bun.sleep(10);
  }
}

describe("nobody is rewarded", () => {
  test("for a code, a trial, a small payment, or while it is switched off", async () => {
    const pair = await scene.invite();
    await settlePaid(scene.billing.deps, noticeOf(await scene.billing.placeFor(pair.invited, "credit", "mock")));
    scene.rules = { ...usualReferralRules, minimumUsd: 11 };
    await scene.pay(pair.invited);
    expect(await rewardReferrals(scene.deps, inDays(15))).toBe(0);
    scene.rules = { ...usualReferralRules, isOn: false };
    expect(await rewardReferrals(scene.deps, inDays(15))).toBe(0);
    expect(await scene.billing.balance(pair.inviter)).toBe(0n);
  });

  test("for a payment that was refunded or disputed before", async () => {
    const refunded = await scene.invite();
    const order = await scene.pay(refunded.invited);
    await scene.refund(order);
    const disputed = await scene.invite();
    const other = await scene.pay(disputed.invited);
    await scene.billing.db
      .sql`update sales_order set review_reason = 'gateway_reversal: dispute' where id = ${other.id}::bigint`;
    expect(await rewardReferrals(scene.deps, inDays(15))).toBe(0);
    expect([await scene.stateOf(refunded), await scene.stateOf(disputed)]).toEqual(["pending", "pending"]);
  });

  test("when both are one person by address, browser or network", async () => {
    const inviter = await scene.billing.addBuyer();
    await scene.register(inviter.userId, { network: "203.0.113", device: "a browser", address: "me@example.com" });
    const pairs = [
      await scene.invite(inviter, { address: "me@example.com" }),
      await scene.invite(inviter, { device: "a browser" }),
      await scene.invite(inviter, { network: "203.0.113" }),
    ];
    for (const { invited } of pairs) {
      await scene.pay(invited);
    }
    await rewardReferrals(scene.deps, inDays(15));
    expect(await Promise.all(pairs.map((pair) => scene.stateOf(pair)))).toEqual([
      "refused address",
      "refused device",
      "refused network",
    ]);
    expect(await scene.billing.balance(inviter)).toBe(0n);
  });

  test("when the invited address is an alias of one that was imported, or that the inviter has by now", async () => {
    const imported = await scene.billing.addBuyer("same.person@example.com");
    const pair = await scene.invite(imported);
    await scene.billing.db.sql`
      update user_registration set address_key = ${addressKeyOf("sameperson+2@example.com")}
      where user_id = ${pair.invited.userId}::bigint`;
    await scene.pay(pair.invited);
    await rewardReferrals(scene.deps, inDays(15));
    expect(await scene.stateOf(pair)).toBe("refused address");
    expect(await scene.billing.balance(imported)).toBe(0n);
  });

  test.each(["suspended", "closing"])("while one of both accounts is %s, and afterwards both are", async (state) => {
    const pairs = [await scene.invite(), await scene.invite()] as const;
    for (const { invited } of pairs) {
      await scene.pay(invited);
    }
    for (const id of [pairs[0].inviter.userId, pairs[1].invited.userId]) {
      await (state === "suspended" ? scene.setStatus(id, "suspended") : beginClosing(id));
    }
    expect(await rewardReferrals(scene.deps, inDays(15))).toBe(0);
    expect(await Promise.all(pairs.map((pair) => scene.stateOf(pair)))).toEqual(["pending", "pending"]);
    expect([await scene.billing.balance(pairs[0].inviter), await scene.billing.balance(pairs[1].inviter)]).toEqual([
      0n,
      0n,
    ]);
    for (const id of [pairs[0].inviter.userId, pairs[1].invited.userId]) {
      await scene.setStatus(id, "active");
      await scene.billing.db.sql`delete from account_closing where user_id = ${id}::bigint`;
    }
    expect(await rewardReferrals(scene.deps, inDays(15))).toBe(2);
    expect(await Promise.all(pairs.map((pair) => scene.stateOf(pair)))).toEqual(["rewarded", "rewarded"]);
  });

  test("when the invited person has closed the account, whether it has paid or not", async () => {
    const inviter = await scene.billing.addBuyer();
    await scene.register(inviter.userId);
    const pairs = [await scene.invite(inviter), await scene.invite(inviter)] as const;
    await scene.pay(pairs[0].invited);
    for (const { invited } of pairs) {
      await scene.close(invited.userId);
    }
    expect(await rewardReferrals(scene.deps, inDays(15))).toBe(0);
    expect(await Promise.all(pairs.map((pair) => scene.stateOf(pair)))).toEqual(["refused closed", "refused closed"]);
    expect(await scene.billing.balance(inviter)).toBe(0n);
  });

  test("who has closed the account since the job found the payment", async () => {
    const { inviter, invited } = await scene.invite();
    await scene.pay(invited);
    const closing = await scene.billing.db.withTransaction(async (tx) => {
      await tx.sql`select 1 from user_profile where id = ${invited.userId}::bigint for update`;
      const decided = rewardReferrals(scene.deps, inDays(15));
      await blocking(tx);
      await tx.sql`update user_profile set status = 'closed' where id = ${invited.userId}::bigint`;
      return { decided };
    });
    expect(await closing.decided).toBe(1);
    expect(await scene.stateOf({ inviter, invited })).toBe("pending");
    expect(await scene.billing.balance(inviter)).toBe(0n);
    await rewardReferrals(scene.deps, inDays(15));
    expect(await scene.stateOf({ inviter, invited })).toBe("refused closed");
  });

  test("for a second account of somebody who was rewarded for the first and closed it", async () => {
    const inviter = await scene.billing.addBuyer();
    await scene.register(inviter.userId);
    const from = [
      { address: "again@example.com", device: "first browser" },
      { address: "again@example.com" },
      { device: "first browser" },
    ] as const;
    const pairs: InvitedPair[] = [];
    for (const origin of from) {
      const pair = await scene.invite(inviter, origin);
      await scene.pay(pair.invited);
      await rewardReferrals(scene.deps, inDays(15));
      pairs.push(pair);
      await scene.close(pair.invited.userId);
    }
    expect(await Promise.all(pairs.map((pair) => scene.stateOf(pair)))).toEqual([
      "rewarded",
      "refused address",
      "refused device",
    ]);
    expect(await scene.billing.balance(inviter)).toBe(2_500_000n);
  });

  test("for a sixth account of a network, after the others were closed, or for one of an inviter who has closed", async () => {
    const network = "192.0.9";
    for (let paid = 0; paid < 5; paid += 1) {
      const pair = await scene.invite(undefined, { network });
      await scene.pay(pair.invited);
      await rewardReferrals(scene.deps, inDays(15));
      expect(await scene.stateOf(pair)).toBe("rewarded");
      await scene.close(pair.invited.userId);
    }
    const sixth = await scene.invite(undefined, { network });
    const inviter = await scene.billing.addBuyer();
    await scene.register(inviter.userId, { network: "192.0.10" });
    const ofClosed = await scene.invite(inviter, { network: "192.0.10" });
    await scene.pay(sixth.invited);
    await scene.pay(ofClosed.invited);
    await scene.close(inviter.userId);
    await rewardReferrals(scene.deps, inDays(15));
    expect([await scene.stateOf(sixth), await scene.stateOf(ofClosed)]).toEqual(["refused network", "refused network"]);
  });

  test("beyond the limit of a month, also when ten decide at once", async () => {
    const first = await scene.invite();
    const pairs = [first];
    for (let more = 0; more < 5; more += 1) {
      pairs.push(await scene.invite(first.inviter));
    }
    for (const { invited } of pairs) {
      await scene.pay(invited);
    }
    await Promise.all(Array.from({ length: 10 }, () => rewardReferrals(scene.deps, inDays(15))));
    const states = await Promise.all(pairs.map((pair) => scene.stateOf(pair)));
    expect(states.filter((state) => state === "rewarded")).toHaveLength(3);
    expect(states.filter((state) => state === "refused month")).toHaveLength(3);
    expect(await scene.billing.balance(first.inviter)).toBe(7_500_000n);
  });

  test("for one's own link, a code that nobody has, or a second link", async () => {
    const { inviter, invited } = await scene.invite();
    const own = await codeOf(scene.billing.db, inviter.userId);
    const of = async (code: string, invitedId: UserId) => {
      await scene.billing.db.withTransaction((tx) => recordReferral(tx, usualReferralRules, { invitedId, code }));
      const [row] = await scene.billing.db.sql<{ count: number }>`
        select count(*)::int as count from referral where invited_id = ${invitedId}::bigint`;
      return row?.count;
    };
    expect(await of(own, inviter.userId)).toBe(0);
    const other = await scene.billing.addBuyer();
    expect(await of("0000000000", other.userId)).toBe(0);
    expect(await of("' or true --", other.userId)).toBe(0);
    expect(await of(await codeOf(scene.billing.db, other.userId), invited.userId)).toBe(1);
  });
});

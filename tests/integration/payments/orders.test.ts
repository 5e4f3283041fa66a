import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import {
  cancelOrder,
  claimOrder,
  expireOverdueOrders,
  listOrders,
  readOrder,
} from "@sluice/control-plane/payments/orders/orders.ts";
import { createOrder, type OrderRequest } from "@sluice/control-plane/payments/orders/place-order.ts";
import { creditPaidOrders, creditWaitingOwners } from "@sluice/control-plane/payments/settle/credit-waiting.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { BillingScene, noticeOf } from "../../support/payments/billing-scene.ts";
import { waitForAnyWaiter } from "../../support/postgres/held-lock.ts";

let scene: BillingScene;

beforeAll(async () => {
  scene = await BillingScene.create();
});

afterEach(async () => {
  expect(await scene.checkMoney()).toEqual([]);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const dayMs = 86_400_000;
const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
const refusal = (work: Promise<unknown>): Promise<unknown> => work.then(() => "done", codeOf);

describe("placing", () => {
  test("an order keeps what the plan said, and ends after 24 hours", async () => {
    const at = new Date("2026-03-01T12:00:00Z");
    const { order, claimCode } = await scene.place({ at, payChannel: "none" });
    expect(order).toMatchObject({
      planCode: "credit",
      amountUsd: "10.00",
      currency: "USD",
      quota: 5_000_000n,
      status: "pending",
    });
    expect(order.expiresAt).toEqual(new Date(at.getTime() + dayMs));
    expect(order.orderNo).toMatch(/^S[0-9A-Z]{26}$/);
    expect(claimCode).toMatch(/^[0-9A-Z]{32}$/);
  });

  test("a plan that is hidden or unknown can't be ordered", async () => {
    await scene.db.sql`
      insert into plan (plan_code, name, kind, price_usd, quota, features, status)
      values ('hidden', 'Hidden', 'wallet_balance', 1.00, 500000, '[]', 'hidden')`;
    expect(await refusal(scene.place({ planCode: "hidden" }))).toBe("not_found");
    expect(await refusal(scene.place({ planCode: "' or 1=1 --" }))).toBe("not_found");
  });

  test("the same idempotency key gives the same order, and is refused for other content", async () => {
    const { userId } = await scene.addBuyer();
    const first = await scene.place({ userId, idempotencyKey: "key-12345" });
    const again = await scene.place({ userId, idempotencyKey: "key-12345" });
    expect(again).toMatchObject({ isNew: false, order: { orderNo: first.order.orderNo } });
    expect(await refusal(scene.place({ userId, idempotencyKey: "key-12345", planCode: "monthly" }))).toBe(
      "idempotency_mismatch",
    );
    const others = [{ vendor: "alipay" }, { sender: "another" }, { payChannel: "cardpay" }, { email: "a@example.com" }];
    for (const other of others as Partial<OrderRequest>[]) {
      expect(await refusal(scene.place({ userId, idempotencyKey: "key-12345", ...other }))).toBe(
        "idempotency_mismatch",
      );
    }
  });

  test("an order of a chosen amount costs it, and grants its share", async () => {
    const buyer = await scene.addBuyer();
    const of = (amountUsd: string | undefined, more = {}) =>
      scene.place({ userId: buyer.userId, planCode: "any", amountUsd: amountUsd as Decimal | undefined, ...more });
    const { order } = await of("12.50", { idempotencyKey: "chosen-amount" });
    expect(order).toMatchObject({ amountUsd: "12.50", chosenUsd: "12.50", quota: 6_875_000n });
    expect(await of("12.50", { idempotencyKey: "chosen-amount" })).toMatchObject({ isNew: false });
    expect(await refusal(of("13.00", { idempotencyKey: "chosen-amount" }))).toBe("idempotency_mismatch");
    expect(await refusal(of("12.75"))).toBe("invalid_amount");
    expect(await refusal(of(undefined))).toBe("invalid_amount");
    expect(await refusal(scene.place({ planCode: "credit", amountUsd: "12.50" as Decimal }))).toBe("invalid_amount");
    await scene.db.sql`update plan set amount_max_usd = 10.00, quota = 500000 where plan_code = 'any'`;
    expect(await settlePaid(scene.deps, noticeOf(order, { amountUsd: "12.00" as Decimal }))).toBe("review");
    const { order: other } = await of("10.00");
    expect(await settlePaid(scene.deps, noticeOf(other))).toBe("settled");
    expect(await scene.balance(buyer)).toBe(5_000_000n);
    await scene.db.sql`update plan set amount_max_usd = 500.00, quota = 550000 where plan_code = 'any'`;
  });

  test("a key of one user means nothing for another", async () => {
    const [one, other] = [await scene.addBuyer(), await scene.addBuyer()];
    const first = await scene.place({ userId: one.userId, idempotencyKey: "key-of-both" });
    const second = await scene.place({ userId: other.userId, idempotencyKey: "key-of-both" });
    expect(second.isNew).toBe(true);
    expect(second.order.orderNo).not.toBe(first.order.orderNo);
  });

  test("twelve requests at once under one key place one order", async () => {
    const { userId } = await scene.addBuyer();
    const placed = await Promise.all(
      Array.from({ length: 12 }, () => scene.place({ userId, idempotencyKey: "double-click" })),
    );
    expect(new Set(placed.map(({ order }) => order.orderNo)).size).toBe(1);
    expect(placed.filter(({ isNew }) => isNew)).toHaveLength(1);
  });

  test("a repeated order without a login does not show its code again", async () => {
    const first = await scene.place({ idempotencyKey: "anonymous-key" });
    const again = await scene.place({ idempotencyKey: "anonymous-key" });
    expect(again.order.orderNo).toBe(first.order.orderNo);
    expect(again.claimCode).toBeNull();
  });
});

describe("seeing", () => {
  test("another user's order looks the same as one that does not exist", async () => {
    const [owner, other] = [await scene.addBuyer(), await scene.addBuyer()];
    const order = await scene.placeFor(owner);
    expect((await readOrder(scene.db, order.orderNo, owner.userId)).orderNo).toBe(order.orderNo);
    expect(await refusal(readOrder(scene.db, order.orderNo, other.userId))).toBe("not_found");
    expect(await refusal(readOrder(scene.db, order.orderNo, null))).toBe("not_found");
    expect(await refusal(readOrder(scene.db, "S000", null))).toBe("not_found");
  });

  test("pages of a list hold every order once, the newest first", async () => {
    const buyer = await scene.addBuyer();
    const placed: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      placed.unshift((await scene.placeFor(buyer)).orderNo);
    }
    await scene.placeFor(await scene.addBuyer());
    const seen: string[] = [];
    let cursor: bigint | null = null;
    do {
      const page = await listOrders(scene.db, buyer.userId, { cursor, limit: 3 });
      seen.push(...page.rows.map(({ orderNo }) => orderNo));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(placed);
  });
});

describe("cancelling and expiring", () => {
  test("only the owner, or anyone who has the code, can cancel", async () => {
    const buyer = await scene.addBuyer();
    const own = await scene.placeFor(buyer);
    const { order, claimCode } = await scene.place();
    const cancel = (orderNo: string, userId: typeof buyer.userId | null, code: string | null): Promise<unknown> =>
      refusal(scene.db.withTransaction((tx) => cancelOrder(tx, orderNo, { userId, claimCode: code })));
    const stranger = await scene.addBuyer();
    expect(await cancel(own.orderNo, stranger.userId, null)).toBe("not_found");
    expect(await cancel(own.orderNo, null, claimCode)).toBe("not_found");
    expect(await cancel(order.orderNo, stranger.userId, null)).toBe("not_found");
    expect(await cancel(order.orderNo, null, "WRONG-CODE")).toBe("not_found");
    expect(await cancel(own.orderNo, buyer.userId, null)).toBe("done");
    expect(await cancel(own.orderNo, buyer.userId, null)).toBe("done");
    expect(await cancel(order.orderNo, null, claimCode?.toLowerCase() ?? null)).toBe("done");
  });

  test("a paid order can't be cancelled", async () => {
    const buyer = await scene.addBuyer();
    const order = await scene.placeFor(buyer);
    await settlePaid(scene.deps, noticeOf(order));
    const by = { userId: buyer.userId, claimCode: null };
    expect(await refusal(scene.db.withTransaction((tx) => cancelOrder(tx, order.orderNo, by)))).toBe("conflict");
  });

  test("an order expires at its time and not before, and is credited once if it is paid anyway", async () => {
    const buyer = await scene.addBuyer();
    const order = await scene.placeFor(buyer);
    await expireOverdueOrders(scene.db, new Date(order.expiresAt.getTime() - 1));
    expect((await scene.order(order.orderNo)).status).toBe("pending");
    await expireOverdueOrders(scene.db, order.expiresAt);
    expect((await scene.order(order.orderNo)).status).toBe("expired");
    expect(await settlePaid(scene.deps, noticeOf(order))).toBe("settled");
    expect(await settlePaid(scene.deps, noticeOf(order))).toBe("duplicate");
    expect(await scene.order(order.orderNo)).toMatchObject({ status: "settled", is_paid_late: true });
    expect(await scene.balance(buyer)).toBe(5_000_000n);
  });

  test("a late payment pays the price of the order, even if the plan has changed; a week later it waits for a person", async () => {
    const buyer = await scene.addBuyer();
    const [late, tooLate] = [await scene.placeFor(buyer), await scene.placeFor(buyer)];
    await expireOverdueOrders(scene.db, late.expiresAt);
    await scene.db.sql`update plan set price_usd = 12.00, quota = 1 where plan_code = 'credit'`;
    try {
      const weekMs = 7 * 86_400_000;
      const inTime = new Date(late.expiresAt.getTime() + weekMs);
      expect(await settlePaid(scene.deps, noticeOf(late), { at: inTime })).toBe("settled");
      expect(await scene.order(late.orderNo)).toMatchObject({ status: "settled", is_paid_late: true });
      expect(await scene.balance(buyer)).toBe(5_000_000n);
      const after = new Date(tooLate.expiresAt.getTime() + weekMs + 1);
      expect(await settlePaid(scene.deps, noticeOf(tooLate), { at: after })).toBe("review");
      // It can be decided about, as every payment that does not fit.
      const expected = { status: "review", review_reason: "paid_too_late", is_paid_late: false };
      expect(await scene.order(tooLate.orderNo)).toEqual(expected);
      expect(await scene.balance(buyer)).toBe(5_000_000n);
    } finally {
      await scene.db.sql`update plan set price_usd = 10.00, quota = 5000000 where plan_code = 'credit'`;
    }
  });

  test("a wrong payment of a cancelled order leaves it cancelled and marks it", async () => {
    const buyer = await scene.addBuyer();
    const order = await scene.placeFor(buyer);
    const by = { userId: buyer.userId, claimCode: null };
    await scene.db.withTransaction((tx) => cancelOrder(tx, order.orderNo, by));
    expect(await settlePaid(scene.deps, noticeOf(order, { currency: "CNY" }))).toBe("review");
    const expected = { status: "cancelled", review_reason: "currency_mismatch", is_paid_late: false };
    expect(await scene.order(order.orderNo)).toEqual(expected);
  });
});

describe("an order without a login", () => {
  const claim = (orderNo: string, claimCode: string | null, userId: Parameters<typeof claimOrder>[1]["userId"]) =>
    scene.db.withTransaction((tx) => claimOrder(tx, { orderNo, claimCode: claimCode ?? "", userId }));

  test("is credited when it is claimed, once, and only by someone who has its code", async () => {
    const [buyer, other] = [await scene.addBuyer(), await scene.addBuyer()];
    const { order, claimCode } = await scene.place();
    expect(await settlePaid(scene.deps, noticeOf(order))).toBe("settled");
    expect(await refusal(claim(order.orderNo, "0123456789", buyer.userId))).toBe("not_found");
    await claim(order.orderNo, claimCode, buyer.userId);
    await claim(order.orderNo, claimCode, buyer.userId);
    expect(await refusal(claim(order.orderNo, claimCode, other.userId))).toBe("not_found");
    expect(await scene.balance(buyer)).toBe(5_000_000n);
    expect(await scene.balance(other)).toBe(0n);
  });

  test("is credited at its payment when it was claimed before", async () => {
    const buyer = await scene.addBuyer();
    const { order, claimCode } = await scene.place({ planCode: "monthly" });
    await claim(order.orderNo, claimCode, buyer.userId);
    expect(await scene.balance(buyer)).toBe(0n);
    expect(await settlePaid(scene.deps, noticeOf(order))).toBe("settled");
    expect(await scene.balance(buyer)).toBe(12_000_000n);
  });

  test("is credited once when two users claim it at the same moment", async () => {
    const buyers = [await scene.addBuyer(), await scene.addBuyer()];
    const { order, claimCode } = await scene.place();
    await settlePaid(scene.deps, noticeOf(order));
    const outcomes = await Promise.all(buyers.map(({ userId }) => refusal(claim(order.orderNo, claimCode, userId))));
    expect(outcomes.sort()).toEqual(["done", "not_found"]);
    const balances = await Promise.all(buyers.map((buyer) => scene.balance(buyer)));
    expect(balances.sort()).toEqual([0n, 5_000_000n]);
  });

  test("goes to the user whose verified address it names, in any letter case", async () => {
    const buyer = await scene.addBuyer("Ada.L@Example.com");
    const { order } = await scene.place({ email: "ada.l@example.COM" });
    expect(await settlePaid(scene.deps, noticeOf(order))).toBe("settled");
    expect(await scene.balance(buyer)).toBe(5_000_000n);
  });

  test("waits for the verification of its address", async () => {
    const buyer = await scene.addBuyer("later@example.com", false);
    const { order } = await scene.place({ email: "later@example.com" });
    expect(await settlePaid(scene.deps, noticeOf(order))).toBe("settled");
    expect(await scene.balance(buyer)).toBe(0n);
    const verify = async (): Promise<number> =>
      await scene.db.withTransaction(async (tx) => {
        await tx.sql`update user_profile set email_verified_at = now() where id = ${buyer.userId}::bigint`;
        return await creditPaidOrders(tx, buyer.userId);
      });
    expect(await verify()).toBe(1);
    expect(await verify()).toBe(0);
    expect(await scene.balance(buyer)).toBe(5_000_000n);
  });

  test("waits if it is paid while its address is being verified, and still goes to the user", async () => {
    const buyer = await scene.addBuyer("at-once@example.com", false);
    const { order } = await scene.place({ email: "at-once@example.com" });
    const [isVerified, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const verification = scene.db.withTransaction(async (tx) => {
      await tx.sql`update user_profile set email_verified_at = now() where id = ${buyer.userId}::bigint`;
      expect(await creditPaidOrders(tx, buyer.userId)).toBe(0);
      isVerified.resolve();
      await mayCommit.promise;
    });
    await isVerified.promise;
    const settling = settlePaid(scene.deps, noticeOf(order));
    try {
      expect(await Promise.race([settling, waitForAnyWaiter(scene.db)])).toBe("advisory");
    } finally {
      mayCommit.resolve();
      await verification;
    }
    expect(await settling).toBe("settled");
    expect(await scene.balance(buyer)).toBe(5_000_000n);
  });

  test("is credited by the job when its address was verified in any way", async () => {
    const buyer = await scene.addBuyer("by-the-job@example.com", false);
    const { order } = await scene.place({ email: "By-The-Job@example.com" });
    await settlePaid(scene.deps, noticeOf(order));
    expect(await creditWaitingOwners(scene.db)).toBe(0);
    await scene.db.sql`update user_profile set email_verified_at = now() where id = ${buyer.userId}::bigint`;
    const runs = await Promise.all([creditWaitingOwners(scene.db), creditWaitingOwners(scene.db)]);
    expect(runs.sort()).toEqual([0, 1]);
    expect(await scene.balance(buyer)).toBe(5_000_000n);
  });

  test("is credited exactly once, however its payment and the verification of its address coincide", async () => {
    for (let round = 0; round < 10; round += 1) {
      const email = `race-${round}@example.com`;
      const buyer = await scene.addBuyer(email, false);
      const { order } = await scene.place({ email });
      await Promise.all([
        settlePaid(scene.deps, noticeOf(order)),
        scene.db.withTransaction(async (tx) => {
          await tx.sql`update user_profile set email_verified_at = now() where id = ${buyer.userId}::bigint`;
          await creditPaidOrders(tx, buyer.userId);
        }),
      ]);
      expect(await scene.balance(buyer)).toBe(5_000_000n);
    }
  });

  test("with the address of an unverified user is not credited to them", async () => {
    const buyer = await scene.addBuyer("squatter@example.com", false);
    const { order } = await scene.place({ email: "squatter@example.com" });
    await settlePaid(scene.deps, noticeOf(order));
    expect(await scene.balance(buyer)).toBe(0n);
  });
});

test("an order that was placed in a failed transaction does not exist", async () => {
  const { userId } = await scene.addBuyer();
  const attempt = scene.db.withTransaction(async (tx) => {
    const request = {
      planCode: "credit",
      userId,
      email: null,
      payChannel: "none",
      sender: null,
      vendor: null,
    } as const;
    await createOrder(tx, { ...request, idempotencyKey: "undone-key" });
    throw new Error("undone");
  });
  await expect(attempt).rejects.toThrow("undone");
  expect((await scene.place({ userId, idempotencyKey: "undone-key" })).isNew).toBe(true);
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { recordPayments } from "@sluice/control-plane/admin/campaigns/service.ts";
import type { Order } from "@sluice/control-plane/payments/model.ts";
import { resolveOrder } from "@sluice/control-plane/payments/reviews/reviews.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { BillingScene, noticeOf } from "../support/payments/billing-scene.ts";

let scene: BillingScene;
/** May change the schema, unlike the service. */
let owner: Database;

beforeAll(async () => {
  scene = await BillingScene.create();
  owner = openDatabase({ url: scene.url, poolMax: 2, applicationName: "owner" });
});

afterAll(async () => {
  expect(await scene.checkMoney()).toEqual([]);
  await owner.close(500);
  await scene[Symbol.asyncDispose]();
});

const placed = async (visitorId?: string): Promise<Order> =>
  (await scene.place({ userId: (await scene.addBuyer()).userId, visitorId })).order;
const eventsOf = async ({ id }: Order): Promise<unknown[]> => [
  ...(await scene.db.sql`select campaign, amount_usd, created_at from campaign_event where order_id = ${id}::bigint`),
];
const settledAt = async ({ id }: Order): Promise<Date | null> => {
  const [row] = await scene.db.sql<{ at: Date }>`select settled_at as at from sales_order where id = ${id}::bigint`;
  return row?.at ?? null;
};

describe("a payment", () => {
  test("settles while the statistics are locked, and is counted when they are free again", async () => {
    const order = await placed();
    const [isHeld, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = owner.withTransaction(async (tx) => {
      await tx.sql`set local idle_in_transaction_session_timeout = 0`;
      await tx.sql`lock table campaign_event in access exclusive mode`;
      isHeld.resolve();
      await mayEnd.promise;
    });
    await isHeld.promise;
    const settled = await settlePaid(scene.deps, noticeOf(order)).catch((error: unknown) => error);
    const counting = await recordPayments(scene.db).catch(() => "refused");
    // A failed count delays nobody either.
    const again = await settlePaid(scene.deps, noticeOf(order)).catch((error: unknown) => error);
    mayEnd.resolve();
    await holding;
    expect([settled, counting, again]).toEqual(["settled", "refused", "duplicate"]);
    expect(await eventsOf(order)).toEqual([]);
    expect(await recordPayments(scene.db)).toBe(1);
    expect(await eventsOf(order)).toHaveLength(1);
  });

  test("settles while the statistics are broken, and is counted once they are repaired", async () => {
    const order = await placed();
    await owner.sql`alter table campaign_event add constraint broken check (kind <> 'payment_settled') not valid`;
    const settled = await settlePaid(scene.deps, noticeOf(order)).catch((error: unknown) => error);
    const counting = await recordPayments(scene.db).catch(() => "refused");
    await owner.sql`alter table campaign_event drop constraint broken`;
    expect([settled, counting, await eventsOf(order)]).toEqual(["settled", "refused", []]);
    expect(await recordPayments(scene.db)).toBe(1);
    expect(await eventsOf(order)).toHaveLength(1);
  });

  test("counts once, however often and by how many processes it is counted, even after a crash in between", async () => {
    const order = await placed();
    await settlePaid(scene.deps, noticeOf(order));
    await Promise.all([1, 2, 3].map(() => recordPayments(scene.db)));
    // The event was written, and the order not marked.
    await scene.db.sql`update sales_order set campaign_counted_at = null where id = ${order.id}::bigint`;
    await recordPayments(scene.db);
    expect(await eventsOf(order)).toHaveLength(1);
    expect(await recordPayments(scene.db)).toBe(0);
  });

  test("counts for the campaign that had brought its visitor before it was settled, and on that day", async () => {
    const visit = (campaign: string) => scene.db.sql`
      insert into campaign_event (kind, campaign, visitor_id) values ('page_view', ${campaign}, 'one-visitor')`;
    await visit("autumn");
    await visit("winter");
    const order = await placed("one-visitor");
    await settlePaid(scene.deps, noticeOf(order));
    await visit("spring");
    await recordPayments(scene.db);
    expect(await eventsOf(order)).toEqual([
      { campaign: "winter", amount_usd: "10.00", created_at: await settledAt(order) },
    ]);
  });

  test("that an admin settles counts, and one that was only sent back does not", async () => {
    for (const [action, events] of [
      ["settle", 1],
      ["refund", 0],
    ] as const) {
      const order = await placed();
      await settlePaid(scene.deps, noticeOf(order, { amountUsd: "9.00" as Order["amountUsd"] }));
      expect(await recordPayments(scene.db)).toBe(0);
      const decision = { orderNo: order.orderNo, action, transactionId: null, reason: "test" };
      await scene.db.withTransaction((tx) => resolveOrder(tx, scene.deps, decision));
      expect(await recordPayments(scene.db)).toBe(1);
      const paid = { campaign: "default", amount_usd: "9.00", created_at: await settledAt(order) };
      expect(await eventsOf(order)).toEqual(Array.from({ length: events }, () => paid));
      expect(await recordPayments(scene.db)).toBe(0);
    }
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { FaultPoint } from "@sluice/control-plane/payments/port.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { BillingScene, billingDeps, noticeOf } from "../support/payments/billing-scene.ts";
import { issueInvoices } from "../support/payments/invoice-terms.ts";
import { deliverUntilTaken, payFromProcess } from "../support/payments/payers.ts";
import { startPostgresProxy } from "../support/postgres/postgres-proxy.ts";

const killsPerPoint = process.env["TEST_FULL"] === "1" ? 50 : 2;
const timeoutMs = 60_000 + killsPerPoint * 20_000;
const points: FaultPoint[] = [
  "after_lock",
  "after_payment",
  "after_ledger",
  "after_balance",
  "after_invoice",
  "before_commit",
  "after_commit",
  "before_reply",
];

let scene: BillingScene;

beforeAll(async () => {
  scene = await BillingScene.create();
  await issueInvoices(scene.db);
});

afterEach(async () => {
  expect(await scene.checkMoney()).toEqual([]);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

/** Exactly one payment, one credit, one mail, one invoice. */
async function expectPaidOnce(orderNo: string): Promise<void> {
  const [found] = await scene.db.sql<{
    payments: number;
    credits: number;
    mails: number;
    invoices: number;
    status: string;
  }>`
    select o.status, (select count(*)::int from payment p where p.order_id = o.id) as payments,
      (select count(*)::int from quota_grant g where g.reference = 'order:' || o.order_no) as credits,
      (select count(*)::int from mail_log m where m.dedupe_key = 'payment_success:' || o.order_no) as mails,
      (select count(*)::int from invoice i where i.order_id = o.id) as invoices
    from sales_order o where o.order_no = ${orderNo}`;
  expect(found).toEqual({ status: "settled", payments: 1, credits: 1, mails: 1, invoices: 1 });
}

describe("a process that dies inside a settlement leaves it undone or done, never half done", () => {
  test.each(points)(
    "%s",
    async (point) => {
      for (let kill = 0; kill < killsPerPoint; kill += 1) {
        const buyer = await scene.addBuyer();
        const notice = noticeOf(await scene.placeFor(buyer, kill % 2 === 0 ? "credit" : "monthly"));
        // Every other time this process handles the same notice while the other one holds the lock and dies.
        const rivals = kill % 2 === 0 ? [] : Array.from({ length: 4 }, () => deliverUntilTaken(scene.deps, notice));
        const answered = await payFromProcess(scene.url, notice, { times: 4, diesAt: point });
        if (rivals.length === 0) {
          expect(answered).toBeNull();
        }
        const again = Array.from({ length: 8 }, () => deliverUntilTaken(scene.deps, notice));
        const results = await Promise.all([...rivals, ...again]);
        expect(results.filter((result) => result !== "settled" && result !== "duplicate")).toEqual([]);
        expect(results.filter((result) => result === "settled").length).toBeLessThanOrEqual(1);
        await expectPaidOnce(notice.orderNo);
      }
    },
    timeoutMs,
  );
});

test("24 concurrent duplicates from two processes pay once", async () => {
  const buyer = await scene.addBuyer();
  const notice = noticeOf(await scene.placeFor(buyer));
  const answers = await Promise.all([
    payFromProcess(scene.url, notice, { times: 12 }),
    payFromProcess(scene.url, notice, { times: 12 }),
  ]);
  const results = answers.flatMap((each) => each ?? []);
  expect(results).toHaveLength(24);
  expect(results.filter((result) => result === "settled")).toHaveLength(1);
  expect(results.filter((result) => result === "duplicate")).toHaveLength(23);
  await expectPaidOnce(notice.orderNo);
  expect(await scene.balance(buyer)).toBe(5_000_000n);
});

test("two concurrent transactions for one order pay it once, and the other is kept for review", async () => {
  const buyer = await scene.addBuyer();
  const order = await scene.placeFor(buyer);
  const results = await Promise.all(
    ["one", "other"].map((name) =>
      deliverUntilTaken(scene.deps, noticeOf(order, { transactionId: `${name} ${order.orderNo}` })),
    ),
  );
  expect(results.sort()).toEqual(["review", "settled"]);
  await expectPaidOnce(order.orderNo);
});

describe("a COMMIT whose response is lost", () => {
  test.each(["statement", "answer"] as const)("is looked up when its %s was lost", async (lost) => {
    const buyer = await scene.addBuyer();
    const notice = noticeOf(await scene.placeFor(buyer));
    await using proxy = await startPostgresProxy(scene.url);
    const db = openDatabase({ url: proxy.url, poolMax: 2, applicationName: "test" });
    const happened = proxy.loseNextCommit(lost);
    expect(await settlePaid(billingDeps(db), notice)).toBe("settled");
    await happened;
    await db.close(500);
    await expectPaidOnce(notice.orderNo);
    expect(await scene.balance(buyer)).toBe(5_000_000n);
  });
});

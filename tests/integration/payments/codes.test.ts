import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import { redeemCode } from "@sluice/control-plane/payments/codes/redeem-code.ts";
import type { FaultPoint } from "@sluice/control-plane/payments/port.ts";
import { type NewRefund, openRefund, payRefund } from "@sluice/control-plane/payments/refunds/refunds.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { billingDeps } from "../../support/payments/billing-scene.ts";
import { type Answer, CodeScene } from "../../support/payments/code-scene.ts";
import { startPostgresProxy } from "../../support/postgres/postgres-proxy.ts";

let scene: CodeScene;

beforeAll(async () => {
  scene = await CodeScene.create();
});

afterEach(async () => {
  expect(await scene.billing.checkMoney()).toEqual([]);
  await scene.billing.db.sql`delete from attempt_counter`;
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const errorOf = ({ body }: Answer): unknown => (body["error"] as { code?: unknown } | undefined)?.code;
const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
const first = ({ codes }: { readonly codes: readonly string[] }): string => codes[0] ?? "";

describe("a batch of codes", () => {
  test("for a reseller has 1,000 different codes, and the database knows their digests only", async () => {
    const { batchId, codes } = await scene.make({ count: 1_000, quota: 5_000_000, note: "Shop 7" });
    expect(new Set(codes).size).toBe(1_000);
    expect(codes.every((code) => /^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){3}$/.test(code))).toBe(true);
    const again = await scene.asAdmin("codes", { batch_id: batchId });
    expect(again.body["codes"]).toEqual(codes);
    const audited = await scene.billing.db.sql<{ action: string }>`
      select action from audit_log where subject_kind = 'code_batch' and subject_id = ${String(batchId)} order by id`;
    expect(audited.map(({ action }) => action)).toEqual([
      "code_batch.create",
      "code_batch.export",
      "code_batch.export",
    ]);
    const [stored] = await scene.billing.db.sql<{ text: string }>`
      select string_agg(t::text, ' ') as text from (select c::text as t from redemption_code c
        union all select b::text from code_batch b union all select a::text from audit_log a) x`;
    expect(stored?.text).not.toContain(first({ codes }));
  });

  test("needs either a balance or a plan with a fixed price, and at most 10,000 codes", async () => {
    const of = async (batch: object) => (await scene.asAdmin("create", { name: "x", count: 1, ...batch })).status;
    expect(await of({})).toBe(400);
    expect(await of({ quota: 1, plan_code: "credit" })).toBe(400);
    expect(await of({ plan_code: "any" })).toBe(400);
    expect(await of({ plan_code: "no-such-plan" })).toBe(400);
    expect(await of({ quota: 0 })).toBe(400);
    expect(await of({ quota: 1, count: 10_001 })).toBe(400);
    expect(await of({ quota: 1, count: 0 })).toBe(400);
  });
});

test("ten requests at once under one idempotency key make one batch, and another content is refused", async () => {
  const key = crypto.randomUUID();
  const made = await Promise.all(
    Array.from({ length: 10 }, () => scene.asAdmin("create", { name: "Once", count: 3, quota: 7_000 }, key)),
  );
  const ids = made.map(({ body }) => (body["batch"] as { batch_id: number } | undefined)?.batch_id);
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).toBeNumber();
  const other = await scene.asAdmin("create", { name: "Once", count: 4, quota: 7_000 }, key);
  expect(errorOf(other)).toBe("idempotency_mismatch");
  const unnamed = { name: "Once", count: 3, quota: 7_000 };
  const without = await scene.post("/backend/admin/code-batch/create/", unnamed, scene.adminCookie);
  expect(errorOf(without)).toBe("missing_field");
});

describe("what a code granted", () => {
  const deps = () => ({ db: scene.billing.db, log: scene.billing.deps.log, gateways: {} as never });
  const open = async (orderNo: string, changes: Partial<NewRefund> = {}) =>
    await scene.billing.db.withTransaction((tx) =>
      openRefund(tx, {
        ...{ orderNo, amountUsd: null, reason: "stolen", idempotencyKey: "take back", mayGoNegative: false },
        ...changes,
      }),
    );

  test("is taken back once, also when asked ten times at once; the code stays used", async () => {
    const code = first(await scene.make({ quota: 1_000_000 }));
    const buyer = await scene.billing.addBuyer();
    const { order } = await redeemCode(scene.billing.deps, { text: code, userId: buyer.userId });
    const asked = await Promise.all(Array.from({ length: 10 }, () => open(order.orderNo)));
    expect(asked.filter(({ isNew }) => isNew)).toHaveLength(1);
    await Promise.all(asked.map(({ refund }) => payRefund(deps(), refund.refundNo)));
    expect(await scene.billing.balance(buyer)).toBe(0n);
    expect(await scene.billing.order(order.orderNo)).toMatchObject({ status: "refunded" });
    expect(await open(order.orderNo, { idempotencyKey: "again" }).catch(codeOf)).toBe("conflict");
    const other = await scene.billing.addBuyer();
    expect(await redeemCode(scene.billing.deps, { text: code, userId: other.userId }).catch(codeOf)).toBe("conflict");
  });

  test("is not taken back where it was used, unless told to, and never with money", async () => {
    const code = first(await scene.make({ quota: 1_000_000 }));
    const buyer = await scene.billing.addBuyer();
    const { order } = await redeemCode(scene.billing.deps, { text: code, userId: buyer.userId });
    await scene.billing.use(buyer, 400_000n);
    expect(await open(order.orderNo, { amountUsd: "1.00" as Decimal }).catch(codeOf)).toBe("conflict");
    expect(await open(order.orderNo).catch(codeOf)).toBe("conflict");
    const { refund } = await open(order.orderNo, { mayGoNegative: true });
    expect(refund).toMatchObject({ amountUsd: "0.00", quota: 1_000_000n });
    expect((await payRefund(deps(), refund.refundNo)).status).toBe("done");
    expect(await scene.billing.balance(buyer)).toBe(-400_000n);
  });

  test("as a month ends with it", async () => {
    const code = first(await scene.make({ plan_code: "monthly", name: "One month" }));
    const buyer = await scene.billing.addBuyer();
    const { order } = await redeemCode(scene.billing.deps, { text: code, userId: buyer.userId });
    const { refund } = await open(order.orderNo);
    expect((await payRefund(deps(), refund.refundNo)).status).toBe("done");
    expect(await scene.billing.balance(buyer)).toBe(0n);
    const [month] = await scene.billing.db.sql<{ months: number }>`
      select months from subscription where user_id = ${buyer.userId}::bigint`;
    expect(month?.months).toBe(0);
  });
});

describe("redeeming", () => {
  test("a code adds its balance once; the same user is told so, and nobody else can use it", async () => {
    const code = first(await scene.make({ quota: 2_500_000 }));
    const [buyer, other] = [await scene.login(), await scene.login()];
    const done = await scene.redeem(code.toLowerCase().replaceAll("-", " "), buyer);
    expect(done).toMatchObject({
      status: 200,
      body: { is_new: true, order: { status: "settled", pay_channel: "code", amount_usd: "0.00", quota: 2_500_000 } },
    });
    expect((await scene.redeem(code, buyer)).body).toMatchObject({
      is_new: false,
      order: done.body["order"] as object,
    });
    const refused = await scene.redeem(code, other);
    expect([refused.status, errorOf(refused)]).toEqual([409, "conflict"]);
    expect([await scene.balance(buyer.userId), await scene.balance(other.userId)]).toEqual([2_500_000n, 0n]);
  });

  test("fifty users at once, over two replicas, get one credit out of one code", async () => {
    const { codes } = await scene.make({ count: 1_000, quota: 1_000_000 });
    const code = first({ codes });
    const buyers = await Promise.all(Array.from({ length: 50 }, () => scene.billing.addBuyer()));
    const second = openDatabase({ url: scene.billing.url, poolMax: 8, applicationName: "test", role: "sluice_app" });
    const replicas = [scene.billing.deps, billingDeps(second)] as const;
    const results = await Promise.all(
      buyers.map(({ userId }, at) =>
        redeemCode(replicas[at % 2 === 0 ? 0 : 1], { text: code, userId }).then(({ isNew }) => isNew, codeOf),
      ),
    );
    await second.close(500);
    expect(results.filter((result) => result === true)).toHaveLength(1);
    // On a slow machine, some give up waiting for the first one.
    expect(results.filter((result) => result === "conflict" || result === "in_progress")).toHaveLength(49);
    const balances = await Promise.all(buyers.map((buyer) => scene.billing.balance(buyer)));
    expect(balances.reduce((sum, each) => sum + each, 0n)).toBe(1_000_000n);
  });

  test("twenty times at once, one user gets the credit once and always the same order", async () => {
    const code = first(await scene.make({ quota: 1_000_000 }));
    const buyer = await scene.billing.addBuyer();
    const results = await Promise.all(
      Array.from({ length: 20 }, () => redeemCode(scene.billing.deps, { text: code, userId: buyer.userId })),
    );
    expect(results.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(results.map(({ order }) => order.orderNo)).size).toBe(1);
    expect(await scene.billing.balance(buyer)).toBe(1_000_000n);
  });

  test("of a batch for one use per user, ten codes at once add one to an account, and the others stay usable", async () => {
    const { codes } = await scene.make({ count: 10, quota: 1_000_000, is_once_per_user: true });
    const buyer = await scene.billing.addBuyer();
    const results = await Promise.all(
      codes.map((text) =>
        redeemCode(scene.billing.deps, { text, userId: buyer.userId }).then(
          () => text,
          () => null,
        ),
      ),
    );
    const used = results.filter((text) => text !== null);
    expect(used).toHaveLength(1);
    expect(await scene.billing.balance(buyer)).toBe(1_000_000n);
    const other = await scene.billing.addBuyer();
    const unused = codes.find((text) => !used.includes(text)) ?? "";
    expect((await redeemCode(scene.billing.deps, { text: unused, userId: other.userId })).isNew).toBe(true);
  });

  test("a code of a plan begins its month, on the terms that the plan had", async () => {
    const code = first(await scene.make({ plan_code: "monthly", name: "One month" }));
    await scene.billing.db.sql`update plan set quota = 1, status = 'hidden' where plan_code = 'monthly'`;
    const buyer = await scene.login();
    expect((await scene.redeem(code, buyer)).body).toMatchObject({
      order: { plan_code: "monthly", plan_kind: "monthly", plan_name: "One month", quota: 12_000_000 },
    });
    const [month] = await scene.billing.db.sql`
      select status, quota_granted from subscription where user_id = ${buyer.userId}::bigint`;
    expect(month).toEqual({ status: "active", quota_granted: 12_000_000n });
    await scene.billing.db.sql`update plan set quota = 12000000, status = 'active' where plan_code = 'monthly'`;
  });

  test("is refused after its batch has expired or was revoked; what was redeemed before stays", async () => {
    const buyer = await scene.login();
    const expired = await scene.make({ quota: 1_000_000, expires_at: "2020-01-01T00:00:00Z" });
    expect(errorOf(await scene.redeem(first(expired), buyer))).toBe("conflict");
    const { batchId, codes } = await scene.make({ count: 2, quota: 1_000_000 });
    expect((await scene.redeem(codes[0] ?? "", buyer)).status).toBe(200);
    const revoke = { batch_id: batchId, reason: "The shop was robbed" };
    expect((await scene.asAdmin("revoke", revoke)).status).toBe(200);
    expect((await scene.asAdmin("revoke", revoke)).status).toBe(200);
    expect(errorOf(await scene.redeem(codes[1] ?? "", buyer))).toBe("conflict");
    expect(await scene.balance(buyer.userId)).toBe(1_000_000n);
  });
});

describe("guessing", () => {
  test("a wrong letter is found without asking the database; a well-formed code that nobody made is not known", async () => {
    const code = first(await scene.make({ quota: 1_000_000 }));
    const userId = (await scene.billing.addBuyer()).userId;
    const wrong = `${code.slice(0, -1)}${code.endsWith("0") ? "1" : "0"}`;
    for (const text of [wrong, "", "    ", "x", code.slice(1), `${code}0`, "00000-00000-00000-00000", "ÿ".repeat(20)]) {
      expect(await redeemCode(scene.billing.deps, { text, userId }).catch(codeOf)).toBe("not_found");
    }
  });

  test("is limited per user, and per address; codes that work do not count", async () => {
    const { codes } = await scene.make({ count: 12, quota: 1_000 });
    const [one, other] = [await scene.login(), await scene.login()];
    for (const code of codes) {
      expect((await scene.redeem(code, one)).status).toBe(200);
    }
    const guess = async (by: typeof one) => (await scene.redeem("00000-00000-00000-00000", by)).status;
    for (let tries = 0; tries < 10; tries += 1) {
      expect(await guess(one)).toBe(404);
    }
    expect(await guess(one)).toBe(429);
    expect(await guess(other)).toBe(404);
    const guessers = await Promise.all(Array.from({ length: 4 }, () => scene.login()));
    const results: number[] = [];
    for (const guesser of guessers) {
      for (let tries = 0; tries < 6; tries += 1) {
        results.push(await guess(guesser));
      }
    }
    expect(results.filter((status) => status === 404).length).toBeLessThanOrEqual(20);
    expect(results.at(-1)).toBe(429);
  });
});

describe("a failure", () => {
  const points: FaultPoint[] = ["after_lock", "after_payment", "after_ledger", "after_balance", "before_commit"];

  test.each(points)("%s leaves the code unused, and it can be redeemed again", async (point) => {
    const text = first(await scene.make({ quota: 1_000_000 }));
    const buyer = await scene.billing.addBuyer();
    const fault = (at: FaultPoint): void => {
      if (at === point) {
        throw new Error("the process dies");
      }
    };
    const redeem = (with_: Parameters<typeof redeemCode>[2] = undefined) =>
      redeemCode(scene.billing.deps, { text, userId: buyer.userId }, with_);
    expect(await redeem(fault).catch(String)).toContain("the process dies");
    expect(await scene.billing.checkMoney()).toEqual([]);
    expect((await redeem()).isNew).toBe(true);
    expect(await scene.billing.balance(buyer)).toBe(1_000_000n);
  });

  test.each(["statement", "answer"] as const)("of a COMMIT whose %s was lost is looked up", async (lost) => {
    const text = first(await scene.make({ quota: 1_000_000 }));
    const buyer = await scene.billing.addBuyer();
    await using proxy = await startPostgresProxy(scene.billing.url);
    const db = openDatabase({ url: proxy.url, poolMax: 2, applicationName: "test" });
    const happened = proxy.loseNextCommit(lost);
    expect((await redeemCode(billingDeps(db), { text, userId: buyer.userId })).isNew).toBe(true);
    await happened;
    await db.close(500);
    expect(await scene.billing.balance(buyer)).toBe(1_000_000n);
  });
});

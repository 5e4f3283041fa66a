import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ApiKeyId, BudgetId, RequestId } from "@sluice/contracts/ids";
import type { Decimal, Quota } from "@sluice/contracts/money";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import type { SqlValue } from "@sluice/control-plane/platform/db.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import type { UsageFilter } from "@sluice/control-plane/usage/views/model.ts";
import { listUsage } from "@sluice/control-plane/usage/views/views-store.ts";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginUser } from "../support/accounts/logins.ts";
import { chat } from "../support/calls/chat-call.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { insertUsageRows } from "../support/usage/insert-rows.ts";
import { type Customer, encoded, usageRow } from "../support/usage/usage-rows.ts";

type Row = Record<string, unknown> & { request_id: string; day: string };
type Sums = Record<string, number> & { day?: string; model?: string | null };

let provider: ReturnType<typeof startSandboxProvider>;
let rig: SluiceRig;
let sluice: SluiceProcess;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  sluice = await rig.startProcess();
});

afterAll(async () => {
  await rig?.close();
  await provider?.stop();
});

type Somebody = { readonly as: ConsoleClient; readonly customer: Customer; readonly apiKey: string };

async function enter(): Promise<Somebody> {
  const { cookie, gatewayUserId } = await loginUser(rig, { quota: 1_000_000_000n });
  const apiKey = await createApiKey(rig.db, gatewayUserId, "mine");
  const [row] = await rig.db.sql<{ key_id: ApiKeyId; budget_id: BudgetId }>`
    select k.id as key_id, b.id as budget_id from api_key k join budget b using (gateway_user_id)
    where gateway_user_id = ${gatewayUserId}::bigint`;
  const { key_id, budget_id } = row ?? { key_id: 0n as ApiKeyId, budget_id: 0n as BudgetId };
  const customer = { gatewayUserId, apiKeyId: key_id, userBudgetId: budget_id, keyBudgetId: budget_id };
  return { as: consoleClient(sluice.url, cookie), customer, apiKey };
}

/** A request id for the current time, as the relay generates them. */
function requestIdAt(atMs: number): RequestId {
  const { randomUUIDv7 } = Bun;
  return randomUUIDv7("hex", atMs) as RequestId;
}

async function log(customer: Customer, rows: readonly Partial<UsageRow>[]): Promise<UsageRow[]> {
  const whole = rows.map((row) => {
    const startedAtMs = row.startedAtMs ?? Date.now();
    const { keyBudgetId: _, ...owner } = customer;
    return usageRow(
      { ...owner, keyBudgetId: null as never },
      { requestId: requestIdAt(startedAtMs), startedAtMs, ...row },
    );
  });
  await createMissingPartitions(rig.db, "usage_log", new Set(whole.map(({ day }) => day)));
  await insertUsageRows(rig.db, encoded(...whole));
  return whole;
}

async function pages(as: ConsoleClient, query: Record<string, string>): Promise<Row[]> {
  const seen: Row[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { status, body } = await as.get("/backend/usage/list/", { ...query, ...(cursor === "" ? {} : { cursor }) });
    expect(status).toBe(200);
    seen.push(...(body["rows"] as Row[]));
    cursor = body["next_cursor"] as string | null;
  }
  return seen;
}

const dayMs = 86_400_000;
const noon = new Date(new Date().setUTCHours(12, 0, 0, 0)).getTime();
const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const quota = (amount: bigint): Quota => amount as Quota;

describe("the list of calls", () => {
  test("goes through all of them page by page over the days, newest first, each once", async () => {
    const { as, customer } = await enter();
    const rows = await log(
      customer,
      Array.from({ length: 23 }, (_, index) => ({ startedAtMs: noon - index * 7 * 3_600_000 })),
    );
    await log((await enter()).customer, [{}, { startedAtMs: noon - dayMs }]);
    const seen = await pages(as, { limit: "4" });
    expect(seen.map(({ request_id }) => request_id)).toEqual(rows.map(({ requestId }) => requestId as string));
  });

  const byMinute =
    /Presorted Key: [^\n]*"left"[\s\S]*Index Scan Backward using \S*_(gateway_user_id|model)_day_left\S*/;
  test.each([
    ["all", {}, byMinute],
    ["a key", { keyId: 7n }, byMinute],
    ["a model", { model: "other" }, byMinute],
    [
      "a model that another one answered for",
      { askedModel: "wanted" },
      /Index Scan Backward using \S*_asked_model_\S*/,
    ],
    ["an outcome", { outcome: "failed" }, /Index Scan Backward using \S*_gateway_user_id_day_request_id_outcom\S*/],
  ])("reads the days one after the other, and of %s no other calls", async (_what, asked, wanted) => {
    const [{ customer }, [fromDay, toDay]] = [await enter(), [dayAt(noon - 2 * dayMs), dayAt(noon)]];
    const nothing = { keyId: null, model: null, askedModel: null, outcome: null, endUser: null, tag: null };
    const whose = { gatewayUserId: customer.gatewayUserId, memberId: null, projectId: null };
    const filter = { ...whose, ...nothing, fromDay, toDay, zone: "UTC", ...asked } as UsageFilter;
    const plan = await rig.db.withTransaction(async (tx) => {
      await tx.sql`select set_config(name, 'off', true) from unnest('{enable_seqscan,enable_bitmapscan,enable_sort}'::text[]) name`;
      const query = (text: string, values: SqlValue[]) => tx.query(`explain ${text}`, values);
      return await listUsage({ query } as never, filter, { cursor: null, limit: 25 });
    });
    const lines = (plan as unknown as { "QUERY PLAN": string }[]).map((line) => line["QUERY PLAN"]).join("\n");
    expect(lines).toMatch(wanted);
    expect(lines).not.toMatch(/-> {2}Sort|Merge Append/);
  });

  test("is filtered by key, model, outcome and day, and shows what each call used and cost", async () => {
    const { as, customer } = await enter();
    await createApiKey(rig.db, customer.gatewayUserId, "second");
    const [second] = await rig.db.sql<{ id: ApiKeyId }>`
      select id from api_key where gateway_user_id = ${customer.gatewayUserId}::bigint and name = 'second'`;
    const [plain, other, failed, older] = await log(customer, [
      { startedAtMs: noon, quota: quota(10n), rateMultiplier: "1.2500" as Decimal },
      { startedAtMs: noon - 1, apiKeyId: second?.id ?? (0n as ApiKeyId), model: "other" },
      { startedAtMs: noon - 2, outcome: "failed", httpStatus: 502, errorCode: "upstream_error", quota: quota(0n) },
      { startedAtMs: noon - 3 * dayMs, askedModel: "wanted" },
    ]);
    const ids = async (query: Record<string, string>) => (await pages(as, query)).map(({ request_id }) => request_id);
    expect(await ids({ key_id: String(second?.id) })).toEqual([other?.requestId ?? ""]);
    expect(await ids({ model: "other" })).toEqual([other?.requestId ?? ""]);
    expect(await ids({ outcome: "failed" })).toEqual([failed?.requestId ?? ""]);
    expect(await ids({ asked_model: "wanted" })).toEqual([older?.requestId ?? ""]);
    expect(await ids({ asked_model: "gpt-4o-mini" })).toEqual([]);
    const day = dayAt(noon - 3 * dayMs);
    expect(await ids({ from_day: day, to_day: day })).toEqual([older?.requestId ?? ""]);
    const [first] = await pages(as, {});
    expect(first).toMatchObject({
      request_id: plain?.requestId,
      model: "gpt-4o-mini",
      key_name: "mine",
      input_tokens: 1_200,
      output_tokens: 340,
      quota: 10,
      rate_multiplier: "1.2500",
      settled_quota: 13,
      outcome: "completed",
      http_status: 200,
      duration_ms: 540,
      first_byte_ms: 120,
    });
    expect(JSON.stringify(await as.get("/backend/usage/list/"))).not.toContain("primary");
  });

  test.each([
    [{ cursor: "x" }, "cursor"],
    [{ cursor: "2026-13-01_00000000-0000-0000-0000-000000000000" }, "cursor"],
    [{ limit: "101" }, "limit"],
    [{ key_id: "1'--" }, "key_id"],
    [{ outcome: "good" }, "outcome"],
    [{ from_day: "2026-02-30" }, "from_day"],
    [{ from_day: "2026-01-02", to_day: "2026-01-01" }, "from_day"],
    [{ from_day: "2020-01-01", to_day: "2026-01-01" }, "from_day"],
    [{ zone: "Mars/Olympus" }, "zone"],
    [{ zone: "+05:30" }, "zone"],
    [{ zone: "UTC'; select 1" }, "zone"],
    [{ sort: "quota" }, "body"],
  ])("refuses %p", async (query, field) => {
    const { as } = await enter();
    const answer = await as.get("/backend/usage/list/", query as Record<string, string>);
    expect(codeOf(answer)).toEqual([400, field === "key_id" ? "invalid_id" : "invalid_parameter"]);
    expect(Object.keys((answer.body["error"] as { fields: object }).fields)).toContain(field);
  });
});

describe("the summary", () => {
  const zones = ["UTC", "Asia/Shanghai", "America/New_York", "Asia/Kathmandu", "Pacific/Kiritimati"];

  test.each(zones)("adds up in %s, each call on the day on which it began there", async (zone) => {
    const { as, customer } = await enter();
    const rows = await log(
      customer,
      Array.from({ length: 60 }, (_, index) => ({
        startedAtMs: noon - index * 3_601_000 * 2,
        model: ["gpt-4o-mini", "other", null][index % 3] ?? null,
        quota: quota(BigInt(index * 7)),
        rateMultiplier: (index % 2 === 0 ? "1.0001" : "0.5000") as Decimal,
      })),
    );
    const [from, to] = [dayAt(noon - 3 * dayMs), dayAt(noon - dayMs)];
    const { body } = await as.get("/backend/usage/summary/", { from_day: from, to_day: to, zone });
    const format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
    const meant = rows.filter(({ startedAtMs }) => {
      const day = format.format(startedAtMs);
      return day >= from && day <= to;
    });
    const total = body["total"] as Sums;
    expect(total["calls"]).toBe(meant.length);
    expect(total["quota"]).toBe(meant.reduce((sum, row) => sum + Number(row.quota), 0));
    const settled = meant.reduce((sum, { quota: base, rateMultiplier }) => {
      const exact = base * BigInt(rateMultiplier.replace(".", ""));
      return sum + Number((exact + 9_999n) / 10_000n);
    }, 0);
    expect(total["settled_quota"]).toBe(settled);
    for (const part of ["by_day", "by_model", "by_key", "by_day_and_model"]) {
      for (const name of Object.keys(total)) {
        const sum = (body[part] as Sums[]).reduce((most, each) => most + (each[name] ?? 0), 0);
        expect([part, name, sum]).toEqual([part, name, total[name] ?? 0]);
      }
    }
    const ofFirst = meant.filter(({ startedAtMs }) => format.format(startedAtMs) === from);
    expect((body["by_day"] as Sums[])[0]).toMatchObject({ day: from, calls: ofFirst.length });
    expect((body["by_day"] as Sums[]).map(({ day }) => day)).toEqual([from, dayAt(noon - 2 * dayMs), to]);
  });

  test("by the model that was asked for counts the same calls as the list", async () => {
    const { as, customer } = await enter();
    await log(customer, [
      { startedAtMs: noon, quota: quota(10n) },
      { startedAtMs: noon - 1, askedModel: "wanted", quota: quota(7n) },
      { startedAtMs: noon - dayMs, askedModel: "wanted", quota: quota(5n) },
    ]);
    const { body } = await as.get("/backend/usage/summary/", { asked_model: "wanted" });
    expect(body["total"]).toMatchObject({ calls: 2, quota: 12 });
    const { body: all } = await as.get("/backend/usage/summary/", {});
    expect(all["total"]).toMatchObject({ calls: 3, quota: 22 });
  });

  test("shows every day of the range, even those without a call", async () => {
    const { as } = await enter();
    const { body } = await as.get("/backend/usage/summary/", { zone: "Asia/Tokyo" });
    expect(body["by_day"] as Sums[]).toHaveLength(30);
    expect(body["total"]).toMatchObject({ calls: 0, quota: 0 });
  });
});

describe("the user's choices", () => {
  test("models are those that a channel serves to the user's group", async () => {
    const { as } = await enter();
    const served = async () =>
      ((await as.get("/backend/models/list/")).body["models"] as { name: string }[]).map(({ name }) => name);
    expect(await served()).toContain("gpt-4o-mini");
    await rig.db.sql`update ability set is_enabled = false`;
    expect(await served()).toEqual([]);
    await rig.db.sql`update ability set is_enabled = true`;
  });

  test("payment methods are those that are configured", async () => {
    const { as } = await enter();
    const { body } = await as.get("/backend/payment/options/");
    expect(body).toMatchObject({ is_wallet_ready: false, is_card_ready: false, is_mock_offered: false });
    expect(body["card_vendors"]).toContain("cardpay_card");
  });
});

describe("the export", () => {
  test("has a line for each matching call, more than are read at once, and no formula", async () => {
    const { as, customer } = await enter();
    const many = await log(
      customer,
      Array.from({ length: 1_003 }, (_, index) => ({ startedAtMs: noon - index, model: index === 0 ? "=1+1" : "m" })),
    );
    await log(customer, [{ startedAtMs: noon - 40 * dayMs, model: "older" }]);
    const answer = await as.file("/backend/usage/export/");
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const [head = "", ...lines] = (await answer.text()).trimEnd().split("\r\n");
    expect(head.split(",").slice(0, 4)).toEqual(["request_id", "started_at", "path", "model"]);
    expect(lines.map((line) => line.split(",")[0])).toEqual(many.map(({ requestId }) => requestId as string));
    expect(lines[0]?.split(",")[3]).toBe("'=1+1");
  });
});

describe("a receipt", () => {
  test("explains a real call line by line, and comes to what the call was charged", async () => {
    const { as, customer, apiKey } = await enter();
    const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Explain the price." }], max_tokens: 50 };
    const seen = await chat({ url: sluice.url, apiKey }, body);
    expect(seen.isWhole).toBe(true);
    const [row] = await waitForRows(as, 1);
    const request_id = seen.requestId ?? "";
    expect(row?.request_id).toBe(request_id);
    const { body: answer } = await as.get("/backend/usage/receipt/", { request_id });
    const receipt = answer["receipt"] as Row & { lines: Record<string, unknown>[]; attempts: object[] };
    expect(receipt).toMatchObject({ request_id, price_version: 1, recomputed_quota: row?.["quota"] as number });
    expect(receipt.lines.map(({ unit }) => unit)).toEqual(expect.arrayContaining(["input", "output"]));
    expect(receipt.lines).toContainEqual(expect.objectContaining({ unit: "output", price_usd: "0.6" }));
    const cents = receipt.lines.reduce((sum, { amount_usd }) => sum + scaled(amount_usd as string), 0n);
    expect(cents).toBe(scaled(receipt["sum_usd"] as string));
    expect(receipt.attempts).toEqual([
      {
        started_at_ms: expect.any(Number),
        duration_ms: expect.any(Number),
        status: 200,
        result: "answered",
        model: null,
      },
    ]);
    const withDay = await as.get("/backend/usage/receipt/", { request_id, day: row?.day ?? "" });
    const byPath = await as.get(`/backend/usage/receipt/${request_id}`);
    expect([withDay.body["receipt"], byPath.body["receipt"]]).toEqual([receipt, receipt]);
    const [budget] = await rig.db.sql<{ used: bigint }>`
      select used from budget where gateway_user_id = ${customer.gatewayUserId}::bigint`;
    expect(budget?.used).toBe(BigInt(receipt["quota"] as number));
  });

  test("reveals nothing about the operator's channels and credentials", async () => {
    const { as, customer } = await enter();
    const attempt = { channelId: "77", channel: "secret-channel", startedAtMs: 1, durationMs: 2 };
    const [row] = await log(customer, [
      {
        startedAtMs: noon,
        attempts: [
          { ...attempt, status: 401, result: "credential_refused" },
          { ...attempt, status: 503, result: "status_503" },
        ],
      },
    ]);
    const { body } = await as.get("/backend/usage/receipt/", { request_id: row?.requestId ?? "" });
    expect((body["receipt"] as { attempts: object[] }).attempts).toEqual([
      { started_at_ms: 1, duration_ms: 2, status: null, result: "failed", model: null },
      { started_at_ms: 1, duration_ms: 2, status: 503, result: "status_503", model: null },
    ]);
    expect(JSON.stringify(body)).not.toContain("secret-channel");
  });

  test("of another user and of a missing call are the same response", async () => {
    const beyondAllDays = "ffffffff-ffff-7fff-bfff-ffffffffffff";
    const { customer } = await enter();
    const [row] = await log(customer, [{ startedAtMs: noon }]);
    const { as: thief } = await enter();
    for (const request_id of [row?.requestId ?? "", requestIdAt(noon), crypto.randomUUID(), beyondAllDays]) {
      const answer = await thief.get("/backend/usage/receipt/", { request_id });
      expect(codeOf(answer)).toEqual([404, "not_found"]);
    }
    expect(await pages(thief, { key_id: String(customer.apiKeyId) })).toEqual([]);
    expect(codeOf(await thief.get("/backend/usage/receipt/1'--/"))).toEqual([404, "not_found"]);
    expect(codeOf(await thief.get("/backend/usage/receipt/", { request_id: "1 or 1" }))).toEqual([400, "invalid_id"]);
  });
});

test("nothing is shown without a login", async () => {
  const nobody = consoleClient(sluice.url, null);
  for (const name of ["list", "summary", "receipt"]) {
    expect(codeOf(await nobody.get(`/backend/usage/${name}/`))).toEqual([401, "unauthenticated"]);
  }
});

async function waitForRows(as: ConsoleClient, count: number): Promise<Row[]> {
  for (let rows = await pages(as, {}); ; rows = await pages(as, {})) {
    if (rows.length >= count) {
      return rows;
    }
    await Bun.sleep(20);
  }
}

/** A decimal in units of 10^-14. */
function scaled(text: string): bigint {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(14, "0"));
}

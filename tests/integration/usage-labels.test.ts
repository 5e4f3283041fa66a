import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { usageListInput, usageSummaryInput } from "@sluice/contracts/usage";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { eraseOldLabels } from "@sluice/control-plane/usage/log/erase-labels.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { UsageSettlement } from "@sluice/control-plane/usage/settlement/usage-settlement.ts";
import { UsageViews } from "@sluice/control-plane/usage/views/usage-views.ts";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { Registry } from "prom-client";
import { type ConsoleClient, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { silentLog } from "../support/trace/trace-fixtures.ts";
import { waitUntilSettleable } from "../support/usage/settlement-scene.ts";

type Row = Record<string, unknown> & { request_id: string };
type User = {
  readonly as: ConsoleClient;
  readonly cookie: string;
  readonly apiKey: string;
  readonly gatewayUserId: bigint;
};

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

async function enter(): Promise<User> {
  const { cookie, gatewayUserId } = await loginUser(rig, { quota: 1_000_000_000n });
  return {
    as: consoleClient(sluice.url, cookie),
    cookie,
    apiKey: await createApiKey(rig.db, gatewayUserId, "mine"),
    gatewayUserId,
  };
}

type Call = { readonly path?: string; readonly tags?: string; readonly fields?: object };

async function call({ apiKey }: User, { path = "/v1/chat/completions", tags, fields = {} }: Call) {
  const messages = [{ role: "user", content: "hi" }];
  const answer = await fetch(`${sluice.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      ...(tags === undefined ? {} : { "x-sluice-tags": tags }),
    },
    body: JSON.stringify({ model: "gpt-4o-mini", max_tokens: 5, messages, ...fields }),
  });
  return { status: answer.status, text: await answer.text(), id: answer.headers.get("x-request-id") ?? "" };
}

/** The rows of these calls, once all are in the log. */
async function rowsOf({ as }: User, count: number, query: Record<string, string> = {}): Promise<Row[]> {
  for (;;) {
    const { body } = await as.get("/backend/usage/list/", query);
    const rows = body["rows"] as Row[];
    if (rows.length >= count) {
      return rows;
    }
    await rig.db.sql`select pg_sleep(0.05)`;
  }
}

/** Settles and sums until these calls are in the sums: another process may be doing it. */
async function summed(settlement: UsageSettlement, ids: readonly string[]): Promise<void> {
  for (;;) {
    await settlement.run();
    const { outcome } = await rollUsageUp(rig.db, systemClock);
    const [open] = await rig.db.sql<{ calls: number }>`
      select count(*)::integer as calls from unnest(${`{${ids.join(",")}}`}::uuid[]) id
      where not exists (select 1 from settled_call s where s.request_id = id)`;
    if (open?.calls === 0 && outcome === "caught_up") {
      return;
    }
  }
}

const idsOf = (rows: readonly Row[]): string[] => rows.map(({ request_id }) => request_id);

describe("the end user and the tags of a call", () => {
  test("are looked for with a plan of their own each time, because one label has a million calls and another none", async () => {
    const { gatewayUserId } = await enter();
    const db = openDatabase({ url: rig.database.url, poolMax: 1, applicationName: "test", role: "sluice_app" });
    const views = new UsageViews(db, systemClock);
    const place = { gatewayUserId: gatewayUserId as GatewayUserId, onlyMemberId: null };
    for (const label of [{ end_user: "nobody" }, { tag: "team=nothing" }]) {
      for (let time = 0; time < 8; time += 1) {
        await views.list(place, usageListInput.parse(label));
        await views.summary(place, usageSummaryInput.parse(label));
      }
    }
    const plans = await db.sql<{ custom_plans: bigint; generic_plans: bigint }>`
      select custom_plans, generic_plans from pg_prepared_statements
      where statement like '%usage_log%' and statement not like '%pg_prepared_statements%'`;
    await db.close(1_000);
    expect(plans).toEqual(Array.from({ length: 4 }, () => ({ custom_plans: 8n, generic_plans: 0n })));
  });

  test("are listed, filtered, summed and exported, and nobody else sees them", async () => {
    const user = await enter();
    const other = await enter();
    const first = await call(user, { tags: "team=search, feature=chat", fields: { user: "u-1" } });
    const second = await call(user, { fields: { safety_identifier: "u-2", metadata: { team: "ads" } } });
    const plain = await call(user, {});
    await call(other, { tags: "team=search", fields: { user: "u-1" } });
    expect([first.status, second.status, plain.status]).toEqual([200, 200, 200]);
    const rows = await rowsOf(user, 3);
    expect(rows.map(({ end_user, tags }) => [end_user, tags])).toEqual([
      [null, []],
      ["u-2", ["team=ads"]],
      ["u-1", ["team=search", "feature=chat"]],
    ]);
    expect(idsOf(await rowsOf(user, 1, { end_user: "u-1" }))).toEqual([first.id]);
    expect(idsOf(await rowsOf(user, 1, { tag: "team=ads" }))).toEqual([second.id]);
    const file = await fetch(`${sluice.url}/backend/usage/export/?end_user=u-1`, { headers: { cookie: user.cookie } });
    expect(await file.text()).toMatch(/end_user,tags\r\n[^\n]*,u-1,"\[""team=search"",""feature=chat""\]"\r\n$/);
    const sums = await user.as.get("/backend/usage/labels/");
    expect(sums.body).toMatchObject({ are_kept: true, has_more: false });
    const named = (name: string, by: string) =>
      (sums.body[name] as Record<string, unknown>[]).map((sum) => [sum[by], sum["calls"]]);
    expect(named("by_end_user", "end_user").sort()).toEqual([
      ["u-1", 1],
      ["u-2", 1],
    ]);
    expect(named("by_tag", "tag").sort()).toEqual([
      ["feature=chat", 1],
      ["team=ads", 1],
      ["team=search", 1],
    ]);
    const total = async (query: Record<string, string>) =>
      ((await user.as.get("/backend/usage/summary/", query)).body["total"] as Record<string, unknown>)["calls"];
    expect([await total({}), await total({ end_user: "u-1" }), await total({ tag: "team=ads" })]).toEqual([3, 1, 1]);
    const [{ settled_quota: cost } = { settled_quota: 0 }] = rows.filter(({ end_user }) => end_user === "u-2");
    const { body: course } = await user.as.get("/backend/usage/course/", { by: "tag" });
    const daily = (
      course["parts"] as { readonly id: string; readonly days: readonly { readonly calls: number }[] }[]
    ).map(({ id, days }) => [id, days.map(({ calls }) => calls)]);
    expect(daily.sort()).toEqual([
      ["feature=chat", [1]],
      ["team=ads", [1]],
      ["team=search", [1]],
    ]);
    expect(course).toMatchObject({ others: null, previous: null });
    await rowsOf(other, 1);
    // Reports are of what is settled and summed.
    await waitUntilSettleable(rig.db);
    const settlement = new UsageSettlement({
      db: rig.db,
      clock: systemClock,
      log: silentLog,
      registry: new Registry(),
    });
    await summed(settlement, idsOf([...rows, ...(await rowsOf(other, 1))]));
    const admin = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
    const { body: report } = await admin.get("/backend/admin/report/usage/", { by: "tag" });
    // Of all accounts.
    const callsByTag = (report["rows"] as { readonly key: string; readonly calls: number }[]).map(({ key, calls }) => [
      key,
      calls,
    ]);
    expect(callsByTag.sort()).toEqual([
      ["feature=chat", 1],
      ["team=ads", 1],
      ["team=search", 2],
    ]);
    const { body: byDay } = await admin.get("/backend/admin/report/usage/course/", { by: "tag" });
    expect(byDay).toMatchObject({ others: [], previous: null });
    expect((byDay["parts"] as { readonly id: string }[]).map(({ id }) => id).sort()).toEqual([
      "feature=chat",
      "team=ads",
      "team=search",
    ]);
    const long = { by: "tag", from_day: "2026-01-01", to_day: "2026-02-01" };
    expect((await admin.get("/backend/admin/report/usage/", long)).status).toBe(400);
    expect((await admin.get("/backend/admin/report/usage/course/", long)).status).toBe(400);
    expect(sums.body["by_tag"]).toContainEqual(expect.objectContaining({ tag: "team=ads", settled_quota: cost }));
  });

  test("are read from every dialect", async () => {
    const user = await enter();
    const content = [{ role: "user", content: "hi" }];
    await call(user, { path: "/v1/messages", fields: { messages: content, metadata: { user_id: "m-1" } } });
    await rowsOf(user, 1);
    await call(user, {
      path: "/v1/responses",
      fields: { messages: undefined, max_tokens: undefined, input: "hi", user: "r-1", metadata: { a: "b" } },
    });
    const rows = await rowsOf(user, 2);
    expect(rows.map(({ end_user, tags }) => [end_user, tags])).toEqual([
      ["r-1", ["a=b"]],
      ["m-1", []],
    ]);
  });

  test("are indexed so that a filter does not read the calls without them", async () => {
    await rig.db.withTransaction(async (tx) => {
      await tx.sql`set local enable_seqscan = off`;
      const explain = async (condition: string) =>
        (await tx.query<{ "QUERY PLAN": string }>(`explain select * from usage_log u where ${condition}`, []))
          .map((line) => line["QUERY PLAN"])
          .join("\n");
      expect(await explain("u.gateway_user_id = 5 and u.end_user = 'x'")).toMatch(/end_user/);
      expect(
        await explain("u.tags is not null and array_append(u.tags, u.gateway_user_id::text) @> array['a=b', '5']"),
      ).toMatch(/Bitmap Index Scan/);
    });
  });
});

describe("nothing is kept", () => {
  test("for a key that does not allow it, and a wrong header is then no error", async () => {
    const user = await enter();
    await rig.db.sql`update api_key set are_labels_kept = false where gateway_user_id = ${user.gatewayUserId}::bigint`;
    const answer = await call(user, { tags: "<>", fields: { user: "u-1", metadata: { a: "b" } } });
    expect(answer.status).toBe(200);
    expect((await rowsOf(user, 1)).map(({ end_user, tags }) => [end_user, tags])).toEqual([[null, []]]);
  });

  test("once the account has said so, which is audited", async () => {
    const user = await enter();
    expect((await user.as.post("/backend/usage/labels/save/", { are_kept: false })).status).toBe(200);
    await call(user, { tags: "team=search", fields: { user: "u-1" } });
    expect((await rowsOf(user, 1)).map(({ end_user, tags }) => [end_user, tags])).toEqual([[null, []]]);
    expect((await user.as.get("/backend/usage/labels/")).body).toMatchObject({ are_kept: false });
    const audits = await rig.db.sql<{ action: string }>`select action from audit_log
      where subject_kind = 'gateway_user' and subject_id = ${user.gatewayUserId.toString()} and action like 'usage_labels%'`;
    expect(audits).toEqual([{ action: "usage_labels.save" }]);
  });
});

test("what is older than its retention is erased, and nothing else of its row", async () => {
  const user = await enter();
  await call(user, { tags: "team=search", fields: { user: "u-1" } });
  await call(user, { fields: { user: "u-2" } });
  const rows = await rowsOf(user, 2);
  const { request_id: id } = rows[1] ?? { request_id: "" };
  const find = async () =>
    (await rig.db.query<Record<string, unknown>>("select * from usage_log where request_id = $1::text::uuid", [id]))[0];
  const before = await find();
  expect(await eraseOldLabels(rig.db, silentLog, 0)).toBe(0);
  // As it is a day after tomorrow.
  expect(await eraseOldLabels(rig.db, silentLog, -1)).toBeGreaterThanOrEqual(2);
  expect(await find()).toEqual({ ...before, end_user: null, tags: null });
  const [may] = await rig.db.sql<Record<string, boolean>>`
    select has_column_privilege('sluice_app', 'usage_log', 'tags', 'update') as tags,
      has_column_privilege('sluice_app', 'usage_log', 'quota', 'update') as quota`;
  expect(may).toEqual({ tags: true, quota: false });
});

test("a header that is not a list of tags is refused, with its name", async () => {
  const user = await enter();
  const answer = await call(user, { tags: "team" });
  expect([answer.status, answer.text.includes("invalid_parameter"), answer.text.includes("x-sluice-tags")]).toEqual([
    400,
    true,
    true,
  ]);
});

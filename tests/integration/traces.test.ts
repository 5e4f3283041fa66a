import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import { utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { TraceRow } from "@sluice/control-plane/trace/model.ts";
import { commitTraces } from "@sluice/control-plane/trace/service.ts";
import { toSpooledTrace } from "@sluice/control-plane/trace/trace-row.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin, loginUser, type UserLogin } from "../support/accounts/logins.ts";
import { chat } from "../support/calls/chat-call.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { repositoryRoot, startProgram } from "../support/service/start-process.ts";
import { traceRowOf } from "../support/trace/trace-fixtures.ts";
import { patienceMs } from "../support/values/patience.ts";

type Listed = { request_id: string; day: string; status: string; model: string | null; payload: string };

const reason = "a customer asks why the answer was cut";
let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;
let admin: ConsoleClient;
let superAdmin: ConsoleClient;

beforeAll(async () => {
  provider = await startSandboxProvider({ port: 0 });
  rig = await SluiceRig.create(provider.url);
  sluice = await rig.startProcess();
  admin = consoleClient(sluice.url, (await loginAdmin(rig, { isSuper: false })).cookie);
  superAdmin = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
});

afterAll(async () => {
  await rig?.close();
  await provider?.stop();
});

/** A request id of this moment, as the relay generates them. */
function requestIdAt(atMs: number): TraceRow["requestId"] {
  return Bun.randomUUIDv7("hex", atMs) as TraceRow["requestId"];
}

async function insert(rows: readonly Partial<TraceRow>[]): Promise<TraceRow[]> {
  const whole = rows.map((row) => {
    const startedAtMs = row.startedAtMs ?? Date.now();
    return traceRowOf({ day: utcDay(startedAtMs), requestId: requestIdAt(startedAtMs), startedAtMs, ...row });
  });
  await createMissingPartitions(
    rig.db,
    "trace_record",
    whole.map(({ day }) => day),
  );
  await commitTraces(rig.db, whole.map(toSpooledTrace));
  return whole;
}

async function find(query: Record<string, string>): Promise<Listed[]> {
  const { status, body } = await admin.get("/backend/admin/trace/list/", { limit: "100", ...query });
  expect([status, body["error"]]).toEqual([200, undefined]);
  return body["traces"] as Listed[];
}

const idsOf = (rows: readonly { request_id: string }[]): string[] => rows.map(({ request_id: id }) => id);
const idsOfRows = (rows: readonly TraceRow[]): string[] => rows.map(({ requestId }) => requestId);
const oldestLast = (rows: readonly TraceRow[]): string[] => idsOfRows(rows).reverse();

type Caller = UserLogin & { readonly apiKey: string };

async function enter(): Promise<Caller> {
  const login = await loginUser(rig, { quota: 1_000_000_000n });
  return { ...login, apiKey: await createApiKey(rig.db, login.gatewayUserId, "mine") };
}

/** Makes a call and waits until its trace and its payload are in the database. */
async function callAs(apiKey: string, body: Record<string, unknown>): Promise<{ requestId: string; day: string }> {
  const { requestId } = await chat({ url: sluice.url, apiKey }, { model: "gpt-4o-mini", max_tokens: 5, ...body });
  for (const deadline = Date.now() + patienceMs; ; ) {
    const [row] = await rig.db.sql<{ day: string; is_whole: boolean }>`
      select t.day::text as day, t.payload <> 'stored' or r.day is not null as is_whole
      from trace_record t left join payload_record r using (day, request_id) where request_id = ${requestId}::uuid`;
    if (row?.is_whole === true) {
      return { requestId: requestId ?? "", day: row.day };
    }
    if (Date.now() > deadline) {
      throw new Error(`the trace of ${requestId} did not come`);
    }
    await Bun.sleep(20);
  }
}

const read = (call: { requestId: string }, said: Record<string, unknown> = { reason }, as = superAdmin) =>
  as.post("/backend/admin/trace/payload/", { request_id: call.requestId, ...said });

async function linkCount(): Promise<number> {
  const [row] = await rig.db.sql<{ count: number }>`select count(*)::int as count from payload_access`;
  return row?.count ?? 0;
}

describe("the search", () => {
  const base = Date.now() - 3 * 86_400_000;
  let rows: TraceRow[];
  const gatewayUserId = 990_001n as TraceRow["gatewayUserId"];

  beforeAll(async () => {
    rows = await insert(
      Array.from({ length: 60 }, (_, index) => ({
        startedAtMs: base + index * 3_600_000,
        gatewayUserId: index % 2 === 0 ? gatewayUserId : (990_002n as TraceRow["gatewayUserId"]),
        model: index % 3 === 0 ? "search-a" : "search-b",
        status: index % 10 === 0 ? ("failed" as const) : ("completed" as const),
        httpStatus: index % 10 === 0 ? 502 : 200,
        errorCode: index % 10 === 0 ? (index % 20 === 0 ? "upstream_failed" : "rate_limited") : null,
        // Some took as long as others.
        durationMs: ((index * 7) % 5) * 1_000,
        payload: "none" as const,
      })),
    );
  });

  test.each<[string, Record<string, string>, (row: TraceRow) => boolean]>([
    ["user", { gateway_user_id: "990001" }, (row) => row.gatewayUserId === 990_001n],
    ["model", { model: "search-a" }, (row) => row.model === "search-a"],
    [
      "model and status",
      { model: "search-b", status: "failed" },
      (row) => row.status === "failed" && row.model === "search-b",
    ],
    ["the code of their error", { error_code: "upstream_failed" }, (row) => row.errorCode === "upstream_failed"],
    [
      "error and user",
      { error_code: "upstream_failed", gateway_user_id: "990001" },
      (row) => row.errorCode === "upstream_failed" && row.gatewayUserId === 990_001n,
    ],
    ["user and HTTP status", { gateway_user_id: "990001", http_status: "502" }, (row) => row.httpStatus === 502],
    [
      "model, user and status",
      { model: "search-a", gateway_user_id: "990002", status: "completed" },
      (row) => row.model === "search-a" && row.gatewayUserId === 990_002n && row.status === "completed",
    ],
  ])("finds calls by %s, newest first", async (_what, query, isMeant) => {
    expect(idsOf(await find(query))).toEqual(oldestLast(rows.filter(isMeant)));
  });

  test("finds calls in a time range, including the first moment and excluding the last", async () => {
    const [from, to] = [rows[7], rows[31]].map((row) => row?.startedAtMs ?? 0);
    const query = {
      gateway_user_id: "990001",
      from: new Date(from ?? 0).toISOString(),
      to: new Date(to ?? 0).toISOString(),
    };
    const meant = rows.slice(7, 31).filter((row) => row.gatewayUserId === gatewayUserId);
    expect(idsOf(await find(query))).toEqual(oldestLast(meant));
  });

  test("returns every call once when it is read page by page, while new ones come", async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const more: Record<string, string> = cursor === null ? {} : { cursor };
      const { body } = await admin.get("/backend/admin/trace/list/", {
        gateway_user_id: "990001",
        limit: "7",
        ...more,
      });
      seen.push(...idsOf(body["traces"] as Listed[]));
      cursor = body["next_cursor"] as string | null;
      await insert([{ gatewayUserId, payload: "none" }]);
    } while (cursor !== null);
    expect(seen).toEqual(oldestLast(rows.filter((row) => row.gatewayUserId === gatewayUserId)));
  });

  test("sorts the calls of at most a day by duration, page by page, and those of the last day by default", async () => {
    const others = rows.filter((row) => row.gatewayUserId !== gatewayUserId);
    const longest = (those: readonly TraceRow[]): string[] =>
      idsOfRows(
        [...those].sort(
          (one, other) => other.durationMs - one.durationMs || (one.requestId < other.requestId ? 1 : -1),
        ),
      );
    const [from, to] = [rows[5], rows[29]].map((row) => new Date(row?.startedAtMs ?? 0).toISOString());
    const day = { gateway_user_id: "990002", from: from ?? "", to: to ?? "" };
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const more: Record<string, string> = cursor === null ? {} : { cursor };
      const { body } = await admin.get("/backend/admin/trace/list/", {
        ...day,
        sort: "-duration_ms",
        limit: "5",
        ...more,
      });
      seen.push(...idsOf(body["traces"] as Listed[]));
      cursor = body["next_cursor"] as string | null;
    } while (cursor !== null);
    const meant = others.filter(
      ({ startedAtMs }) => startedAtMs < Date.parse(to ?? "") && startedAtMs >= Date.parse(from ?? ""),
    );
    expect(seen).toEqual(longest(meant));
    expect(idsOf(await find({ ...day, sort: "duration_ms" }))).toEqual(longest(meant).reverse());
    const latest = others.filter(({ startedAtMs }) => startedAtMs >= Date.now() - 86_400_000);
    expect(idsOf(await find({ gateway_user_id: "990002", sort: "-duration_ms" }))).toEqual(longest(latest));
    const refused = await admin.get("/backend/admin/trace/list/", {
      sort: "-duration_ms",
      from: new Date(base).toISOString(),
    });
    expect(codeOf(refused)).toEqual([400, "invalid_parameter"]);
  });

  test("finds one call by its request id alone, unless it does not match the other conditions", async () => {
    const one = rows[5]?.requestId ?? "";
    expect(await find({ request_id: one, channel_id: "1" })).toEqual([]);
    expect(await find({ request_id: one, error_code: "upstream_failed" })).toEqual([]);
    expect(idsOf(await find({ request_id: one }))).toEqual([one]);
    expect(await find({ request_id: one, model: "search-a" })).toEqual([]);
    expect(await find({ request_id: crypto.randomUUID() })).toEqual([]);
  });

  test("refuses invalid cursors, times and statuses", async () => {
    for (const query of [
      { cursor: "x" },
      { from: "yesterday" },
      { http_status: "999" },
      { status: "odd" },
      { odd: "1" },
    ]) {
      expect(codeOf(await admin.get("/backend/admin/trace/list/", query as Record<string, string>))).toEqual([
        400,
        "invalid_parameter",
      ]);
    }
  });
});

describe("one call", () => {
  test("is shown with its user, its key, what was charged and every attempt at it, but without its bodies", async () => {
    const user = await enter();
    const secret = `prompt-${crypto.randomUUID()}`;
    const made = await callAs(user.apiKey, { messages: [{ role: "user", content: secret }] });
    await rig.waitForUsageRows(1);
    const { status, body } = await admin.get("/backend/admin/trace/detail/", { request_id: made.requestId });
    expect(status).toBe(200);
    expect(body["trace"]).toMatchObject({
      user_id: Number(user.userId),
      email: user.email,
      key_name: "mine",
      model: "gpt-4o-mini",
      status: "completed",
      payload: "stored",
    });
    expect(body["usage"]).toMatchObject({ channel: "first", outcome: "completed", rate_multiplier: "1.0000" });
    expect(body["attempts"]).toEqual([expect.objectContaining({ channel: "first", status: 200, result: "answered" })]);
    expect(body["payload"]).toMatchObject({ is_request_truncated: false, is_response_truncated: false });
    expect(JSON.stringify(body)).not.toContain(secret);
    const [channel] = await rig.db.sql<{ id: string }>`select id::text from channel where name = 'first'`;
    const ofUser = { email: user.email.toUpperCase() };
    for (const query of [ofUser, { ...ofUser, channel_id: channel?.id ?? "" }]) {
      expect(idsOf(await find(query))).toEqual([made.requestId]);
      expect(idsOf(await find({ ...query, request_id: made.requestId }))).toEqual([made.requestId]);
    }
    expect(await find({ ...ofUser, channel_id: "999999" })).toEqual([]);
  });

  test("is found by the name of its key, with the user's e-mail if others have such a key", async () => {
    const user = await enter();
    const other = await enter();
    const name = `key of ${user.email}`;
    const rename = (of: typeof user) =>
      rig.db.sql`update api_key set name = ${name} where gateway_user_id = ${of.gatewayUserId}::bigint`;
    const made = await callAs(user.apiKey, {});
    await rig.waitForUsageRows(1);
    await rename(user);
    expect(idsOf(await find({ key_name: name }))).toEqual([made.requestId]);
    expect(await find({ key_name: `${name}?` })).toEqual([]);
    await rename(other);
    expect(codeOf(await admin.get("/backend/admin/trace/list/", { key_name: name }))).toEqual([
      400,
      "invalid_parameter",
    ]);
    expect(idsOf(await find({ key_name: name, email: user.email }))).toEqual([made.requestId]);
    expect(await find({ key_name: name, email: other.email })).toEqual([]);
  });

  test("that does not exist is not found", async () => {
    for (const requestId of [requestIdAt(Date.now()), requestIdAt(2 ** 48 - 1), requestIdAt(0)]) {
      expect(codeOf(await admin.get("/backend/admin/trace/detail/", { request_id: requestId }))[1]).toBe("not_found");
      expect(codeOf(await read({ requestId }))).toEqual([404, "not_found"]);
    }
  });

  test("of a key that keeps no bodies leaves its metadata only", async () => {
    const user = await enter();
    await rig.db
      .sql`update api_key set is_payload_traced = false where gateway_user_id = ${user.gatewayUserId}::bigint`;
    // The replica learns of it.
    for (const deadline = Date.now() + patienceMs; ; ) {
      const made = await callAs(user.apiKey, {});
      const [row] = await find({ request_id: made.requestId });
      if (row?.payload === "off") {
        expect(codeOf(await read(made))).toEqual([404, "payload_not_stored"]);
        break;
      }
      expect(Date.now()).toBeLessThan(deadline);
    }
  });
});

describe("a payload", () => {
  let user: Caller;
  const prompt = `what is ${crypto.randomUUID()}`;
  let made: { requestId: string; day: string };

  beforeAll(async () => {
    user = await enter();
    made = await callAs(user.apiKey, { messages: [{ role: "user", content: prompt }] });
  });

  test("is shown to a super-admin with a reason, after the access was recorded", async () => {
    const before = await linkCount();
    const { status, body } = await read(made);
    expect(status).toBe(200);
    const { request, response, access } = body as {
      request: { encoding: string; content: string; bytes: number; is_truncated: boolean };
      response: { content: string; is_truncated: boolean };
      access: { number: number; hash: string };
    };
    expect(JSON.parse(request.content)).toMatchObject({ messages: [{ role: "user", content: prompt }] });
    expect([request.encoding, request.bytes, request.is_truncated]).toEqual(["text", request.content.length, false]);
    expect(JSON.parse(response.content)).toHaveProperty("choices");
    expect(access.number).toBe(before + 1);
    const list = await admin.get("/backend/admin/trace/access/list/", { request_id: made.requestId });
    expect(list.body["accesses"]).toEqual([expect.objectContaining({ ...access, reason, request_id: made.requestId })]);
    const detail = await admin.get("/backend/admin/trace/detail/", { request_id: made.requestId });
    expect(detail.body["accesses"]).toEqual([expect.objectContaining({ number: access.number })]);
    await sluice.logged(access.hash);
  });

  test.each([
    ["nothing", {}],
    ["an empty text", { reason: "" }],
    ["spaces", { reason: "          " }],
    ["three letters", { reason: "why" }],
    ["invisible characters", { reason: "\u200b\u202e\u3164\u2800\u00ad\u2060\u0007\ufe0f" }],
  ])("is refused without a reason: %s", async (_what, said) => {
    const before = await linkCount();
    expect(codeOf(await read(made, said))).toEqual([400, "reason_required"]);
    expect(await linkCount()).toBe(before);
  });

  test("is refused to an admin, to its own user and to anonymous callers", async () => {
    const before = await linkCount();
    const callers = [admin, consoleClient(sluice.url, user.cookie), consoleClient(sluice.url, null)];
    const codes = await Promise.all(callers.map(async (as) => codeOf(await read(made, { reason }, as)).join(" ")));
    expect(codes).toEqual(["403 super_admin_required", "401 unauthenticated", "401 unauthenticated"]);
    expect(await linkCount()).toBe(before);
  });

  test("is refused when the login is too old", async () => {
    const late = await loginAdmin(rig);
    await rig.db.sql`
      update session set created_at = now() - interval '61 minutes' where admin_id = ${late.adminId}::bigint`;
    expect(codeOf(await read(made, { reason }, consoleClient(sluice.url, late.cookie)))).toEqual([
      403,
      "step_up_required",
    ]);
  });

  test("is not shown when the access can't be recorded", async () => {
    const before = await linkCount();
    await rig.db.withTransaction(async (tx) => {
      await tx.sql`select * from payload_access_head for update`;
      const answer = await read(made);
      expect(codeOf(answer)).toEqual([503, "audit_unavailable"]);
      expect(JSON.stringify(answer.body)).not.toContain(prompt);
    });
    expect(await linkCount()).toBe(before);
    expect((await read(made)).status).toBe(200);
  });

  test("that was altered is not shown, and the attempt is in the records", async () => {
    const broken = await callAs(user.apiKey, { messages: [{ role: "user", content: prompt }] });
    await rig.db.sql`
      update payload_segment s set sealed = overlay(sealed placing '\\xff01'::bytea from r.byte_offset + 40)
      from payload_record r where r.request_id = ${broken.requestId}::uuid and s.segment_id = r.segment_id and s.day = r.day`;
    const before = await linkCount();
    expect(codeOf(await read(broken))).toEqual([500, "decrypt_failed"]);
    expect(await linkCount()).toBe(before + 1);
    await sluice.logged("trace.payload_broken");
  });

  test("is shown to one admin no more often per hour than the setting allows, even to simultaneous requests", async () => {
    const setting = { name: "trace.payload_reads_per_hour", value: 3, version: 0 };
    expect((await superAdmin.post("/backend/admin/settings/save/", setting)).status).toBe(200);
    const one = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
    const answers = await Promise.all(Array.from({ length: 8 }, () => read(made, { reason }, one)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter((answer) => codeOf(answer)[1] === "too_many_attempts")).toHaveLength(5);
    const other = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
    expect((await read(made, { reason }, other)).status).toBe(200);
  });
});

describe("the chain of accesses", () => {
  const check = async (): Promise<string[]> => {
    const { body } = await admin.get("/backend/admin/trace/access/check/");
    const findings = body["findings"] as { finding: string; link_number: number }[];
    expect(body["holds"]).toBe(findings.length === 0);
    return findings.map(({ finding, link_number: number }) => `${finding}: ${number}`);
  };

  /** Changes the chain as the owner of the database, returns the result of the check, and undoes the change. */
  async function foundAfter(...statements: string[]): Promise<string[]> {
    const kept = await rig.db.sql<{ rows: string; head: string }>`
      select (select jsonb_agg(a)::text from payload_access a) as rows,
        (select jsonb_agg(h)::text from payload_access_head h) as head`;
    for (const statement of statements) {
      await rig.db.query(statement, []);
    }
    const found = await check();
    await rig.db.sql`delete from payload_access`;
    await rig.db.sql`delete from payload_access_head`;
    await rig.db.sql`
      insert into payload_access select * from jsonb_populate_recordset(null::payload_access, ${kept[0]?.rows ?? ""}::text::jsonb)`;
    await rig.db.sql`
      insert into payload_access_head
      select * from jsonb_populate_recordset(null::payload_access_head, ${kept[0]?.head ?? ""}::text::jsonb)`;
    return found;
  }

  test("is intact, and reports an altered, a missing and a forged link", async () => {
    const last = await linkCount();
    expect(last).toBeGreaterThan(4);
    expect(await check()).toEqual([]);
    expect(await foundAfter("update payload_access set reason = 'another one' where number = 2")).toEqual([
      "the link was altered: 2",
    ]);
    expect(await foundAfter("delete from payload_access where number = 3")).toEqual([
      "the audit log knows the link as another, or it is gone: 3",
      "links before this one are gone: 4",
    ]);
    expect(await foundAfter(`delete from payload_access where number = ${last}`)).toEqual([
      `the chain does not end with its last link: ${last - 1}`,
      `the audit log knows the link as another, or it is gone: ${last}`,
    ]);
    // Setting back the head as well shows in the audit log.
    expect(
      await foundAfter(
        `delete from payload_access where number = ${last}`,
        `update payload_access_head h set number = a.number, hash = a.hash from payload_access a where a.number = ${last - 1}`,
      ),
    ).toEqual([`the audit log knows the link as another, or it is gone: ${last}`]);
    expect(
      await foundAfter(
        "update payload_access set reason = 'another one' where number = 2",
        "update payload_access a set hash = payload_access_hash(a) where number = 2",
      ),
    ).toEqual(expect.arrayContaining(["the link does not follow the one before: 3"]));
    expect(await check()).toEqual([]);
  });

  test("is checked by a command, which also reports a missing link that was noted elsewhere", async () => {
    const command = join(repositoryRoot, "control-plane/src/commands/check-accesses.ts");
    const run = async (...words: string[]): Promise<[number, string]> => {
      const env = { DATABASE_URL: rig.database.url };
      const program = startProgram({ command: [process.execPath, command], words, env });
      return [await program.exited, program.output()];
    };
    const { body } = await admin.get("/backend/admin/trace/access/check/");
    const { number, hash } = body["head"] as { number: number; hash: string };
    const whole = `the chain is intact and ends with link ${number}, ${hash}\n`;
    expect(await run("--expect", `${number}:${hash}`)).toEqual([0, whole]);
    const [exitCode, output] = await run("--expect", `${number}:${"0".repeat(64)}`);
    expect([exitCode, output]).toEqual([1, expect.stringContaining(`link ${number}: the expected link differs`)]);
  });
});

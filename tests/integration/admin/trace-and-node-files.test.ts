import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ApiKeyId } from "@sluice/contracts/ids";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { TraceRow } from "@sluice/control-plane/trace/model.ts";
import { commitTraces } from "@sluice/control-plane/trace/service.ts";
import { toSpooledTrace } from "@sluice/control-plane/trace/trace-row.ts";
import type { z } from "zod";
import { type ConsoleClient, codeOf, consoleClient } from "../../support/accounts/console-client.ts";
import { loginAdmin } from "../../support/accounts/logins.ts";
import { declaredEndpoints } from "../../support/admin/declared-endpoints.ts";
import { SluiceRig } from "../../support/service/sluice.ts";
import { traceRowOf } from "../../support/trace/trace-fixtures.ts";

const dayMs = 86_400_000;
let rig: SluiceRig;
let admin: ConsoleClient;
/** Ids of the calls, the oldest first: some a day, over three days, of one model. */
let ids: string[];

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  const sluice = await rig.startProcess();
  admin = consoleClient(sluice.url, (await loginAdmin(rig, { isSuper: false })).cookie);
  const { gatewayUserId } = await rig.addUser(1_000n);
  const [key] = await rig.db.sql<{ id: bigint }>`
    update api_key set name = 'walked key' where gateway_user_id = ${gatewayUserId} returning id`;
  const apiKeyId = (key?.id ?? 0n) as ApiKeyId;
  const { randomUUIDv7 } = Bun;
  const start = Date.now() - 2 * dayMs;
  const rows = Array.from({ length: 75 }, (_, i) => {
    const startedAtMs = start + Math.floor(i / 25) * dayMs - (75 - i) * 10;
    const requestId = randomUUIDv7("hex", startedAtMs) as TraceRow["requestId"];
    const status = i % 5 === 0 ? ("failed" as const) : ("completed" as const);
    const call = { day: utcDay(startedAtMs), requestId, startedAtMs, model: "walked", status };
    return traceRowOf({ ...call, gatewayUserId, apiKeyId });
  });
  await createMissingPartitions(
    rig.db,
    "trace_record",
    rows.map(({ day }) => day),
  );
  await commitTraces(rig.db, rows.map(toSpooledTrace));
  ids = rows.map(({ requestId }) => requestId as string);
  for (const [code, name, status, createdAt] of [
    ["b-node", "Alpha", "testing", "2026-01-01T00:00:00Z"],
    ["a-node", "Beta", "testing", "2026-01-02T00:00:00Z"],
    ["c-node", "=Gamma", "active", "2026-01-03T00:00:00Z"],
  ] as const) {
    await rig.db.sql`
      insert into exit_node (node_code, name, host, ip, relay_key_secret, status, created_at)
      values (${code}, ${name}, ${`${code}.example.org`}, '192.0.2.1', ${`exit_node.${code}`}, ${status}, ${createdAt})`;
  }
  await rig.db.sql`
    insert into exit_node (node_code, name, host, ip, relay_key_secret, status, archived_at)
    values ('old-node', 'Archived', 'old-node.example.org', '192.0.2.1', 'exit_node.old-node', 'disabled', now())`;
});

afterAll(() => rig?.close());

const idsOf = (rows: unknown): string[] => (rows as { request_id: string }[]).map(({ request_id: id }) => id);

describe("the list of traces", () => {
  async function walk(query: Record<string, string>): Promise<string[]> {
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const asked: Record<string, string> = { model: "walked", limit: "10", ...query };
      const { status, body } = await admin.get("/backend/admin/trace/list/", { ...asked, ...(cursor && { cursor }) });
      expect(status).toBe(200);
      found.push(...idsOf(body["traces"]));
      cursor = body["next_cursor"] as string | null;
    } while (cursor !== null);
    return found;
  }

  test("can be walked from the newest or from the oldest, and has every call once", async () => {
    expect(await walk({})).toEqual(ids.toReversed());
    expect(await walk({ sort: "-time" })).toEqual(ids.toReversed());
    expect(await walk({ sort: "time" })).toEqual(ids);
    const failed = ids.filter((_, i) => i % 5 === 0);
    expect(await walk({ sort: "time", status: "failed" })).toEqual(failed);
    const from = new Date(Date.now() - 1.5 * dayMs).toISOString();
    expect(await walk({ sort: "time", from })).toEqual(ids.slice(25));
    expect(codeOf(await admin.get("/backend/admin/trace/list/", { sort: "model" }))).toEqual([
      400,
      "invalid_parameter",
    ]);
  });
});

describe("the export of traces", () => {
  const file = (query: Record<string, string>) => admin.file("/backend/admin/trace/export/", query);

  test("contains the requested calls, in either order, as JSON and as CSV, and is recorded", async () => {
    const newest = await file({ model: "walked", format: "json" });
    expect(newest.headers.get("content-disposition")).toMatch(/^attachment; filename="traces-.*\.json"$/);
    expect(idsOf(await newest.json())).toEqual(ids.toReversed());
    const oldest = await file({ model: "walked", format: "json", sort: "time", status: "failed" });
    expect(idsOf(await oldest.json())).toEqual(ids.filter((_, i) => i % 5 === 0));
    const one = await file({ request_id: ids[3] ?? "" });
    const [head = "", line = "", ...rest] = (await one.text()).split("\r\n");
    expect([head.startsWith("request_id,day,started_at"), line.includes(ids[3] ?? "-"), rest]).toEqual([
      true,
      true,
      [""],
    ]);
    expect(head).not.toContain("payload");
    const audited = await rig.db.sql<{ after: unknown }>`
      select after from audit_log where action = 'list.export' order by id`;
    expect(audited).toHaveLength(3);
    expect(audited[0]?.after).toMatchObject({ rows: 75 });
  });
});

describe("the list of exit nodes", () => {
  test("is sorted as requested", async () => {
    const codes = async (query: Record<string, string>) => {
      const { body } = await admin.get("/backend/admin/exit-node/list/", query);
      return (body["nodes"] as { node_code: string }[]).map(({ node_code: code }) => code);
    };
    expect(await codes({})).toEqual(["a-node", "b-node", "c-node"]);
    expect(await codes({ sort: "-node_code" })).toEqual(["c-node", "b-node", "a-node"]);
    expect(await codes({ sort: "name" })).toEqual(["c-node", "b-node", "a-node"]);
    expect(await codes({ sort: "-status" })).toEqual(["b-node", "a-node", "c-node"]);
    expect(await codes({ sort: "created_at" })).toEqual(["b-node", "a-node", "c-node"]);
    const odd = await admin.get("/backend/admin/exit-node/list/", { sort: "relay_key_secret" });
    expect(codeOf(odd)).toEqual([400, "invalid_parameter"]);
  });

  test("can be exported, without secrets and without formulas", async () => {
    const answer = await admin.file("/backend/admin/exit-node/export/", { sort: "-name" });
    const text = await answer.text();
    expect(text.split("\r\n").map((line) => line.split(",")[0])).toEqual([
      "node_code",
      "a-node",
      "b-node",
      "c-node",
      "",
    ]);
    expect(text).toContain("'=Gamma");
    expect(text).not.toContain("exit_node.");
  });
});

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
const nodes = { base: "/backend/admin/exit-node/", field: "nodes", id: "node_code" } as const;
const traces = { base: "/backend/admin/trace/", field: "traces", id: "request_id" } as const;

test.each([
  [nodes, {}, 3],
  [nodes, { is_archived: "false", sort: "-status" }, 3],
  [nodes, { is_archived: "true" }, 1],
  [traces, { model: "walked" }, 75],
  [traces, { status: "failed", sort: "time" }, 15],
  [traces, { key_name: "walked key" }, 75],
  [traces, { from: hoursAgo(36) }, 50],
  [traces, { to: hoursAgo(36), sort: "time" }, 25],
  [traces, { from: hoursAgo(36), to: hoursAgo(12), status: "failed" }, 5],
])("the file of %p with %p has the rows of the list, in its order", async ({ base, field, id }, query, count) => {
  const listed = await admin.get(`${base}list/`, { ...query, ...(field === "traces" ? { limit: "100" } : {}) });
  const file = await admin.file(`${base}export/`, { ...query, format: "json" });
  const idsIn = (rows: unknown): unknown[] => (rows as Record<string, unknown>[]).map((row) => row[id]);
  const ofList = idsIn(listed.body[field]);
  expect(ofList).toHaveLength(count);
  expect(idsIn(await file.json())).toEqual(ofList);
});

test("every file can be filtered and sorted like its list", async () => {
  const endpoints = (await declaredEndpoints(rig)).filter(({ method }) => method === "GET");
  const inputs = new Map(
    endpoints.map(({ path, input }) => [path, Object.keys((input as Partial<z.ZodObject>).shape ?? {})]),
  );
  const files = [...inputs].flatMap(([path, list]) => {
    const file = inputs.get(path.replace(/list\/$/, "export/"));
    return path.endsWith("/list/") && file !== undefined ? [{ path, list, file }] : [];
  });
  expect(files.length).toBeGreaterThan(25);
  const isOfPages = (name: string): boolean => name === "cursor" || name === "limit";
  const missing = files.flatMap(({ path, list, file }) =>
    list.filter((name) => !isOfPages(name) && !file.includes(name)).map((name) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

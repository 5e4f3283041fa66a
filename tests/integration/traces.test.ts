import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TraceRow } from "@sluice/control-plane/trace/model.ts";
import { codeOf } from "../support/accounts/console-client.ts";
import { type ListedTrace, requestIdAt, TraceScene } from "../support/trace/trace-scene.ts";
import { patienceMs } from "../support/values/patience.ts";

let scene: TraceScene;

beforeAll(async () => {
  scene = await TraceScene.start();
});

afterAll(() => scene?.close());

const idsOf = (rows: readonly { request_id: string }[]): string[] => rows.map(({ request_id: id }) => id);
const idsOfRows = (rows: readonly TraceRow[]): string[] => rows.map(({ requestId }) => requestId);
const oldestLast = (rows: readonly TraceRow[]): string[] => idsOfRows(rows).reverse();

describe("the search", () => {
  const base = Date.now() - 3 * 86_400_000;
  let rows: TraceRow[];
  const gatewayUserId = 990_001n as TraceRow["gatewayUserId"];

  beforeAll(async () => {
    rows = await scene.insert(
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
    expect(idsOf(await scene.find(query))).toEqual(oldestLast(rows.filter(isMeant)));
  });

  test("finds calls in a time range, including the first moment and excluding the last", async () => {
    const [from, to] = [rows[7], rows[31]].map((row) => row?.startedAtMs ?? 0);
    const query = {
      gateway_user_id: "990001",
      from: new Date(from ?? 0).toISOString(),
      to: new Date(to ?? 0).toISOString(),
    };
    const meant = rows.slice(7, 31).filter((row) => row.gatewayUserId === gatewayUserId);
    expect(idsOf(await scene.find(query))).toEqual(oldestLast(meant));
  });

  test("returns every call once when it is read page by page, while new ones come", async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const more: Record<string, string> = cursor === null ? {} : { cursor };
      const { body } = await scene.admin.get("/backend/admin/trace/list/", {
        gateway_user_id: "990001",
        limit: "7",
        ...more,
      });
      seen.push(...idsOf(body["traces"] as ListedTrace[]));
      cursor = body["next_cursor"] as string | null;
      await scene.insert([{ gatewayUserId, payload: "none" }]);
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
      const { body } = await scene.admin.get("/backend/admin/trace/list/", {
        ...day,
        sort: "-duration_ms",
        limit: "5",
        ...more,
      });
      seen.push(...idsOf(body["traces"] as ListedTrace[]));
      cursor = body["next_cursor"] as string | null;
    } while (cursor !== null);
    const meant = others.filter(
      ({ startedAtMs }) => startedAtMs < Date.parse(to ?? "") && startedAtMs >= Date.parse(from ?? ""),
    );
    expect(seen).toEqual(longest(meant));
    expect(idsOf(await scene.find({ ...day, sort: "duration_ms" }))).toEqual(longest(meant).reverse());
    const latest = others.filter(({ startedAtMs }) => startedAtMs >= Date.now() - 86_400_000);
    expect(idsOf(await scene.find({ gateway_user_id: "990002", sort: "-duration_ms" }))).toEqual(longest(latest));
    const refused = await scene.admin.get("/backend/admin/trace/list/", {
      sort: "-duration_ms",
      from: new Date(base).toISOString(),
    });
    expect(codeOf(refused)).toEqual([400, "invalid_parameter"]);
  });

  test("finds one call by its request id alone, unless it does not match the other conditions", async () => {
    const one = rows[5]?.requestId ?? "";
    expect(await scene.find({ request_id: one, channel_id: "1" })).toEqual([]);
    expect(await scene.find({ request_id: one, error_code: "upstream_failed" })).toEqual([]);
    expect(idsOf(await scene.find({ request_id: one }))).toEqual([one]);
    expect(await scene.find({ request_id: one, model: "search-a" })).toEqual([]);
    expect(await scene.find({ request_id: crypto.randomUUID() })).toEqual([]);
  });

  test("refuses invalid cursors, times and statuses", async () => {
    for (const query of [
      { cursor: "x" },
      { from: "yesterday" },
      { http_status: "999" },
      { status: "odd" },
      { odd: "1" },
    ]) {
      expect(codeOf(await scene.admin.get("/backend/admin/trace/list/", query as Record<string, string>))).toEqual([
        400,
        "invalid_parameter",
      ]);
    }
  });
});

describe("one call", () => {
  test("is shown with its user, its key, what was charged and every attempt at it, but without its bodies", async () => {
    const user = await scene.enter();
    const secret = `prompt-${crypto.randomUUID()}`;
    const made = await scene.callAs(user.apiKey, { messages: [{ role: "user", content: secret }] });
    await scene.rig.waitForUsageRows(1);
    const { status, body } = await scene.admin.get("/backend/admin/trace/detail/", { request_id: made.requestId });
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
    const [channel] = await scene.rig.db.sql<{ id: string }>`select id::text from channel where name = 'first'`;
    const ofUser = { email: user.email.toUpperCase() };
    for (const query of [ofUser, { ...ofUser, channel_id: channel?.id ?? "" }]) {
      expect(idsOf(await scene.find(query))).toEqual([made.requestId]);
      expect(idsOf(await scene.find({ ...query, request_id: made.requestId }))).toEqual([made.requestId]);
    }
    expect(await scene.find({ ...ofUser, channel_id: "999999" })).toEqual([]);
  });

  test("is found by the name of its key, with the user's e-mail if others have such a key", async () => {
    const user = await scene.enter();
    const other = await scene.enter();
    const name = `key of ${user.email}`;
    const rename = (of: typeof user) =>
      scene.rig.db.sql`update api_key set name = ${name} where gateway_user_id = ${of.gatewayUserId}::bigint`;
    const made = await scene.callAs(user.apiKey, {});
    await scene.rig.waitForUsageRows(1);
    await rename(user);
    expect(idsOf(await scene.find({ key_name: name }))).toEqual([made.requestId]);
    expect(await scene.find({ key_name: `${name}?` })).toEqual([]);
    await rename(other);
    expect(codeOf(await scene.admin.get("/backend/admin/trace/list/", { key_name: name }))).toEqual([
      400,
      "invalid_parameter",
    ]);
    expect(idsOf(await scene.find({ key_name: name, email: user.email }))).toEqual([made.requestId]);
    expect(await scene.find({ key_name: name, email: other.email })).toEqual([]);
  });

  test("that does not exist is not found", async () => {
    for (const requestId of [requestIdAt(Date.now()), requestIdAt(2 ** 48 - 1), requestIdAt(0)]) {
      expect(codeOf(await scene.admin.get("/backend/admin/trace/detail/", { request_id: requestId }))[1]).toBe(
        "not_found",
      );
      expect(codeOf(await scene.read({ requestId }))).toEqual([404, "not_found"]);
    }
  });

  test("of a key that keeps no bodies leaves its metadata only", async () => {
    const user = await scene.enter();
    await scene.rig.db
      .sql`update api_key set is_payload_traced = false where gateway_user_id = ${user.gatewayUserId}::bigint`;
    // The replica learns of it.
    for (const deadline = Date.now() + patienceMs; ; ) {
      const made = await scene.callAs(user.apiKey, {});
      const [row] = await scene.find({ request_id: made.requestId });
      if (row?.payload === "off") {
        expect(codeOf(await scene.read(made))).toEqual([404, "payload_not_stored"]);
        break;
      }
      expect(Date.now()).toBeLessThan(deadline);
    }
  });
});

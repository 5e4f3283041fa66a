/** Clients of the Messages route on channels that speak its API: the same calls, under the other address. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import { saveMapEntry } from "../support/messages/messages-rig.ts";
import { addNativeModel } from "../support/messages/native-models.ts";
import { arrangements } from "../support/service/sluice.ts";
import { waitForSettledRows } from "../support/usage/settled-rows.ts";

const model = "claude-native";
const upstreamModel = "anthropic.claude-1:0";
/** The status of a provider, and what the client gets. Each has a model of its own, because it pauses the channel. */
const statuses = [
  [529, 529, "overloaded_error"],
  [429, 429, "rate_limit_error"],
  [401, 502, "api_error"],
  [404, 404, "not_found_error"],
] as const;

describe.each(arrangements)("the Messages route on a channel that speaks its API, %s", (arrangement) => {
  let scene: RelayScene;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      prepare: async (rig, { url: providerUrl }) => {
        await addNativeModel(rig, { name: model, providerUrl, upstreamModel });
        for (const [status] of statuses) {
          await addNativeModel(rig, { name: `fails-${status}`, providerUrl });
        }
        await saveMapEntry(rig, { name: "claude-mapped", upstream_model: model });
        await saveMapEntry(rig, { name: "strict", upstream_model: "gpt-4o-mini" });
        await saveMapEntry(rig, { name: "converted", upstream_model: "gpt-4o-mini" });
        await addNativeModel(rig, { name: "searches", providerUrl, price: { search_usd_per_k: "10" } });
        await addNativeModel(rig, { name: "strict", providerUrl, flags: { betas: ["effort-2025-11-24"] } });
      },
    });
  });
  afterEach(() => scene.provider.reset());
  afterAll(() => scene.close());

  const call = (path: string, body: string | null, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${scene.sluice.url}${path}`, {
      method: body === null ? "GET" : "POST",
      body,
      headers: { "x-api-key": scene.user.apiKey, "content-type": "application/json", ...headers },
    });
  const bodyOf = (fields: object) =>
    JSON.stringify({ model, max_tokens: 100, messages: [{ role: "user", content: "Hello" }], ...fields });
  const idOf = (answer: Response) => `req_${(answer.headers.get("x-request-id") ?? "").replaceAll("-", "")}`;

  describe("also at /msgcompat", () => {
    const compat = (fields: object = {}, headers: Record<string, string> = {}) =>
      call("/msgcompat/v1/messages", bodyOf(fields), { "anthropic-beta": "effort-2025-11-24", ...headers });

    test("send the provider every byte of the body but the name of the model, with version and betas", async () => {
      for (const name of [model, "claude-mapped", "claude-mapped[1m]"]) {
        scene.provider.reset();
        const body = `{"max_tokens":1e1, "model"\n: "${name}" ,"messages":[{"role":"user","content":"a\\u002fb"}],"x":1.0}`;
        scene.provider.script({ body: { type: "message", content: [], usage: { input_tokens: 1, output_tokens: 0 } } });
        const answer = await call("/msgcompat/v1/messages?beta=true", body, { "anthropic-version": "2026-10-21" });
        expect([answer.status, answer.headers.get("request-id")]).toEqual([200, idOf(answer)]);
        expect(answer.headers.has("x-compat-dropped")).toBe(false);
        const [sent] = scene.provider.requests;
        expect([sent?.target, sent?.body.toString()]).toEqual(["/v1/messages", body.replace(name, upstreamModel)]);
        expect(new Map(sent?.headers).get("anthropic-version")).toBe("2026-10-21");
      }
    });

    test("count tokens with the provider", async () => {
      const count = (fields: object) =>
        call("/msgcompat/v1/messages/count_tokens", bodyOf({ model: "claude-mapped", ...fields }));
      scene.provider.script({ body: { input_tokens: 4_711 } });
      const answer = await count({});
      expect([answer.status, await answer.json()]).toEqual([200, { input_tokens: 4_711 }]);
      expect(scene.provider.requests[0]?.json).toMatchObject({ model: upstreamModel });
      const refused = await count({ messages: [] });
      expect([refused.status, await refused.json()]).toMatchObject([400, { error: { type: "invalid_request_error" } }]);
      expect((await count({ model: "converted" })).status).toBe(200);
      expect(scene.provider.requests).toHaveLength(1);
    });

    test("convert what no channel speaks, and prefer a model of exactly the name", async () => {
      expect((await compat({ model: "converted" })).status).toBe(200);
      expect((await compat({ model: "strict" })).status).toBe(200);
      expect(scene.provider.requests.map(({ target }) => target)).toEqual(["/v1/chat/completions", "/v1/messages"]);
    });

    test.each([false, true])("are charged and recorded like any other call (stream %p)", async (stream) => {
      const user = await scene.rig.addUser();
      const answer = await compat({ stream, model: "claude-mapped" }, { "x-api-key": user.apiKey });
      const text = await answer.text();
      expect(text).toContain(stream ? "event: message_stop" : '"stop_reason":"end_turn"');
      expect(text).toContain('"model":"claude-mapped"');
      const [row] = await waitForSettledRows(scene.rig.db, user.gatewayUserId, 1);
      expect(row).toMatchObject({ outcome: "completed", usageSource: "provider", model });
      const requestId = answer.headers.get("x-request-id");
      await waitUntil(async () => {
        const [trace] = await scene.rig.db.sql<{ path: string; is_stream: boolean; http_status: number }>`
          select path, is_stream, http_status from trace_record where request_id = ${requestId}::uuid`;
        return trace?.path === "/msgcompat/v1/messages" && trace.is_stream === stream && trace.http_status === 200;
      });
      expect(await scene.rig.checkMoney()).toEqual([]);
    });

    test("pass errors on in the provider's words, and ours in the same form", async () => {
      const message = "prompt is too long: 210000 tokens > 200000 maximum";
      scene.provider.script({
        status: 400,
        body: { type: "error", error: { type: "invalid_request_error", message } },
      });
      const refused = await compat({ stream: true });
      expect([refused.status, await refused.json()]).toEqual([
        400,
        { type: "error", error: { type: "invalid_request_error", message }, request_id: idOf(refused) },
      ]);
      const fast = await compat({ speed: "fast" });
      expect([fast.status, fast.headers.get("request-id")]).toEqual([400, idOf(fast)]);
      const nobody = await compat({}, { "x-api-key": "sk-nobody" });
      expect([nobody.status, ((await nobody.json()) as { type: string }).type]).toEqual([401, "error"]);
    });

    test("send pings while the provider is silent, and an error as an event after them", async () => {
      scene.provider.script([
        { delayHeadMs: 11_000 },
        { delayHeadMs: 11_000, status: 400, body: { error: { message: "no" } } },
      ]);
      const [good, bad] = await Promise.all([compat({ stream: true }), compat({ stream: true })]);
      const texts = [await good.text(), await bad.text()].toSorted((one, other) => other.length - one.length);
      expect(texts[0]).toStartWith('event: ping\ndata: {"type":"ping"}\n\nevent: message_start\n');
      expect(texts[0]).toContain("event: message_stop");
      expect(texts[1]).toStartWith('event: ping\ndata: {"type":"ping"}\n\nevent: error\n');
    });

    test("owe what was read when the client leaves in the middle", async () => {
      const user = await scene.rig.addUser();
      scene.provider.script({ chunks: 200, chunkDelayMs: 20 });
      const leaving = new AbortController();
      const answer = await fetch(`${scene.sluice.url}/msgcompat/v1/messages`, {
        method: "POST",
        signal: leaving.signal,
        body: bodyOf({ stream: true }),
        headers: { "x-api-key": user.apiKey, "content-type": "application/json" },
      });
      await answer.body?.getReader().read();
      leaving.abort();
      const [row] = await waitForSettledRows(scene.rig.db, user.gatewayUserId, 1);
      expect(row).toMatchObject({ outcome: "aborted" });
      expect(row?.inputTokens).toBeGreaterThan(0n);
      expect(await scene.rig.checkMoney()).toEqual([]);
    });
  });
});

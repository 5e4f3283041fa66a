/** Clients of the Messages API on channels that speak it: byte for byte, and charged by the provider's own count. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
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

describe.each(arrangements)("the Messages API on a channel that speaks it, %s", (arrangement) => {
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
  const post = (fields: object = {}, headers: Record<string, string> = {}) =>
    call("/v1/messages", bodyOf(fields), headers);
  const idOf = (answer: Response) => `req_${(answer.headers.get("x-request-id") ?? "").replaceAll("-", "")}`;

  test("send the provider every byte of the body but the name of the model", async () => {
    const odd = fc.constantFrom(
      ...['"\\u00e9\\/"', "1.0", "1e2", "-0.0", "12345678901234567890", '"\\ud83d\\ude42"', "[ ]", "{ }", "null"],
    );
    const field = fc.tuple(fc.stringMatching(/^x_[a-z]{1,6}$/), odd, fc.constantFrom("", " ", "\n\t"));
    const bodies = fc.uniqueArray(field, { selector: ([name]) => name, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(bodies, fc.nat({ max: 6 }), async (extras, at) => {
        scene.provider.reset();
        scene.provider.script({ body: { type: "message", content: [], usage: { input_tokens: 1, output_tokens: 0 } } });
        const texts = extras.map(([name, value, space]) => `"${name}":${space}${value}${space}`);
        texts.splice(at, 0, `"model" :  "${model}"`);
        const body = `{"max_tokens": 10, ${texts.join(",")}, "messages":[{"role":"user","content":"a\\u002fb"}]}`;
        expect((await call("/v1/messages", body)).status).toBe(200);
        const sent = scene.provider.requests[0]?.body.toString();
        expect(sent).toBe(body.replace(`"${model}"`, `"${upstreamModel}"`));
      }),
      { numRuns: 25 },
    );
  });

  test("send version and betas, the channel's credential, and none of the client's", async () => {
    const beta = "effort-2025-11-24,context-management-2025-06-27";
    await post(
      {},
      { "anthropic-version": "2026-10-21", "anthropic-beta": beta, "openai-beta": "x=v1", "x-app": "cli" },
    );
    await post();
    await post({ model: "strict" }, { "anthropic-beta": beta });
    const [named, plain, strict] = scene.provider.requests.map(({ headers }) => new Map(headers));
    expect(named?.get("anthropic-version")).toBe("2026-10-21");
    expect(named?.get("anthropic-beta")).toBe(beta);
    expect(named?.get("x-api-key")).toBe(`upstream-channel-${model}`);
    expect(["authorization", "openai-beta", "x-app"].filter((name) => named?.has(name))).toEqual([]);
    expect([plain?.get("anthropic-version"), plain?.has("anthropic-beta")]).toEqual(["2023-06-01", false]);
    expect(strict?.get("anthropic-beta")).toBe("effort-2025-11-24");
    expect(scene.provider.requests[0]?.target).toBe("/v1/messages");
  });

  test.each([false, true])(
    "return the provider's bytes under our id, and under the client's name of the model (stream %p)",
    async (stream) => {
      const answer = await post({ stream, max_tokens: 1_000 });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("request-id")).toBe(idOf(answer));
      expect(answer.headers.has("x-compat-dropped")).toBe(false);
      const text = await answer.text();
      const direct = await fetch(`${scene.provider.url}/v1/messages`, {
        method: "POST",
        body: scene.provider.requests[0]?.body ?? "",
        headers: { "x-api-key": "k", "content-type": "application/json", "anthropic-version": "2023-06-01" },
      });
      const blank = (words: string) => words.replaceAll(/"msg_[A-Za-z0-9_]+"/g, "msg_");
      // Agents drop the thinking of another model than theirs.
      expect(blank(text)).toBe(blank(await direct.text()).replace(`"${upstreamModel}"`, `"${model}"`));
      expect(text).toContain(stream ? "event: message_stop" : '"stop_reason"');
    },
  );

  test.each([false, true])("are charged by three counts of input that do not overlap (stream %p)", async (stream) => {
    const user = await scene.rig.addUser();
    const tokens = { prompt: 2_000, cached: 1_500, written5m: 300, written1h: 100, completion: 80, reasoning: 30 };
    scene.provider.script({ tokens, text: "four words of text" });
    const answer = await post({ stream, max_tokens: 2_000 }, { "x-api-key": user.apiKey });
    const text = await answer.text();
    expect(text).toContain('"input_tokens":100');
    const [row] = await waitForSettledRows(scene.rig.db, user.gatewayUserId, 1);
    expect(row).toMatchObject({ outcome: "completed", usageSource: "provider", inputTokens: 2_000n });
    expect(row).toMatchObject({ cacheReadTokens: 1_500n, cacheWriteTokens: 300n, cacheWrite1hTokens: 100n });
    expect(row?.outputTokens).toBe(80n);
    // In 10^-8 USD for a token: 300 fresh, 30 read, 375 and 600 written, 1,500 of output; 500,000 quota are a USD.
    const cost = 100n * 300n + 1_500n * 30n + 300n * 375n + 100n * 600n + 80n * 1_500n;
    expect(row?.quota).toBe((cost * 500_000n + 10n ** 8n - 1n) / 10n ** 8n);
    expect(await scene.rig.checkMoney()).toEqual([]);
  });

  test.each([false, true])(
    "search the web if the model has a price for it, and pay each search (stream %p)",
    async (stream) => {
      const user = await scene.rig.addUser();
      const tools = [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }];
      const headers = { "x-api-key": user.apiKey };
      const refused = await post({ tools }, headers);
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("no price for one")]);
      expect(scene.provider.requests).toHaveLength(0);
      scene.provider.script({ tokens: { prompt: 100, completion: 20, searches: 2 }, text: "four words of text" });
      const answer = await post({ model: "searches", tools, stream, max_tokens: 1_000 }, headers);
      expect(await answer.text()).toContain('"web_search_requests":2');
      const rows = await waitForSettledRows(scene.rig.db, user.gatewayUserId, 2);
      const row = rows.find(({ outcome }) => outcome === "completed");
      // 100 x 3 and 20 x 15 millionths of a USD, at half a quota each, and two cents.
      expect(row).toMatchObject({ searches: 2, inputTokens: 100n, quota: 300n + 10_000n });
      expect(await scene.rig.checkMoney()).toEqual([]);
    },
  );

  test("hold what a search can cost, and are refused without a limit of searches", async () => {
    const search = { type: "web_search_20250305", name: "web_search" };
    const unlimited = await post({ model: "searches", tools: [search] });
    expect([unlimited.status, await unlimited.json()]).toMatchObject([
      400,
      {
        error: { type: "invalid_request_error", message: expect.stringContaining("tools.0.max_uses: Field required") },
      },
    ]);
    expect(scene.provider.requests).toHaveLength(0);
    // Each of two searches reads a conversation that fills the model's context again.
    const user = await scene.rig.addUser();
    const tokens = { prompt: 3 * 200_000, completion: 1_000, searches: 2 };
    scene.provider.script({ tokens, text: "four words of text" });
    const tools = [{ ...search, max_uses: 2 }];
    await post({ model: "searches", tools, max_tokens: 1_000 }, { "x-api-key": user.apiKey });
    const [row] = await waitForSettledRows(scene.rig.db, user.gatewayUserId, 1);
    expect(row).toMatchObject({ searches: 2, inputTokens: 600_000n, outputTokens: 1_000n });
    expect(row?.quota).toBeLessThanOrEqual(row?.quotaHeld ?? 0n);
  });

  test("that are cut owe what the provider had read and written, and never look complete", async () => {
    const user = await scene.rig.addUser();
    const tokens = { prompt: 2_000, cached: 1_500, completion: 80 };
    scene.provider.script({ tokens, text: "four words of text", cut: { afterChunks: 5, with: "rst" } });
    const answer = await post({ stream: true }, { "x-api-key": user.apiKey });
    const pieces: string[] = [];
    const read = async () => {
      for await (const piece of answer.body ?? []) {
        pieces.push(Buffer.from(piece as Uint8Array).toString());
      }
    };
    expect(await read().catch(() => "broken")).toBe("broken");
    const text = pieces.join("");
    expect(text).not.toContain("message_stop");
    const error = {
      type: "error",
      error: { type: "api_error", message: expect.any(String) },
      request_id: idOf(answer),
    };
    expect(JSON.parse(/event: error\ndata: (.*)\n\n$/.exec(text)?.[1] ?? "")).toEqual(error);
    const [row] = await waitForSettledRows(scene.rig.db, user.gatewayUserId, 1);
    expect(row).toMatchObject({ outcome: "failed", inputTokens: 2_000n, cacheReadTokens: 1_500n });
    expect(row?.outputTokens).toBeGreaterThan(0n);
    expect(await scene.rig.checkMoney()).toEqual([]);
  });

  describe("errors are in the form of the Messages API, under our id", () => {
    const errorOf = async (answer: Response): Promise<Record<string, unknown>> => {
      const body = (await answer.json()) as { type: string; request_id: string; error: Record<string, unknown> };
      expect([body.type, body.request_id]).toEqual(["error", idOf(answer)]);
      expect(answer.headers.get("request-id")).toBe(idOf(answer));
      return { status: answer.status, ...body.error };
    };

    test("for our own refusals", async () => {
      const key = { "x-api-key": "sk-none" };
      expect(await errorOf(await post({}, key))).toMatchObject({ status: 401, type: "authentication_error" });
      const unknown = await errorOf(await post({ model: "unknown" }));
      expect(unknown).toEqual({ status: 404, type: "not_found_error", message: "model: unknown" });
      const missing = await errorOf(await post({ max_tokens: undefined }));
      expect(missing).toEqual({ status: 400, type: "invalid_request_error", message: "max_tokens: Field required" });
      expect(await errorOf(await post({ speed: "fast" }))).toMatchObject({
        status: 400,
        type: "invalid_request_error",
      });
      const thread = await errorOf(await post({ thread: { type: "create" } }));
      expect(thread["details"]).toEqual({ error_code: "thread_unsupported_request", unsupported: [] });
      expect(await errorOf(await call("/v1/messages", null))).toMatchObject({ status: 405 });
      const poor = await scene.rig.addUser(1n);
      expect(await errorOf(await post({}, { "x-api-key": poor.apiKey }))).toMatchObject({
        status: 402,
        type: "billing_error",
      });
      expect(scene.provider.requests).toHaveLength(0);
    });

    test.each([
      "prompt is too long: 210000 tokens > 200000 maximum",
      "input length and `max_tokens` exceed context limit: 150000 + 64000 > 200000, decrease input length or `max_tokens` and try again",
      "messages.0.content.0: `thinking` blocks cannot be modified",
    ])("with the provider's words where the request is at fault: %s", async (message) => {
      const error = { type: "error", error: { type: "invalid_request_error", message } };
      scene.provider.script({ status: 400, body: error });
      expect(await errorOf(await post())).toEqual({ status: 400, type: "invalid_request_error", message });
    });

    test.each(statuses)("with a status that says who is at fault: %i is %i", async (upstream, status, type) => {
      scene.provider.script({ status: upstream, retryAfter: 2 });
      const answer = await post({ model: `fails-${upstream}` });
      expect(await errorOf(answer)).toMatchObject({ status, type });
      if (status === 429) {
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(2);
      }
    });
  });

  describe("on a channel of chat completions", () => {
    const other = { model: "gpt-4o-mini", max_tokens: 1_000 };
    const weather = { name: "weather", input_schema: { type: "object", properties: { city: { type: "string" } } } };

    test("are converted, whole", async () => {
      const user = await scene.rig.addUser();
      scene.provider.script({ text: "Good morning.", tokens: { prompt: 30, cached: 10, completion: 7 } });
      const answer = await post({ ...other, system: "Be kind." }, { "x-api-key": user.apiKey });
      expect(await answer.json()).toMatchObject({
        type: "message",
        model: "gpt-4o-mini",
        content: [{ type: "text", text: "Good morning." }],
        stop_reason: "end_turn",
        usage: { input_tokens: 20, cache_read_input_tokens: 10, output_tokens: 7 },
      });
      expect(answer.headers.get("request-id")).toBe(idOf(answer));
      const [sent] = scene.provider.requests;
      expect(sent?.target).toBe("/v1/chat/completions");
      expect(sent?.json).toMatchObject({ max_tokens: 1_000, messages: [{ role: "system" }, { role: "user" }] });
      const [row] = await waitForSettledRows(scene.rig.db, user.gatewayUserId, 1);
      expect(row).toMatchObject({ usageSource: "provider", inputTokens: 30n, cacheReadTokens: 10n, outputTokens: 7n });
      expect(await scene.rig.checkMoney()).toEqual([]);
    });

    test("are converted as a stream with tools, whose end comes last", async () => {
      scene.provider.script({ text: "Let me see.", toolCalls: [{ name: "weather", arguments: { city: "Rome" } }] });
      const answer = await post({ ...other, stream: true, tools: [weather] });
      const text = await answer.text();
      const types = [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
      expect(types[0]).toBe("message_start");
      expect(types.slice(-2)).toEqual(["message_delta", "message_stop"]);
      expect(text).toContain('"stop_reason":"tool_use"');
      expect(text).toContain(String.raw`{\"city\":\"Rome\"}`);
    });

    test("that are cut end with an error and not with a complete message", async () => {
      scene.provider.script({ chunks: 20, cut: { afterChunks: 8, with: "rst" } });
      const answer = await post({ ...other, stream: true });
      const pieces: string[] = [];
      const read = async () => {
        for await (const piece of answer.body ?? []) {
          pieces.push(Buffer.from(piece as Uint8Array).toString());
        }
      };
      await read().catch(() => undefined);
      expect(pieces.join("")).toContain("event: error");
      expect(pieces.join("")).not.toContain("message_stop");
    });

    test("are refused where they can't be converted", async () => {
      const image = { type: "tool_result", tool_use_id: "none", content: "x" };
      const answer = await post({ ...other, messages: [{ role: "user", content: [image] }] });
      expect([answer.status, ((await answer.json()) as { error: { type: string } }).error.type]).toEqual([
        400,
        "invalid_request_error",
      ]);
      expect(scene.provider.requests).toHaveLength(0);
    });

    test.each([false, true])("that only fill a cache are answered here, for free (stream %p)", async (stream) => {
      const user = await scene.rig.addUser();
      const answer = await post({ ...other, max_tokens: 0, stream }, { "x-api-key": user.apiKey });
      expect([answer.status, answer.headers.get("request-id")]).toEqual([200, idOf(answer)]);
      const text = await answer.text();
      expect(text).toContain(stream ? "event: message_stop" : '"content":[]');
      expect(text).toContain('"stop_reason":"max_tokens"');
      expect(scene.provider.requests).toHaveLength(0);
      // What was set aside is free again: the call has no row.
      expect((await post({ ...other }, { "x-api-key": user.apiKey })).status).toBe(200);
      const rows = await waitForSettledRows(scene.rig.db, user.gatewayUserId, 1);
      expect(rows).toHaveLength(1);
      expect(await scene.rig.checkMoney()).toEqual([]);
    });
  });

  describe("tokens are counted for free", () => {
    const count = (fields: object = {}, headers: Record<string, string> = {}) =>
      call("/v1/messages/count_tokens", bodyOf({ max_tokens: undefined, ...fields }), headers);
    const counted = async (answer: Response) => {
      expect([answer.status, answer.headers.get("request-id")]).toEqual([200, idOf(answer)]);
      return ((await answer.json()) as { input_tokens: number }).input_tokens;
    };

    test("by the provider, with the bytes of the client", async () => {
      const user = await scene.rig.addUser(0n);
      scene.provider.script({ body: { input_tokens: 4_711 } });
      expect(await counted(await count({}, { "x-api-key": user.apiKey }))).toBe(4_711);
      const [sent] = scene.provider.requests;
      expect(sent?.target).toBe("/v1/messages/count_tokens");
      expect(sent?.body.toString()).toBe(bodyOf({ max_tokens: undefined }).replace(model, upstreamModel));
      const [row] = await waitForSettledRows(scene.rig.db, user.gatewayUserId, 1);
      expect(row).toMatchObject({ usageSource: "none", quota: 0n, quotaHeld: 0n });
      expect(await scene.rig.checkMoney()).toEqual([]);
    });

    test.each([404, 429, 500, 529])("by us where the provider does not count: %i", async (status) => {
      scene.provider.script({ status });
      expect(await counted(await count())).toBeGreaterThan(1);
      // The channel is not paused for calls.
      expect((await post()).status).toBe(200);
    });

    test("by us where no channel speaks this API", async () => {
      const long = { messages: [{ role: "user", content: "four words of text ".repeat(100) }] };
      const tokens = await counted(await count({ model: "gpt-4o-mini", ...long }));
      expect(tokens).toBeGreaterThan(200);
      expect(tokens).toBeLessThan(1_000);
      expect(scene.provider.requests).toHaveLength(0);
    });

    test("unless the request is wrong, too large, or for an unknown model", async () => {
      const message = "messages.0.content: Input should be a valid list";
      scene.provider.script({
        status: 400,
        body: { type: "error", error: { type: "invalid_request_error", message } },
      });
      expect(await (await count()).json()).toMatchObject({ error: { message } });
      expect((await count({ model: "unknown" })).status).toBe(404);
      expect((await count({ messages: [] })).status).toBe(400);
      const large = { messages: [{ role: "user", content: "a".repeat(4 * 1024 * 1024) }] };
      expect((await count(large)).status).toBe(413);
    });
  });

  test.each([
    "/v1/messages/batches",
    "/v1/messages/batches/b_1/results",
    "/msgcompat/v1/messages/batches",
    "/msgcompat/v1/files",
  ])("refuse what is kept in the provider's account: %s", async (path) => {
    const answer = await call(path, "{}");
    const error = { type: "invalid_request_error", message: "This is not offered here." };
    expect([answer.status, await answer.json()]).toEqual([403, { type: "error", error, request_id: idOf(answer) }]);
    expect(scene.provider.requests).toHaveLength(0);
  });
});

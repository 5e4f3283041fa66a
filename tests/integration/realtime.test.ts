import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { RealtimeClient, type RealtimeClientOptions, tryHandshake } from "../support/calls/realtime-client.ts";
import { addModelWithChannel, type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import { arrangements, type TestUser } from "../support/service/sluice.ts";

type Row = { request_id: string; outcome: string; quota: bigint; usage_source: string; input_tokens: bigint };

/** What a provider may do to a handshake, each on a separate channel. */
const refusals = [
  { behaviour: { status: 401 }, status: 502, code: "upstream_error", retryAfter: /^1[45]$/ },
  { behaviour: { status: 429, retryAfter: 7 }, status: 429, code: "upstream_rate_limited", retryAfter: /^[789]$/ },
  { behaviour: { status: 500 }, status: 502, code: "upstream_error", retryAfter: /^none$/ },
  { behaviour: { neverAnswer: true }, status: 502, code: "upstream_unreachable", retryAfter: /^none$/ },
  { behaviour: { status: 200, body: { ok: true } }, status: 502, code: "upstream_error", retryAfter: /^none$/ },
].map((refusal, index) => ({ ...refusal, model: `refused-${index}` }));

describe.each(arrangements)("a realtime session, %s", (arrangement) => {
  let scene: RelayScene;
  let url: string;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      env: { REALTIME_CONNECT_TIMEOUT_MS: "2000", REALTIME_RECHECK_MS: "200" },
      prepare: async (rig, provider) => {
        await rig.addFlatPriceModel("flat", 1_000n);
        const sound = {
          input_usd_per_m: "32",
          output_usd_per_m: "64",
          cache_read_usd_per_m: "0.4",
          second_usd: "0.0001",
        };
        await rig.addTokenPriceModel("voice", sound);
        for (const { model } of refusals) {
          await addModelWithChannel(rig, model, `${provider.url}/v1`);
        }
        await addModelWithChannel(rig, "spare", "http://127.0.0.1:1/v1");
        await rig.addChannel("behind", `${provider.url}/v1`, ["spare"]);
      },
    });
    url = `${scene.sluice.url}/v1/realtime`;
  });

  afterAll(async () => {
    await scene.close();
  });

  beforeEach(() => scene.provider.reset());

  const authorized = ({ apiKey }: TestUser) => ({ headers: { authorization: `Bearer ${apiKey}` } });

  const open = (model = "gpt-4o-mini", options: RealtimeClientOptions = authorized(scene.user)) =>
    RealtimeClient.open(`${url}?model=${model}`, options);

  const rowsOf = async (user: TestUser): Promise<Row[]> => [
    ...(await scene.rig.db.sql<Row>`
      select request_id, outcome, quota, usage_source, input_tokens from usage_log
      where gateway_user_id = ${user.gatewayUserId}::bigint order by request_id`),
  ];

  const waitForRows = async (user: TestUser, count: number): Promise<Row[]> => {
    await waitUntil(async () => (await rowsOf(user)).length >= count);
    return await rowsOf(user);
  };

  const expectGoodMoney = async () => expect(await scene.rig.checkMoney()).toEqual([]);

  test("passes on both sides' frames unchanged, and gives the provider nothing of the client's", async () => {
    const client = await open("gpt-4o-mini", {
      headers: {
        ...authorized(scene.user).headers,
        "openai-beta": "realtime=v1",
        cookie: "a=b",
        "x-real-ip": "1.2.3.4",
      },
    });
    expect(client.subprotocol).toBe("");
    const odd = '{ "type" : "session.update",\n"session":{"instructions":"\\u00e9 é \\ud83d\\ude00"}}';
    client.send(odd);
    await client.next("session.updated");
    await client.say("hello");
    await client.close();
    const record = await scene.provider.waitForCancel(0);
    expect(record.messages[0]).toBe(odd);
    expect(record.credential).toBe("upstream-first");
    const names = record.headers.map(([name]) => name).toSorted();
    expect(names).toEqual([
      "accept-encoding",
      "authorization",
      "connection",
      "host",
      "openai-beta",
      "sec-websocket-key",
      "sec-websocket-protocol",
      "sec-websocket-version",
      "upgrade",
      "user-agent",
      "x-sluice-hops",
    ]);
    expect(record.header("sec-websocket-protocol")).toBe("realtime");
    expect(record.target).toBe("/v1/realtime?model=gpt-4o-mini");
    expect(scene.provider.totals.connections.violations).toEqual([]);
  });

  test("refuses an event that costs extra or names another model or a stored object, and continues", async () => {
    const client = await open("gpt-4o-mini");
    await client.next("session.created");
    const refused: [Record<string, unknown> | string | Buffer, string, string | null][] = [
      [
        { type: "session.update", session: { tools: [{ type: "mcp", server_label: "x" }] } },
        "unpriced_option",
        "session.tools[0].type",
      ],
      [{ type: "session.update", session: { prompt: { id: "pmpt_1" } } }, "provider_object", "session.prompt"],
      [{ type: "session.update", session: { model: "dear" } }, "invalid_value", "session.model"],
      [{ type: "session.update", Session: { tools: [] } }, "unknown_field", "Session"],
      [{ type: "response.create", response: { service_tier: "priority" } }, "unpriced_option", "response.service_tier"],
      [{ type: "response.create", response: { Tools: [] } }, "unknown_field", "response.Tools"],
      [
        { type: "conversation.item.create", item: { content: [{ type: "input_file", file_id: "f" }] } },
        "provider_object",
        "item.file_id",
      ],
      ['{"type":"session.update","type":"response.create"}', "invalid_json", null],
      ["no event", "invalid_json", null],
      [Buffer.from('{"type":"response.create"}'), "invalid_json", null],
    ];
    for (const [event, code, param] of refused) {
      client.send(
        typeof event === "string" || Buffer.isBuffer(event) ? event : JSON.stringify({ ...event, event_id: "mine" }),
      );
      const { error } = (await client.next("error")) as unknown as {
        error: { code: string; param: string; event_id: string };
      };
      expect({ event, code: error.code, param: error.param }).toEqual({ event, code, param: param as string });
      expect(error.event_id).toBe((typeof event === "string" || Buffer.isBuffer(event) ? null : "mine") as string);
    }
    const good = {
      type: "session.update",
      session: { model: "gpt-4o-mini", tools: [{ type: "function", name: "f" }] },
    };
    client.send(JSON.stringify(good));
    await client.next("session.updated");
    await client.close();
    const record = await scene.provider.waitForCancel(0);
    expect(record.messages).toEqual([JSON.stringify(good)]);
  });

  test("removes a browser's key from the subprotocols and responds with 'realtime' alone", async () => {
    const subprotocols = ["realtime", `openai-insecure-api-key.${scene.user.apiKey}`, "openai-beta.realtime-v1"];
    const client = await open("gpt-4o-mini", { subprotocols });
    expect(client.subprotocol).toBe("realtime");
    await client.next("session.created");
    await client.close();
    const record = await scene.provider.waitForCancel(0);
    expect(record.header("openai-beta")).toBe("realtime=v1");
    expect(record.headLines.join("\n")).not.toContain(scene.user.apiKey);
  });

  test("charges each response once, under an id that refers to the session", async () => {
    const user = await scene.rig.addUser();
    const client = await open("voice", authorized(user));
    await client.next("session.created");
    scene.provider.script([]);
    const usages: { input_tokens: number; output_tokens: number }[] = [];
    for (const text of ["one", "two", "three"]) {
      const { response } = (await client.say(text)) as unknown as { response: { usage: (typeof usages)[0] } };
      usages.push(response.usage);
    }
    await client.close();
    const rows = await waitForRows(user, 3);
    expect(rows.map(({ outcome, usage_source }) => `${outcome} ${usage_source}`)).toEqual(
      Array.from({ length: 3 }, () => "completed provider"),
    );
    // 32 and 64 USD a million, 500,000 quota a USD: 16 and 32 quota a token.
    expect(rows.map(({ quota }) => quota)).toEqual(
      usages.map(({ input_tokens, output_tokens }) => BigInt(input_tokens * 16 + output_tokens * 32)),
    );
    const traceOf = async () => [
      ...(await scene.rig.db.sql<{
        path: string;
        status: string;
        http_status: number;
        tokens: bigint;
        payload: string;
      }>`
        select path, status, http_status, input_tokens + output_tokens as tokens, payload from trace_record
        where right(request_id::text, 12) = ${rows[0]?.request_id.slice(-12) ?? ""}`),
    ];
    await waitUntil(async () => (await traceOf()).length > 0);
    const tokens = usages.reduce((sum, usage) => sum + usage.input_tokens + usage.output_tokens, 0);
    expect(await traceOf()).toEqual([
      { path: "/v1/realtime", status: "completed", http_status: 101, tokens: BigInt(tokens), payload: "stored" },
    ]);
    await expectGoodMoney();
  });

  test("charges cached tokens, audio and transcribed time by their prices", async () => {
    const user = await scene.rig.addUser();
    const usage = { input_tokens: 1_000, output_tokens: 10, input_token_details: { cached_tokens: 900 } };
    scene.provider.script({ usage, text: "ok" }, { match: { path: "/v1/realtime" } });
    const client = await open("voice", authorized(user));
    client.send({
      type: "session.update",
      session: { input_audio_transcription: { model: "voice" }, turn_detection: { type: "server_vad" } },
    });
    client.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(96_000).toString("base64") });
    client.send({ type: "input_audio_buffer.commit" });
    await client.next("response.done");
    await client.close();
    const rows = await waitForRows(user, 2);
    // 2 s at 0.0001 USD; then 100 x 16 + 900 x 0.2 + 10 x 32 quota.
    expect(rows.map(({ quota }) => quota)).toEqual([100n, 2_100n]);
    await expectGoodMoney();
  });

  test("charges concurrent responses separately", async () => {
    const user = await scene.rig.addUser(10_000n);
    const client = await open("flat", authorized(user));
    for (let index = 0; index < 4; index += 1) {
      client.send({ type: "response.create", response: { conversation: "none" } });
    }
    for (let index = 0; index < 4; index += 1) {
      await client.next("response.done");
    }
    await client.close();
    expect((await waitForRows(user, 4)).map(({ quota }) => quota)).toEqual([1_000n, 1_000n, 1_000n, 1_000n]);
    await expectGoodMoney();
  });

  test("ends with an error event and 4001 once the quota does not cover another response", async () => {
    const user = await scene.rig.addUser(3_500n);
    const client = await open("flat", authorized(user));
    await client.say("one");
    await client.say("two");
    await client.say("three");
    const { error } = (await client.next("error")) as unknown as { error: { type: string; code: string } };
    expect(error).toMatchObject({ type: "insufficient_quota", code: "insufficient_quota" });
    expect(await client.closed).toEqual({ code: 4001, reason: "insufficient_quota" });
    await scene.provider.waitForCancel(0);
    expect((await waitForRows(user, 3)).map(({ quota }) => quota)).toEqual([1_000n, 1_000n, 1_000n]);
    await expectGoodMoney();
  });

  test("ends with 4001, too, once the limit of spending does not cover another response", async () => {
    const user = await scene.rig.addUser(1_000_000n);
    await scene.rig.db.sql`
      insert into account_limit (scope, gateway_user_id, spend_per_month)
      values ('user', ${user.gatewayUserId}::bigint, 3500)`;
    const client = await open("flat", authorized(user));
    await client.say("one");
    await client.say("two");
    await client.say("three");
    expect(await client.next("error")).toMatchObject({
      error: { type: "insufficient_quota", code: "spend_limit_reached", message: expect.stringContaining("per month") },
    });
    expect(await client.closed).toEqual({ code: 4001, reason: "spend_limit_reached" });
    expect((await waitForRows(user, 3)).map(({ quota }) => quota)).toEqual([1_000n, 1_000n, 1_000n]);
    await expectGoodMoney();
  });

  test("a response that the quota does not cover is neither shown nor charged", async () => {
    const user = await scene.rig.addUser(1_500n);
    scene.provider.script({ isEndless: true, chunkDelayMs: 5 }, { match: { path: "/v1/realtime" } });
    const client = await open("flat", authorized(user));
    client.send({ type: "response.create", response: { conversation: "none" } });
    await client.next("response.output_text.delta");
    client.send({ type: "response.create", response: { conversation: "none" } });
    expect((await client.closed).code).toBe(4001);
    expect(client.events.filter(({ type }) => type === "response.created")).toHaveLength(1);
    const rows = await waitForRows(user, 1);
    expect(rows).toEqual([expect.objectContaining({ outcome: "failed", quota: 1_000n, usage_source: "estimated" })]);
    await expectGoodMoney();
  });

  test("ends soon after the key was revoked", async () => {
    const user = await scene.rig.addUser();
    const client = await open("gpt-4o-mini", authorized(user));
    await client.next("session.created");
    await scene.rig.db.sql`update api_key set status = 'revoked' where gateway_user_id = ${user.gatewayUserId}::bigint`;
    expect(await client.closed).toEqual({ code: 4003, reason: "invalid_api_key" });
    expect(client.events.at(-1)).toMatchObject({ type: "error", error: { code: "invalid_api_key" } });
  });

  test("shows the client what was wrong with its frames, and hides problems between us and the provider", async () => {
    const mine = {
      type: "error",
      error: { type: "invalid_request_error", message: "no such voice", event_id: "event_7" },
    };
    const theirs = {
      type: "error",
      error: { type: "insufficient_quota", message: "pay upstream-first", event_id: null },
    };
    scene.provider.script({ text: "" }, { match: { path: "/v1/realtime" } });
    const client = await open();
    client.send({ type: "nonsense", event_id: "event_6" });
    expect(await client.next("error")).toMatchObject({ error: { type: "invalid_request_error", event_id: "event_6" } });
    await client.close();
    scene.provider.reset();
    scene.provider.script({ realtimeEvents: [mine, theirs] }, { match: { path: "/v1/realtime" } });
    const second = await open();
    second.send({ type: "response.create" });
    expect(await second.next("error")).toEqual(expect.objectContaining({ error: mine.error }));
    const hidden = await second.next("error");
    expect(JSON.stringify(hidden)).not.toContain("pay");
    expect(hidden).toMatchObject({ error: { type: "server_error", code: "upstream_error" } });
    await second.close();
  });

  test("passes on the provider's close frame, and the client's", async () => {
    scene.provider.script({ closeWith: { afterChunks: 1, code: 4321, reason: "enough" } });
    const left = await open();
    expect(await left.closed).toEqual({ code: 4321, reason: "enough" });
    const leaving = await open();
    await leaving.next("session.created");
    await leaving.close(4444, "bye");
    expect((await scene.provider.waitForCancel(1)).closeCode).toBe(4444);
  });

  test("an unreachable channel is skipped for the next", async () => {
    const client = await open("spare");
    await client.next("session.created");
    const record = await scene.provider.waitForRequest(0);
    expect(record.credential).toBe("upstream-behind");
    await client.close();
  });

  describe("is refused before the connection becomes a websocket", () => {
    const refusal = async (query: string, headers: Record<string, string> = {}) =>
      await tryHandshake(`${url}${query}`, headers);

    test.each([
      ["without a key", "missing_api_key", {}],
      ["with an unknown key", "invalid_api_key", { authorization: `Bearer sk-${"0".repeat(48)}` }],
    ])("%s", async (_what, code, headers) => {
      const answer = await refusal("?model=gpt-4o-mini", { ...headers });
      expect([answer.status, answer.error.code]).toEqual([401, code]);
      expect(scene.provider.requests).toHaveLength(0);
    });

    test.each([
      ["without a model", "", 400, "missing_field"],
      ["for an unknown model", "?model=nothing", 404, "model_not_found"],
      ["for a call by its id", "?call_id=rtc_1", 400, "invalid_value"],
    ])("%s", async (_what, query, status, code) => {
      const answer = await refusal(query, authorized(scene.user).headers);
      expect([answer.status, answer.error.code]).toEqual([status, code]);
      expect(scene.provider.requests).toHaveLength(0);
    });

    test("when it is not a WebSocket handshake at all", async () => {
      const answer = await fetch(`${url}?model=gpt-4o-mini`, authorized(scene.user));
      const { error } = (await answer.json()) as { error: { code: string } };
      expect([answer.status, error.code]).toEqual([426, "upgrade_required"]);
      expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    });

    test("without quota for one response, and the provider is not asked", async () => {
      const poor = await scene.rig.addUser(999n);
      const answer = await refusal("?model=flat", authorized(poor).headers);
      expect([answer.status, answer.error.type]).toEqual([429, "insufficient_quota"]);
      expect(scene.provider.requests).toHaveLength(0);
      expect(await waitForRows(poor, 1)).toEqual([expect.objectContaining({ outcome: "refused", quota: 0n })]);
    });

    test.each(refusals)("when the provider does $behaviour", async ({ model, behaviour, status, code, retryAfter }) => {
      const user = await scene.rig.addUser();
      // The only channel is asked again after a failure that may pass.
      scene.provider.script(behaviour, { match: { path: "/v1/realtime" }, times: behaviour.status === 500 ? 2 : 1 });
      const answer = await refusal(`?model=${model}`, authorized(user).headers);
      expect([answer.status, answer.error.code]).toEqual([status, code]);
      expect(answer.headers.get("retry-after") ?? "none").toMatch(retryAfter);
      expect(JSON.stringify(answer)).not.toContain("upstream-");
      expect(await waitForRows(user, 1)).toEqual([expect.objectContaining({ outcome: "failed", quota: 0n })]);
      await expectGoodMoney();
    });

    test("when the provider refuses the request, with the provider's own message", async () => {
      const error = {
        message: "Model gpt-4o-mini does not speak.",
        type: "invalid_request_error",
        param: "model",
        code: "x",
      };
      scene.provider.script({ status: 400, body: { error } }, { match: { path: "/v1/realtime" } });
      const answer = await refusal("?model=gpt-4o-mini", authorized(scene.user).headers);
      expect([answer.status, answer.error]).toEqual([400, error]);
    });
  });
});

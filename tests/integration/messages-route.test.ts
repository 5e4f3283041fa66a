/** `/msgcompat`: its paths, who may call it, what is refused and how, and what is recorded about a call. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { MessagesRig, messagesModel, saveMapEntry } from "../support/messages/messages-rig.ts";
import { arrangements } from "../support/service/sluice.ts";

type ErrorBody = { type: string; error: { type: string; message: string }; request_id: string };

const wrongKey = `sk-${"A".repeat(48)}`;
const bodyBytesMax = 300_000;

describe.each(arrangements)("the messages route, %s", (arrangement) => {
  let messages: MessagesRig;

  beforeAll(async () => {
    messages = await MessagesRig.start(arrangement, { BODY_BYTES_MAX: String(bodyBytesMax) });
  });
  afterEach(() => messages.provider.reset());
  afterAll(() => messages.close());

  /** Status and type of an error, after a check of the form that all errors share. */
  const refused = async (answer: Response): Promise<[status: number, type: string, message: string]> => {
    const body = (await answer.json()) as ErrorBody;
    expect(body.type).toBe("error");
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("request-id")).toMatch(/^req_[0-9a-f]{32}$/);
    expect(body.request_id).toBe(answer.headers.get("request-id") ?? "");
    return [answer.status, body.error.type, body.error.message];
  };

  // In the form of OpenAI, of vLLM, of TGI, of FastAPI, and plain.
  test.each([
    ["error", (message: string) => ({ error: { message, type: "invalid_request_error", code: null } })],
    ["message", (message: string) => ({ object: "error", message, type: "BadRequestError", param: null, code: 400 })],
    ["text", (message: string) => ({ error: message })],
    ["detail", (detail: string) => ({ detail })],
    ["plain", (message: string) => message],
  ] as const)(
    "a conversation that is too long is reported as such, whatever the form of the refusal (%s)",
    async (_, form) => {
      const words =
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 210000 tokens.";
      messages.provider.script({ status: 400, body: form(words) });
      const answer = await messages.call("/msgcompat/v1/messages", {
        method: "POST",
        body: JSON.stringify({ model: messagesModel, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }),
      });
      expect(await refused(answer)).toEqual([
        400,
        "invalid_request_error",
        "prompt is too long: 210000 tokens > 128000 maximum",
      ]);
    },
  );

  describe("paths", () => {
    test.each(["", "/", "?beta=true", "/?beta=true&x=%2F"])("messages are served at the path with %p", async (end) => {
      const answer = await messages.call(`/msgcompat/v1/messages${end}`, {
        method: "POST",
        body: JSON.stringify({ model: messagesModel, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }),
      });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("request-id")).toMatch(/^req_[0-9a-f]{32}$/);
      expect(((await answer.json()) as { type: string }).type).toBe("message");
    });

    test.each(["/msgcompat", "/msgcompat/", "/msgcompat?x"])("HEAD %s shows that the server exists", async (path) => {
      const answer = await fetch(`${messages.sluice.url}${path}`, { method: "HEAD" });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("request-id")).toMatch(/^req_/);
    });

    test.each(["/msgcompat/v1", "/msgcompat/V1/messages", "/msgcompat/v1//messages", "/msgcompat/v1/chat/completions"])(
      "%s is not found, in the words of the API",
      async (path) => {
        const answer = await messages.call(path, { method: "POST", body: "{}" });
        expect((await refused(answer)).slice(0, 2)).toEqual([404, "not_found_error"]);
      },
    );

    test.each([
      ["GET", "/msgcompat/v1/messages", "POST"],
      ["DELETE", "/msgcompat/v1/messages/", "POST"],
      ["GET", "/msgcompat/v1/messages/count_tokens", "POST"],
      ["POST", "/msgcompat/v1/models", "GET"],
      ["PUT", "/msgcompat/v1/models/claude-test", "GET"],
    ])("%s %s is not allowed", async (method, path, allowed) => {
      const answer = await messages.call(path, { method });
      expect((await refused(answer)).slice(0, 2)).toEqual([405, "invalid_request_error"]);
      expect(answer.headers.get("allow")).toBe(allowed);
    });
  });

  describe("credentials", () => {
    const status = async (headers: Record<string, string>): Promise<number> => {
      const answer = await fetch(`${messages.baseUrl}/v1/messages?key=${messages.user.apiKey}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ model: messagesModel, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }),
      });
      if (answer.status === 200) {
        await answer.json();
        return 200;
      }
      expect((await refused(answer))[1]).toBe("authentication_error");
      return answer.status;
    };

    test("are taken from either header, whichever is valid", async () => {
      const { apiKey } = messages.user;
      const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
      expect(await status({ "x-api-key": apiKey })).toBe(200);
      expect(await status(bearer(apiKey))).toBe(200);
      expect(await status({ "x-api-key": apiKey, ...bearer(apiKey) })).toBe(200);
      expect(await status({ "x-api-key": apiKey, ...bearer(wrongKey) })).toBe(200);
      expect(await status({ "x-api-key": wrongKey, ...bearer(apiKey) })).toBe(200);
      expect(await status({ "x-api-key": "left over", ...bearer(apiKey) })).toBe(200);
      expect(await status({ "x-api-key": apiKey, authorization: "Basic abc" })).toBe(200);
    });

    test("that are invalid, or missing, are refused, whatever the body and the query say", async () => {
      expect(await status({})).toBe(401);
      expect(await status({ "x-api-key": wrongKey })).toBe(401);
      expect(await status({ "x-api-key": "' OR '1'='1" })).toBe(401);
      expect(await status({ authorization: "Bearer ' OR '1'='1" })).toBe(401);
      expect(await status({ "x-api-key": wrongKey, authorization: `Bearer ${wrongKey.toLowerCase()}` })).toBe(401);
      const unreadable = { method: "POST", apiKey: wrongKey, body: "{" };
      expect((await refused(await messages.call("/msgcompat/v1/messages", unreadable)))[0]).toBe(401);
      expect((await refused(await messages.call("/msgcompat/v1/messages/count_tokens", unreadable)))[0]).toBe(401);
      expect((await refused(await messages.post({ model: "unknown" }, { apiKey: wrongKey })))[0]).toBe(401);
      expect((await refused(await messages.post({ max_tokens: 0 }, { apiKey: wrongKey })))[0]).toBe(401);
    });
  });

  describe("what is refused", () => {
    const send = (body: string, headers: Record<string, string> = {}) =>
      messages.call("/msgcompat/v1/messages", { method: "POST", body, headers });

    test.each(["", "null", "[]", '"x"', "{", '{"a":1}{}', '{"model":"a","model":"b"}', `${"[".repeat(10_000)}`])(
      "a body that is not a request: %p",
      async (body) => {
        expect((await refused(await send(body.slice(0, 20_000)))).slice(0, 2)).toEqual([400, "invalid_request_error"]);
      },
    );

    test("a body that is too large, nested too deep, of another type, or compressed", async () => {
      const deep = `{"model":"${messagesModel}","max_tokens":1,"messages":[],"metadata":${"[".repeat(200)}${"]".repeat(200)}}`;
      expect((await refused(await send(deep))).slice(0, 2)).toEqual([400, "invalid_request_error"]);
      const large = await send(`{"a":"${"x".repeat(bodyBytesMax)}"}`);
      expect((await refused(large)).slice(0, 2)).toEqual([413, "request_too_large"]);
      expect((await refused(await send("{}", { "content-type": "text/plain" })))[0]).toBe(415);
      expect((await refused(await send("{}", { "content-encoding": "gzip" })))[0]).toBe(415);
    });

    test("the client's content type is not passed to the provider, which gets another format", async () => {
      const body = { model: messagesModel, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] };
      for (const type of ["application/vnd.api+json", "application/json; charset=utf-16"]) {
        messages.provider.reset();
        expect((await send(JSON.stringify(body), { "content-type": type })).status).toBe(200);
        const types = messages.provider.requests[0]?.headLines.filter((line) => /^content-type:/i.test(line));
        expect(types?.map((line) => line.toLowerCase())).toEqual(["content-type: application/json"]);
      }
    });

    test("a body that is not valid JSON text", async () => {
      const text = JSON.stringify({ model: messagesModel, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] });
      const bodies = [
        Buffer.from(`\ufeff${text}`),
        Buffer.from(text.replace("Hi", "\u00ff"), "latin1"),
        Buffer.from(`${text}x`),
      ];
      for (const body of bodies) {
        const answer = await messages.call("/msgcompat/v1/messages", { method: "POST", body });
        expect((await refused(answer)).slice(0, 2)).toEqual([400, "invalid_request_error"]);
      }
    });

    test.each([[-1], [1.5], ["5"], [2 ** 53], [[]]])("an output limit of %p", async (limit) => {
      const [status, , message] = await refused(await messages.post({ max_tokens: limit }));
      expect([status, message.split(":")[0]]).toEqual([400, "max_tokens"]);
    });

    test("nothing that could lead a call elsewhere: such fields and headers are not forwarded", async () => {
      const answer = await messages.post(
        { api_base: "http://127.0.0.1:1", extra_headers: { a: "b" } },
        { headers: { "x-forwarded-for": "1.2.3.4", "x-relay-key": "k", "anthropic-beta": "some-beta" } },
      );
      expect(answer.status).toBe(200);
      expect(answer.headers.get("x-compat-dropped")).toBe("api_base,extra_headers");
      const [request] = messages.provider.requests;
      const head = request?.headLines.join("\n").toLowerCase() ?? "";
      for (const part of ["1.2.3.4", "x-relay-key", "anthropic", messages.user.apiKey.toLowerCase()]) {
        expect(head).not.toContain(part);
      }
      expect(Object.keys(messages.upstreamBody(0)).toSorted()).toEqual(["max_tokens", "messages", "model", "stream"]);
    });

    test("an invalid field, named by its path", async () => {
      expect(await refused(await messages.post({ max_tokens: undefined }))).toEqual([
        400,
        "invalid_request_error",
        "max_tokens: Field required",
      ]);
      expect((await refused(await messages.post({ messages: [] })))[2]).toBe(
        "messages: at least one message is required",
      );
      expect((await refused(await messages.post({ stream: "true" })))[2]).toStartWith("stream: ");
      expect(messages.provider.requests).toHaveLength(0);
    });

    test("a model that is unknown, disabled, or not allowed for the key, all with the same message", async () => {
      await saveMapEntry(messages.rig, { name: "claude-off", is_enabled: false });
      await saveMapEntry(messages.rig, { name: "claude-other", upstream_model: "not-in-the-catalog" });
      for (const model of ["claude-none", "claude-off", "claude-other", "not-in-the-catalog", "../x"]) {
        expect(await refused(await messages.post({ model }))).toEqual([404, "not_found_error", `model: ${model}`]);
      }
    });

    test("an empty budget, a key over its rate, a disabled user", async () => {
      const poor = await messages.rig.addUser(0n);
      expect((await refused(await messages.post({}, poor))).slice(0, 2)).toEqual([402, "billing_error"]);
      const busy = await messages.rig.addUser();
      await messages.rig.db.sql`
        update api_key set requests_per_minute = 1 where gateway_user_id = ${busy.gatewayUserId}::bigint`;
      expect((await messages.post({}, busy)).status).toBe(200);
      const limited = await messages.post({}, busy);
      expect((await refused(limited)).slice(0, 2)).toEqual([429, "rate_limit_error"]);
      expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    });
  });

  describe("what could not be converted", () => {
    const fields = {
      thinking: { type: "enabled", budget_tokens: 1_024 },
      max_tokens: 2_000,
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    };

    test("is named in a header, for messages and for streams", async () => {
      for (const stream of [false, true]) {
        const answer = await messages.post({ ...fields, stream });
        expect(answer.status).toBe(200);
        expect(answer.headers.get("x-compat-dropped")).toBe("cache_control,thinking");
        await answer.text();
      }
      const plain = await messages.post();
      expect(plain.headers.get("x-compat-dropped")).toBeNull();
      await plain.text();
    });

    test("is an error for clients that want strict conversion", async () => {
      const answer = await messages.post(fields, { headers: { "x-compat-strict": "true" } });
      const [status, type, message] = await refused(answer);
      expect([status, type]).toEqual([400, "invalid_request_error"]);
      expect(message).toContain("cache_control");
      expect(message).toContain("thinking");
    });
  });

  describe("what is recorded", () => {
    test("is the client's own call: its path, its request and the response it got; usage counts each token once", async () => {
      const usage = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 80 } };
      for (const stream of [false, true]) {
        messages.provider.script({ text: "Hello there", usage });
        const answer = await messages.post({ stream });
        const text = await answer.text();
        for (const part of ['"input_tokens":20', '"cache_read_input_tokens":80', '"output_tokens":5', "claude-test"]) {
          expect(text).toContain(part);
        }
        expect(await messages.usageOf(answer)).toMatchObject({
          outcome: "completed",
          http_status: 200,
          model: "gpt-4o-mini",
          input_tokens: 100n,
          cache_read_tokens: 80n,
          output_tokens: 5n,
          // 20 at 0.15, 80 at 0.075 and 5 at 0.60 USD a million, with 500,000 quota to the USD.
          quota: 6n,
        });
        expect(await messages.traceOf(answer)).toEqual({
          method: "POST",
          path: "/msgcompat/v1/messages",
          status: "completed",
          http_status: 200,
          model: "gpt-4o-mini",
          is_stream: stream,
          payload: "stored",
          gateway_user_id: messages.user.gatewayUserId as bigint,
        });
        const payload = await messages.payloadOf(answer);
        expect(JSON.parse(payload.request)).toMatchObject({ model: messagesModel, max_tokens: 100, stream });
        expect(payload.response).toBe(text);
      }
      expect(await messages.rig.checkMoney()).toEqual([]);
    });

    test("of a refusal is the status that the client saw", async () => {
      const poor = await messages.rig.addUser(0n);
      const answer = await messages.post({}, poor);
      const text = await answer.text();
      expect(await messages.traceOf(answer)).toMatchObject({ http_status: 402, path: "/msgcompat/v1/messages" });
      expect((await messages.payloadOf(answer)).response).toBe(text);
      const unknown = await messages.post({ model: "claude-none" });
      expect(await messages.traceOf(unknown)).toMatchObject({
        http_status: 404,
        model: "claude-none",
        gateway_user_id: messages.user.gatewayUserId as bigint,
      });
    });
  });

  describe("calls that no provider sees", () => {
    test("warming a cache gets an empty message, as a stream too, and is free", async () => {
      const answer = await messages.post({ max_tokens: 0 });
      expect(await answer.json()).toMatchObject({
        content: [],
        stop_reason: "max_tokens",
        usage: { output_tokens: 0 },
      });
      const stream = await messages.post({ max_tokens: 0, stream: true });
      expect(stream.headers.get("content-type")).toBe("text/event-stream");
      expect(await stream.text()).toEndWith('event: message_stop\ndata: {"type":"message_stop"}\n\n');
      expect(await messages.traceOf(answer)).toMatchObject({ status: "completed", http_status: 200 });
      expect(messages.provider.requests).toHaveLength(0);
      const rows = await messages.rig.db.sql`
        select 1 from usage_log where request_id = ${answer.headers.get("x-request-id") ?? ""}::uuid`;
      expect(rows).toHaveLength(0);
    });

    test("counting tokens needs a key and a model, and no limit", async () => {
      const count = (fields: object) =>
        messages.call("/msgcompat/v1/messages/count_tokens/?beta=true", {
          method: "POST",
          body: JSON.stringify({ model: messagesModel, messages: [{ role: "user", content: "Hello" }], ...fields }),
        });
      const answer = await count({});
      const { input_tokens: short } = (await answer.json()) as { input_tokens: number };
      expect(short).toBeGreaterThan(0);
      const long = (await (await count({ system: "word ".repeat(100) })).json()) as { input_tokens: number };
      expect(long.input_tokens).toBeGreaterThan(short + 50);
      expect((await refused(await count({ model: "claude-none" })))[0]).toBe(404);
      expect((await refused(await count({ messages: [] })))[0]).toBe(400);
      expect(await messages.traceOf(answer)).toMatchObject({ path: "/msgcompat/v1/messages/count_tokens/" });
      expect(messages.provider.requests).toHaveLength(0);
    });

    test("models are those whose upstream the key may use", async () => {
      await messages.rig.addFlatPriceModel("second", 1n);
      await saveMapEntry(messages.rig, { name: "vendor/claude:second", upstream_model: "second" });
      const names = async (apiKey: string): Promise<string[]> => {
        const answer = await messages.call("/msgcompat/v1/models/?limit=1000", { apiKey });
        return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
      };
      const only = await messages.rig.addUser();
      await messages.rig.db.sql`
        update api_key set allowed_models = '{second}' where gateway_user_id = ${only.gatewayUserId}::bigint`;
      // Key, model and entry are announced to each process, which loads them in its own time.
      await waitUntil(async () => (await names(only.apiKey)).toSorted().join() === "second,vendor/claude:second");
      const all = await names(messages.user.apiKey);
      expect(all).toEqual(expect.arrayContaining([messagesModel, "vendor/claude:second", "second", "gpt-4o-mini"]));
      const own = await messages.call("/msgcompat/v1/models/second", only);
      expect(await own.json()).toMatchObject({ id: "second", type: "model", max_input_tokens: expect.any(Number) });
      const one = await messages.call("/msgcompat/v1/models/vendor%2Fclaude%3Asecond", only);
      expect(await one.json()).toMatchObject({ id: "vendor/claude:second", type: "model" });
      const other = await messages.call(`/msgcompat/v1/models/${messagesModel}`, only);
      expect((await refused(other)).slice(0, 2)).toEqual([404, "not_found_error"]);
      expect((await refused(await messages.call("/msgcompat/v1/models?limit=0")))[0]).toBe(400);
      expect((await refused(await messages.call("/msgcompat/v1/models?after_id=none")))[0]).toBe(400);
      expect((await refused(await messages.call("/msgcompat/v1/models", { apiKey: wrongKey })))[0]).toBe(401);
    });
  });
});

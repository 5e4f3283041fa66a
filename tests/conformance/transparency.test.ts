import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { readFrontOutcomes } from "../support/service/metrics.ts";
import { arrangements } from "../support/service/sluice.ts";
import { keyText, objectText, spaced, stringText, valueText } from "../support/values/json-text.ts";

const numRuns = process.env["TEST_FULL"] === "1" ? 1_000 : 60;
/** Placeholder in a body for a value that is filled in later. */
const placeholder = '"@options@"';
const usageOption = '"stream_options":{"include_usage":true},';

type Member = readonly [key: string, value: string];

const member = (name: string, value: fc.Arbitrary<string>): fc.Arbitrary<Member> => fc.tuple(keyText(name), value);
const maybe = (value: fc.Arbitrary<Member>): fc.Arbitrary<readonly Member[]> =>
  fc.option(value, { nil: null }).map((given) => (given === null ? [] : [given]));

/** Fields without a meaning to anyone, each with its own name. */
const strangers = fc
  .array(valueText, { maxLength: 4 })
  .map((values) => values.map((value, index): Member => [`"x_${index}"`, value]));

/** A body with these fields and some unknown ones, in any order and any notation. */
function bodyText(...fields: fc.Arbitrary<readonly Member[]>[]): fc.Arbitrary<string> {
  const members = fc
    .tuple(strangers, ...fields)
    .chain((groups) => fc.shuffledSubarray(groups.flat(), { minLength: groups.flat().length }));
  return spaced(objectText(members));
}

const one = (value: fc.Arbitrary<Member>): fc.Arbitrary<readonly Member[]> => value.map((given) => [given]);
const model = one(member("model", fc.constantFrom('"gpt-4o-mini"', '"gpt\\u002d4o-mini"')));
const choices = one(member("choices", fc.constantFrom("[]", '[ {"index":0} ]')));
const message = objectText(fc.tuple(member("role", fc.constant('"user"')), member("content", stringText)));
const messages = one(
  member(
    "messages",
    spaced(message).map((text) => `[${text}]`),
  ),
);
const input = one(member("input", stringText));
const temperature = maybe(member("temperature", fc.constantFrom("1.0", "1e0", "0.70", "1")));
const stream = one(member("stream", fc.constant("true")));

describe.each(arrangements)("the relay is transparent, %s", (arrangement) => {
  let scene: RelayScene;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      // Most of the random responses have no output.
      env: { UNPAID_CALLS_PER_HOUR: "0" },
      prepare: async (rig) => {
        await rig.addFlatPriceModel("whisper-1", 100n);
        await rig.addFlatPriceModel("*", 1n);
        await rig.passThrough("first", [
          "GET /v1/files/{id}",
          "DELETE /v1/files/{id}",
          "POST /v1/vector_stores/{id}/search",
        ]);
      },
    });
  });

  afterEach(() => scene.provider.reset());
  afterAll(() => scene.close());

  const send = (target: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${scene.sluice.url}${target}`, {
      method: "POST",
      // Over the connection of a request that the front hands over, it would see none of the others.
      keepalive: false,
      ...init,
      headers: {
        authorization: `Bearer ${scene.user.apiKey}`,
        "content-type": "application/json",
        ...(init.headers as Record<string, string> | undefined),
      },
    });

  /** Sends a body and returns what arrived at the provider. */
  const arrived = async (target: string, body: string): Promise<string> => {
    scene.provider.reset();
    const answer = await send(target, { body: Buffer.from(body) });
    await answer.arrayBuffer();
    expect(scene.provider.requests.map((request) => request.target)).toEqual([target]);
    return scene.provider.requests[0]?.body.toString() ?? "";
  };

  test("every byte of a body arrives, however the body is written", async () => {
    const bodies = fc.oneof(
      fc.tuple(fc.constant("/v1/chat/completions"), bodyText(model, messages, temperature)),
      fc.tuple(fc.constant("/v1/responses"), bodyText(model, input, temperature)),
      fc.tuple(fc.constant("/v1/responses"), bodyText(model, input, stream)),
      fc.tuple(fc.constant("/v1/embeddings"), bodyText(model, input)),
      fc.tuple(fc.constant("/v1/moderations"), bodyText(model, input)),
    );
    const property = fc.asyncProperty(bodies, async ([target, body]) => {
      expect(await arrived(target, body)).toBe(body);
    });
    await fc.assert(property, { numRuns });
  });

  test("a stream that asks for usage itself arrives as it was sent", async () => {
    const options = one(
      member("stream_options", fc.constantFrom('{ "include_usage" : true }', '{"include_usage":true,"x":1.0}')),
    );
    const property = fc.asyncProperty(bodyText(model, messages, stream, options), async (body) => {
      expect(await arrived("/v1/chat/completions", body)).toBe(body);
    });
    await fc.assert(property, { numRuns });
  });

  test("a stream without the usage option gets it before the first field, and nothing else", async () => {
    const property = fc.asyncProperty(bodyText(model, messages, stream), async (body) => {
      const open = body.indexOf("{") + 1;
      const expected = `${body.slice(0, open)}${usageOption}${body.slice(open)}`;
      expect(await arrived("/v1/chat/completions", body)).toBe(expected);
    });
    await fc.assert(property, { numRuns });
  });

  test("usage options that do not ask for usage are replaced in place", async () => {
    const values = fc.constantFrom("{}", "null", '{"include_usage":false}', '{ "include_obfuscation" : false }');
    const options = one(member("stream_options", fc.constant(placeholder)));
    const property = fc.asyncProperty(bodyText(model, messages, stream, options), values, async (body, value) => {
      const asked = JSON.stringify({ ...JSON.parse(value), include_usage: true });
      const got = await arrived("/v1/chat/completions", body.replace(placeholder, value));
      expect(got).toBe(body.replace(placeholder, asked));
    });
    await fc.assert(property, { numRuns });
  });

  test("a form arrives with every byte of its fields and files, rewritten only from what was parsed", async () => {
    const file = crypto.getRandomValues(new Uint8Array(50_000));
    const boundary = "----odd'boundary_(1)";
    const part = (head: string, content: Uint8Array | string) =>
      Buffer.concat([
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
        Buffer.from(content),
        Buffer.from("\r\n"),
      ]);
    const form = Buffer.concat([
      part('name="file"; filename="a b.wav"', file),
      part('name="model"', "whisper-1"),
      part('name="timestamp_granularities[]"', "word"),
      part('name="timestamp_granularities[]"', "segment"),
      Buffer.from(`--${boundary}--\r\n`),
    ]);
    const contentType = `multipart/form-data; boundary="${boundary}"`;
    const answer = await send("/v1/audio/transcriptions", { body: form, headers: { "content-type": contentType } });
    expect(answer.status).toBe(200);
    const [request] = scene.provider.requests;
    const written = request?.header("content-type") ?? "";
    expect(written).toMatch(/^multipart\/form-data; boundary=sluice-[0-9a-f]{32}$/);
    const read = await new Response(request?.body as Uint8Array<ArrayBuffer>, {
      headers: { "content-type": written },
    }).formData();
    const found = await Promise.all(
      [...read.entries()].map(async ([name, value]) => [name, typeof value === "string" ? value : await value.bytes()]),
    );
    expect(found).toEqual([
      ["file", file],
      ["model", "whisper-1"],
      ["timestamp_granularities[]", "word"],
      ["timestamp_granularities[]", "segment"],
    ]);
    expect((read.get("file") as File).name).toBe("a b.wav");
  });

  test("method and path arrive unchanged, and the query with its known parameters", async () => {
    const targets = [
      ["POST", "/v1/chat/completions?a=%2F&b=%e4%B8%ad&c=+&c=&d;e&f=1?2", "/v1/chat/completions"],
      ["GET", "/v1/files/file-AB_c1?limit=2&after=x%20y&api-version=1", "/v1/files/file-AB_c1?limit=2&after=x+y"],
      ["DELETE", "/v1/files/file-AB_c1", "/v1/files/file-AB_c1"],
      ["POST", "/v1/vector_stores/vs_1/search?", "/v1/vector_stores/vs_1/search"],
    ] as const;
    for (const [method, target, onTheWay] of targets) {
      scene.provider.script({ body: { choices: [] } });
      const body =
        method === "POST" ? { body: '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"x"}]}' } : {};
      expect((await send(target, { method, ...body })).status).toBe(200);
      const record = scene.provider.requests.at(-1);
      expect([record?.method, record?.target]).toEqual([method, onTheWay]);
      expect(record?.body.toString()).toBe(body.body ?? "");
    }
  });

  test("the provider gets the channel's credential and no header that identifies or locates the client", async () => {
    const canary = "client-canary";
    const headers: Record<string, string> = { accept: "application/json", "openai-beta": "assistants=v2" };
    for (const name of identityHeaders) {
      headers[name] = canary;
    }
    const body = '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"x"}]}';
    const answer = await send("/v1/chat/completions", {
      body,
      headers: { ...headers, "x-api-key": scene.user.apiKey, "idempotency-key": "retry-1" },
    });
    expect(answer.status).toBe(200);
    const record = scene.provider.requests[0];
    const heads = record?.headLines.join("\n") ?? "";
    expect(record?.credential).toBe("upstream-first");
    expect(heads).not.toContain(canary);
    expect(heads).not.toContain(scene.user.apiKey);
    const expected = [
      ...["accept", "accept-encoding", "authorization", "content-length", "content-type", "host", "idempotency-key"],
      ...["openai-beta", "user-agent", "x-sluice-hops"],
    ];
    const names = (record?.headers ?? []).map(([name]) => name).filter((name) => name !== "connection");
    expect(names.sort()).toEqual(expected);
    expect(record?.header("accept-encoding")).toBe("identity");
    // Customers share the credential: one customer's choice must not collide with the same choice of another.
    expect(record?.header("idempotency-key")).toMatch(/^[0-9a-f]{64}$/);
    expect(record?.header("host")).toBe(new URL(scene.provider.url).host);
    expect(record?.header("user-agent")).toBe("sluice");
  });

  test("the client gets the headers needed to read the body, and no others from the provider", async () => {
    const canary = "provider-canary";
    const headers = Object.fromEntries(providerHeaders.map((name) => [name, canary]));
    for (const isStream of [false, true]) {
      scene.provider.script({ headers });
      const body = `{"model":"gpt-4o-mini","stream":${isStream},"messages":[{"role":"user","content":"x"}]}`;
      const answer = await send("/v1/chat/completions", { body });
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
      expect(JSON.stringify([...answer.headers])).not.toContain(canary);
      const framing = ["content-length", "transfer-encoding"];
      const names = [...answer.headers.keys()].filter((name) => !framing.includes(name));
      const ours = ["x-content-type-options", "x-request-id"];
      expect(names.sort()).toEqual(["cache-control", "content-type", "date", "openai-version", ...ours]);
    }
  });

  test("a response arrives as the provider wrote it", async () => {
    const property = fc.asyncProperty(bodyText(choices), async (text) => {
      scene.provider.script({ body: text });
      const answer = await send("/v1/chat/completions", { body: chat(false, "") });
      expect(answer.status).toBe(200);
      expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(text))).toBeTrue();
    });
    await fc.assert(property, { numRuns });
  });

  test("every event of a stream arrives as the provider wrote it, except for usage that was not requested", async () => {
    const property = fc.asyncProperty(streamPlan, async ({ events, isUsageWanted, seed, end }) => {
      const written = events.map(({ text }) => `${text}${end}${end}`);
      const body = Buffer.from([...written, `data: [DONE]${end}${end}`].join(""));
      const head = `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n`;
      scene.provider.script({ raw: head + body.toString("latin1"), splitAt: { seed, bytesMax: 40 } });
      const options = isUsageWanted ? ',"stream_options":{"include_usage":true}' : "";
      const answer = await send("/v1/chat/completions", { body: chat(true, options) });
      const kept = written.filter((_, index) => isUsageWanted || events[index]?.isUsageOnly !== true);
      expect(await answer.text()).toBe([...kept, `data: [DONE]${end}${end}`].join(""));
    });
    await fc.assert(property, { numRuns });
  });

  test.skipIf(process.env["TEST_CHAT_FRONT"] === "off")("the front has served most of it itself", async () => {
    const { served = 0, handed_over: handedOver = 0 } = await readFrontOutcomes(scene.sluice.url);
    expect(served).toBeGreaterThan(handedOver);
  });

  test("nobody was charged wrongly for any of it", async () => {
    expect(await scene.rig.checkMoney()).toEqual([]);
  });
});

const identityHeaders = [
  ...["user-agent", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "forwarded", "via"],
  ...["cookie", "origin", "referer", "accept-language", "openai-organization", "openai-project", "x-stainless-os"],
  ...["x-client-request-id", "x-request-id", "traceparent", "cf-connecting-ip", "true-client-ip", "dnt"],
  ...["x-relay-key", "x-svc-relay-key", "x-goog-api-key", "api-key", "x-sluice-client-address", "x-sluice-link"],
];

const providerHeaders = [
  ...["set-cookie", "server", "x-request-id", "openai-organization", "openai-processing-ms", "via", "alt-svc"],
  ...["x-ratelimit-limit-requests", "x-ratelimit-remaining-tokens", "access-control-allow-origin", "x-powered-by"],
  ...["strict-transport-security", "cf-ray", "x-should-retry", "www-authenticate", "location", "link", "etag"],
  "x-sluice-report",
];

const chat = (isStream: boolean, more: string): string =>
  `{"model":"gpt-4o-mini","stream":${isStream},"messages":[{"role":"user","content":"x"}]${more}}`;

type PlannedEvent = { readonly text: string; readonly isUsageOnly: boolean };

const usage = '{"prompt_tokens":1,"completion_tokens" : 2, "total_tokens":3}';
const plannedEvent: fc.Arbitrary<PlannedEvent> = fc.oneof(
  stringText.map((text) => ({
    text: `data: {"choices":[{"delta":{"content":${text}}}],"usage":null}`,
    isUsageOnly: false,
  })),
  stringText.map((text) => ({ text: `data:{"choices": [ {"delta":{"content":${text}}} ]}`, isUsageOnly: false })),
  fc.constantFrom(
    { text: `data: {"choices":[],"usage":${usage}}`, isUsageOnly: true },
    { text: `data: { "usage" : ${usage} , "choices" : [ ] }`, isUsageOnly: true },
    { text: `event: chunk\ndata: {"choices":[],"usage":${usage}}`, isUsageOnly: true },
    { text: `data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":${usage}}`, isUsageOnly: false },
    { text: 'data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}', isUsageOnly: false },
    { text: 'data: {"choices":[{"delta":{"content":"\\"usage\\": {\\"prompt_tokens\\": 1}"}}]}', isUsageOnly: false },
    { text: 'data: {"choices":[{"delta":{"content":"[DONE]"}}]}', isUsageOnly: false },
    { text: 'data: {"choices":[{"delta":{"content":"\\"error\\""}}],"error":null}', isUsageOnly: false },
    { text: ": keep-alive", isUsageOnly: false },
    { text: 'data: "JSON, but no object"', isUsageOnly: false },
  ),
);

const streamPlan = fc.record({
  events: fc.array(plannedEvent, { minLength: 1, maxLength: 12 }),
  isUsageWanted: fc.boolean(),
  seed: fc.integer(),
  end: fc.constantFrom("\n", "\r\n"),
});

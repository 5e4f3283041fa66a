/** Successful responses without content: the next channel is tried while nothing was sent, else the call fails. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { FaultRig } from "../support/calls/fault-rig.ts";
import { errorIn, eventPayloads, type RelayedResponse } from "../support/calls/relayed-call.ts";
import { promptMs } from "../support/values/patience.ts";
import { type RawHttpServer, startRawHttpServer } from "../support/wire/raw-http-server.ts";

const firstTokenMsMax = 2_000;
const limits = { UPSTREAM_FIRST_TOKEN_TIMEOUT_MS: String(firstTokenMsMax), UPSTREAM_IDLE_TIMEOUT_MS: "1500" };
const usage = { prompt_tokens: 3, completion_tokens: 4 };
const message = { role: "assistant", content: "hi" };

const operations = [
  ["/v1/chat/completions", {}, { choices: [{ index: 0, message, finish_reason: "stop" }] }],
  ["/v1/completions", { prompt: "hello" }, { choices: [{ index: 0, text: "hi", finish_reason: "stop" }] }],
  ["/v1/responses", { input: "hello" }, { output: [{ type: "message", ...message }] }],
  ["/v1/embeddings", { input: "hello" }, { data: [{ index: 0, embedding: [0.5] }] }],
  ["/v1/images/generations", { prompt: "a house" }, { data: [{ b64_json: "aGk=" }] }],
] as const;

const coveredBy = (path: string) => `covered${path.replaceAll("/", "-")}`;

const nothings: readonly (readonly [string, Behaviour["body"], string])[] = [
  ["an empty object", {}, "no_result"],
  ["an object with only a usage", { id: "x", usage }, "no_result"],
  ["an error beside a usage", { error: { message: "the engine fell over" }, usage }, "error_event"],
  ["a list", [], "no_json"],
];

describe("an empty response", () => {
  let faulty: FaultRig;
  let commenting: RawHttpServer;
  const timers = new Set<ReturnType<typeof setInterval>>();

  beforeAll(async () => {
    faulty = await FaultRig.create();
    commenting = startRawHttpServer({
      onRequest: (socket) => {
        socket.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
        timers.add(setInterval(() => socket.send(": keep-alive\n\n"), 50));
      },
    });
    const silent = { baseUrl: `http://127.0.0.1:${commenting.port}/v1` };
    // One for each operation: a channel that fails too often is not asked any more.
    for (const name of [...operations.map(([path]) => coveredBy(path)), "telling"]) {
      await faulty.addModel(name, [{ name: `${name}-1` }, { name: `${name}-2` }]);
    }
    await faulty.addModel("alone", [{ name: "alone-1" }]);
    await faulty.addModel("silent", [{ name: "silent-1", ...silent }, { name: "silent-2" }]);
    await faulty.addModel("silent-alone", [{ name: "silent-alone-1", ...silent }]);
    await faulty.start("one-process", limits);
  });

  afterEach(() => faulty.provider.reset());

  afterAll(async () => {
    timers.forEach(clearInterval);
    await faulty.waitUntilReleased();
    expect(await faulty.rig.checkMoney()).toEqual([]);
    await faulty.close();
    commenting.stop();
  });

  const script = (channel: string, behaviour: Behaviour) =>
    faulty.provider.script(behaviour, { match: { credential: `upstream-${channel}` } });
  const attemptsOf = async ({ requestId }: RelayedResponse) =>
    (await faulty.row(requestId)).attempts.map(({ channel, result, said }) => ({ channel, result, said }));
  const failed = { status: 502, code: "upstream_error" };
  const seen = ({ status, body }: RelayedResponse) => ({ status, code: errorIn(body)?.code });

  describe.each(operations)("of %s", (path, request, result) => {
    test.each(nothings)(
      "that is %s does not count as a response: the next channel gives one",
      async (_what, body, kind) => {
        const model = coveredBy(path);
        script(`${model}-1`, { body });
        script(`${model}-2`, { body: { ...result, usage } });
        const answer = await faulty.call(model, request, { path });
        expect(answer.status).toBe(200);
        expect(JSON.parse(answer.body.toString())).toEqual({ ...result, usage });
        expect(await attemptsOf(answer)).toMatchObject([
          { channel: `${model}-1`, result: kind },
          { channel: `${model}-2`, result: "answered" },
        ]);
      },
    );

    test("is a 502 that costs nothing if there is no other channel", async () => {
      script("alone-1", { body: { id: "x", usage } });
      const answer = await faulty.call("alone", request, { path });
      expect(seen(answer)).toEqual(failed);
      expect(await faulty.row(answer.requestId)).toMatchObject({ outcome: "failed", usage_source: "none", quota: 0n });
    });
  });

  test("is not one with an empty list of choices and a usage: the provider filtered that one", async () => {
    const body = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 0 } };
    script("alone-1", { body });
    const answer = await faulty.call("alone");
    expect({ status: answer.status, body: JSON.parse(answer.body.toString()) }).toEqual({ status: 200, body });
    expect((await faulty.row(answer.requestId)).outcome).toBe("completed");
  });

  test("that streams only comments is abandoned in time for the next channel", async () => {
    const startedAt = performance.now();
    const answer = await faulty.call("silent", { stream: true });
    expect({ status: answer.status, isWhole: answer.isWhole }).toEqual({ status: 200, isWhole: true });
    expect(eventPayloads(answer.body).at(-1)).toBe("[DONE]");
    expect(answer.body.toString()).not.toContain("keep-alive");
    expect(performance.now() - startedAt).toBeLessThan(firstTokenMsMax + promptMs);
    expect(await attemptsOf(answer)).toMatchObject([
      { channel: "silent-1", result: "first_byte_timeout" },
      { channel: "silent-2", result: "answered" },
    ]);
  });

  test("that streams only comments, without another channel, becomes a clean 504 in time and costs nothing", async () => {
    const startedAt = performance.now();
    const answer = await faulty.call("silent-alone", { stream: true });
    expect(seen(answer)).toEqual({ status: 504, code: "upstream_timeout" });
    expect(performance.now() - startedAt).toBeLessThan(firstTokenMsMax + promptMs);
    expect(await faulty.row(answer.requestId)).toMatchObject({ outcome: "failed", quota: 0n });
  });

  const failure = { message: "the engine fell over at key sk-abcdefghijklmnop0123456789", code: "server_error" };
  const kept = "the engine fell over at key sk-[redacted]";

  test.each([
    ["chat", "/v1/chat/completions", {}, { error: failure }],
    ["chat, in another form", "/v1/chat/completions", {}, { object: "error", ...failure }],
    ["responses", "/v1/responses", { input: "hi" }, { type: "error", ...failure }],
    [
      "responses that failed",
      "/v1/responses",
      { input: "hi" },
      { type: "response.failed", response: { id: "x", output: [], error: failure } },
    ],
  ])("whose first event is an error is kept in the provider's words: %s", async (_what, path, request, event) => {
    script("telling-1", { events: [event] });
    const answer = await faulty.call("telling", { ...request, stream: true }, { path });
    expect(answer.status).toBe(200);
    const [first] = await attemptsOf(answer);
    expect(first).toEqual({ channel: "telling-1", result: "error_event", said: kept });
    expect(answer.body.toString()).not.toContain("fell over");
  });

  test("that ends with an error after its first events is kept in the provider's words, too", async () => {
    const chunk = { choices: [{ index: 0, delta: { content: "hi" } }] };
    script("telling-1", { events: [chunk, { error: failure }] });
    const answer = await faulty.call("telling", { stream: true });
    expect(answer.isWhole).toBe(false);
    expect(await attemptsOf(answer)).toEqual([{ channel: "telling-1", result: "error_event", said: kept }]);
  });
});

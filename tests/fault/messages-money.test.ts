/** Customers of the Messages API who want to pay too little, and providers that report less than they did. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { FaultRig } from "../support/calls/fault-rig.ts";
import { relayedRequest } from "../support/calls/relayed-call.ts";
import { messagesModel, saveMapEntry } from "../support/messages/messages-rig.ts";
import { arrangements, type TestUser } from "../support/service/sluice.ts";
import { recomputedCost, type SettledRow, waitForSettledRows } from "../support/usage/settled-rows.ts";
import { connectRaw } from "../support/wire/raw-tcp-client.ts";

/** A name whose upstream is not asked for usage. */
const muteModel = "claude-mute";
const path = "/msgcompat/v1/messages";
const words = "some words and more ".repeat(500);
/** By our own count, at 5 letters a token. */
const tokensOfWords = 2_000n;
const text = "four words of text ";
const chunk = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, finish_reason: null }], ...more });
const role = chunk({ role: "assistant", content: "" });
const said = chunk({ content: words });
const called = (arguments_: string) =>
  chunk({ tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "look", arguments: arguments_ } }] });
const finish = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
const early = { usage: { prompt_tokens: 9, completion_tokens: 1 } };

describe.each(arrangements)("money on the Messages route, %s", (arrangement) => {
  let faulty: FaultRig;
  let user: TestUser;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    const price = { input_usd_per_m: "100", output_usd_per_m: "300", cache_write_usd_per_m: "125" };
    await faulty.rig.addTokenPriceModel("dear", price);
    await saveMapEntry(faulty.rig, { name: messagesModel, upstream_model: "dear" });
    await saveMapEntry(faulty.rig, { name: muteModel, upstream_model: "dear", flags: { include_usage: false } });
    await faulty.start(arrangement, { ABORTED_USAGE_TIMEOUT_MS: "100" });
  });

  afterEach(async () => {
    faulty.provider.reset();
    await faulty.waitUntilReleased();
    expect(await faulty.rig.checkMoney()).toEqual([]);
  });

  afterAll(() => faulty.close());

  const begin = async (behaviour: Behaviour) => {
    user = await faulty.rig.addUser();
    faulty.provider.script(behaviour, { times: "always" });
  };
  const ask = (fields: object) =>
    faulty.call(messagesModel, { max_tokens: 8_000, ...fields }, { path, apiKey: user.apiKey });
  const row = async (): Promise<SettledRow> => {
    const [settled, ...more] = await waitForSettledRows(faulty.rig.db, user.gatewayUserId, 1);
    if (settled === undefined || more.length > 0) {
      throw new Error("a call has one row");
    }
    expect(settled.quota).toBe(recomputedCost(settled));
    return settled;
  };

  /** Calls with a stream, and resets the connection once this text was received, or the provider was called. */
  const leave = async (fields: object, seen: string | null) => {
    const connection = await connectRaw(Number(new URL(faulty.relay.url).port));
    const body = { model: messagesModel, max_tokens: 8_000, stream: true, ...fields };
    connection.send(relayedRequest({ apiKey: user.apiKey, path, body }));
    await (seen === null ? faulty.provider.waitForHeld(0) : connection.waitForText(seen));
    connection.close("rst");
  };

  test.each<[string, object]>([
    ["after the prefix of a file", { messages: [{ role: "user", content: `;base64,${words}` }] }],
    ["as the address of an image", { system: `data:image/png;base64,${words}` }],
    ["in a tool", { tools: [{ name: "look", input_schema: { type: "object", examples: [{ data: words }] } }] }],
  ])("a prompt %s is charged as text when the provider counts nothing", async (_where, fields) => {
    await begin({ text, omitUsage: true });
    expect((await ask({ model: muteModel, ...fields })).status).toBe(200);
    expect(await row()).toMatchObject({ outcome: "completed", usageSource: "estimated" });
    expect((await row()).inputTokens).toBeGreaterThan(tokensOfWords);
  });

  test.each<[string, Behaviour]>([
    ["a text that begins like an image", { text: `data:image/png;base64,${words}`, omitUsage: true }],
    [
      "arguments with the names of usage fields",
      {
        body: {
          choices: [
            {
              finish_reason: "tool_calls",
              message: { tool_calls: [{ id: "c", function: { name: "look", arguments: { metadata: words } } }] },
            },
          ],
        },
      },
    ],
  ])("%s is charged as the text that it is", async (_what, behaviour) => {
    await begin(behaviour);
    const answer = await ask({ tools: [{ name: "look", input_schema: { type: "object" } }] });
    expect(answer.body.toString()).toContain(words);
    expect(await row()).toMatchObject({ usageSource: "estimated" });
    const { outputTokens } = await row();
    expect([outputTokens >= tokensOfWords, outputTokens < tokensOfWords + 20n]).toEqual([true, true]);
  });

  test.each<[string, Behaviour, string]>([
    ["is whole", { events: [chunk({ content: "x" }, early), said, finish, "[DONE]"] }, "completed"],
    ["breaks off", { events: [chunk({ content: "x" }, early), said], cut: { afterChunks: 2, with: "rst" } }, "failed"],
  ])("usage at the start of a stream that %s is not taken for the whole", async (_how, behaviour, outcome) => {
    await begin(behaviour);
    expect((await ask({ stream: true })).body.toString()).toContain(words);
    expect(await row()).toMatchObject({ outcome, usageSource: "estimated", inputTokens: 9n });
    expect((await row()).outputTokens).toBeGreaterThanOrEqual(tokensOfWords);
  });

  test.each<[string, Behaviour["events"], string | null, bigint]>([
    ["before the first event", [], null, 0n],
    ["when nothing was said", [role], "message_start", 0n],
    ["in the text", [role, said], words, tokensOfWords],
    ["after early usage, in the text", [{ ...role, ...early }, said], words, tokensOfWords],
    ["in thinking", [role, chunk({ reasoning_content: words })], words, tokensOfWords],
    ["in thinking that it is not shown", [role, chunk({ reasoning_content: words }), said], words, tokensOfWords * 2n],
    ["in a tool call", [role, called(`{"a":"${words}`)], "message_start", tokensOfWords],
    ["when only the usage is missing", [role, said, finish], words, tokensOfWords],
  ])("a client that leaves %s pays for the input and for what it was sent", async (when, events, seen, least) => {
    await begin({ events: [...(events ?? []), said], silence: { afterChunks: events?.length ?? 0 } });
    const thinking = when === "in thinking" ? { thinking: { type: "adaptive" } } : {};
    await leave({ ...thinking, system: words }, seen);
    const { outcome, inputTokens, outputTokens } = await row();
    const isInputPaid = inputTokens > tokensOfWords || when.startsWith("after early usage");
    expect([outcome, isInputPaid, outputTokens >= least]).toEqual(["aborted", true, true]);
  });

  test("what a provider wrote to its cache is charged at the price of writing, as the client is shown", async () => {
    await begin({ usage: { prompt_tokens: 1_000, prompt_tokens_details: { cache_creation_tokens: 900 } } });
    const { usage } = JSON.parse((await ask({})).body.toString()) as { usage: object };
    expect(usage).toMatchObject({ input_tokens: 100, cache_creation_input_tokens: 900 });
    expect(await row()).toMatchObject({ inputTokens: 1_000n, cacheWriteTokens: 900n });
  });

  test("thinking that a provider counts beside its answer is shown as it is charged", async () => {
    const completion_tokens_details = { reasoning_tokens: 100 };
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115, completion_tokens_details };
    await begin({ usage });
    const shown = JSON.parse((await ask({})).body.toString()) as { usage: object };
    expect(shown.usage).toMatchObject({ output_tokens: 105, output_tokens_details: { thinking_tokens: 100 } });
    expect(await row()).toMatchObject({ outputTokens: 105n, reasoningTokens: 100n });
  });

  test.each([
    ["max_tokens occurs twice", '"max_tokens":5,"max_tokens":50'],
    ["max_tokens occurs twice, once escaped", '"max_tokens":5,"\\u006dax_tokens":50'],
    ["the model occurs twice", '"max_tokens":5,"model":"claude-mute"'],
    ["a field of a tool occurs twice", '"max_tokens":5,"tools":[{"name":"a","name":"b","input_schema":{}}]'],
    ["max_tokens is in other letter case", '"MAX_TOKENS":5'],
    ["max_tokens is beyond any number", '"max_tokens":1e400'],
    ["max_tokens is beyond exact integers", '"max_tokens":9007199254740993'],
    ["max_tokens has a fraction", '"max_tokens":1.5'],
    ["max_tokens is below zero", '"max_tokens":-1'],
    ["max_tokens is a text", '"max_tokens":"5"'],
    ["thinking has more than max_tokens", '"max_tokens":2000,"thinking":{"type":"enabled","budget_tokens":2000}'],
  ])("no provider is called when %s", async (_what, fields) => {
    await begin({});
    const body = `{"model":"${messagesModel}","messages":[{"role":"user","content":"x"}],${fields}}`;
    const headers = { "x-api-key": user.apiKey, "content-type": "application/json" };
    const answer = await fetch(`${faulty.relay.url}${path}`, { method: "POST", headers, body });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { type: "invalid_request_error" } }]);
    expect(faulty.provider.requests).toEqual([]);
  });

  test("a request without a price reaches no provider", async () => {
    await begin({});
    const cached = { cache_control: { type: "ephemeral", ttl: "1h" } };
    const free = { ...cached, n: 5, best_of: 5, store: true, speed: "fast", inference_geo: "us", container: "c" };
    const answer = await ask({
      ...free,
      ...{ service_tier: "priority", mcp_servers: [{ type: "url", url: "https://example.com", name: "x" }] },
      ...{ betas: ["fast"], context_management: { edits: [{ type: "x" }] }, modalities: ["audio"], prediction: {} },
      tools: [
        { name: "look", input_schema: { type: "object" }, ...cached, allowed_callers: ["code_execution_20250825"] },
        { type: "web_search_20250305", name: "web_search" },
        { type: "web_fetch_20250910", name: "web_fetch" },
        { type: "code_execution_20250825", name: "code_execution" },
      ],
      messages: [{ role: "user", content: [{ type: "text", text: "x", ...cached }] }],
    });
    expect(answer.status).toBe(200);
    expect(JSON.parse(faulty.provider.requests[0]?.body.toString() ?? "")).toEqual({
      ...{ model: "dear", messages: [{ role: "user", content: "x" }], max_tokens: 8_000, stream: false },
      tools: [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }],
    });
  });

  test.each([
    ["/msgcompat/v1/messages/batches", 403],
    ["/msgcompat/v1/files", 403],
    ["/msgcompat/v1/complete", 404],
    ["/msgcompat/v1/skills", 404],
  ])("nothing is sent to %s, which is refused with %i", async (elsewhere, status) => {
    await begin({});
    const answer = await faulty.call(messagesModel, {}, { path: elsewhere, apiKey: user.apiKey });
    expect(answer.status).toBe(status);
    expect(faulty.provider.requests).toEqual([]);
  });
});

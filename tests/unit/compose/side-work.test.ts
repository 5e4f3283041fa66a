/** The side thread parses and converts a large body exactly as the main thread would. */
import { afterAll, describe, expect, test } from "bun:test";
import { convertAside, openSideThread, parseAside } from "@sluice/control-plane/compose/side-thread.ts";
import { parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";
import { convertBody } from "@sluice/control-plane/messages-compat/convert-body.ts";
import type { AppError } from "@sluice/control-plane/platform/errors.ts";
import { completeModelFlags } from "@sluice/messages-conversion/model-flags";
import { silentLog } from "../../support/trace/trace-fixtures.ts";

const thread = openSideThread(silentLog);
afterAll(() => thread.stop());

const padding = "x".repeat(2_000_000);
const json = "application/json";
const bytesOf = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
const chat = { model: "m", messages: [{ role: "user", content: padding }] };

/** An error, as far as a client sees it. */
async function failureOf(attempt: () => unknown): Promise<unknown[]> {
  try {
    await attempt();
  } catch (error) {
    const { code, message, status, param } = error as AppError;
    return [code, message, status, param];
  }
  throw new Error("nothing failed");
}

describe("a parsed body", () => {
  test.each([
    ["/v1/chat/completions", chat],
    ["/v1/chat/completions", { ...chat, stream: true }],
    ["/v1/chat/completions", { ...chat, stream: true, stream_options: { include_usage: true } }],
    ["/v1/responses", { model: "m", input: padding, tools: [{ type: "web_search" }, { type: "function", name: "f" }] }],
    ["/v1/embeddings", { model: "m", input: padding }],
  ])("of %s is the same on the side thread", async (path, body) => {
    const order = { body: bytesOf(body), contentType: json, path, mayAskForUsage: true };
    const here = parseRequest(order.body, json, findOperation(path), true);
    const { body: sent, plainBody, ...told } = await parseAside(thread, order);
    const { body: sentHere, plainBody: plainHere, ...toldHere } = here;
    expect(told).toEqual(toldHere);
    expect(Buffer.from(sent).equals(sentHere)).toBe(true);
    expect(plainBody === null).toBe(plainHere === null);
    expect(plainBody === null || Buffer.from(plainBody).equals(plainHere ?? new Uint8Array())).toBe(true);
    // The client's own bytes are not transferred to the other thread.
    expect(order.body.byteLength).toBeGreaterThan(padding.length);
  });

  test("that is a form is parsed on the side thread as well", async () => {
    const form = new FormData();
    form.append("model", "m");
    form.append("file", new Blob([new Uint8Array(1_500_000)], { type: "audio/wav" }), "a.wav");
    const request = new Response(form);
    const contentType = request.headers.get("content-type");
    const body = new Uint8Array(await request.arrayBuffer());
    const path = "/v1/audio/transcriptions";
    const parsed = await parseAside(thread, { body, contentType, path, mayAskForUsage: true });
    const here = parseRequest(body, contentType, findOperation(path));
    expect([parsed.model, parsed.bounds, parsed.body.byteLength]).toEqual([
      here.model,
      here.bounds,
      here.body.byteLength,
    ] as never);
  });

  test.each([
    ["{"],
    ['{"messages":[]}'],
    [JSON.stringify({ ...chat, stream: "yes" })],
    [JSON.stringify({ ...chat, n: -1 })],
  ])("that is invalid is refused with the same error: %#", async (text) => {
    const order = { body: Buffer.from(text), contentType: json, path: "/v1/chat/completions", mayAskForUsage: true };
    const there = await failureOf(() => parseAside(thread, order));
    expect(there).toEqual(await failureOf(() => parseRequest(order.body, json, findOperation(order.path))));
  });
});

describe("a converted body", () => {
  const models = new Map([
    ["claude", { upstreamModel: "up", flags: completeModelFlags({ include_usage: false, stop_limit: 1 }) }],
  ]);
  const request = { model: "claude", max_tokens: 9, messages: [{ role: "user", content: padding }] };

  test.each([
    ["a message", request, false],
    ["a stream", { ...request, stream: true, tools: [{ name: "a.b", input_schema: {} }] }, false],
    ["a count", { ...request, max_tokens: undefined }, true],
    ["nothing but a warm cache", { ...request, max_tokens: 0 }, false],
    ["what is refused", { ...request, stop_sequences: ["a", "b"] }, false],
    ["an unknown model", { ...request, model: "other" }, false],
    ["a conversation that is held elsewhere", { ...request, thread: {} }, false],
  ])("is the same on the side thread for %s", async (_name, body, isCount) => {
    const order = { bytes: bytesOf(body), isCount, isStrict: false, models };
    const [there, here] = [await convertAside(thread, order), convertBody(order)];
    const plain = (outcome: typeof here) =>
      "call" in outcome ? { ...outcome, call: { ...outcome.call, body: Buffer.from(outcome.call.body) } } : outcome;
    expect(plain(there)).toEqual(plain(here));
  });

  test("that is not JSON is refused with the same error", async () => {
    const order = { bytes: Buffer.from(`{"a":"${padding}`), isCount: false, isStrict: false, models };
    expect(await failureOf(() => convertAside(thread, order))).toEqual(await failureOf(() => convertBody(order)));
  });
});

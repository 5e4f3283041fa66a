/** The side thread parses and converts a large body exactly as the main thread would. */
import { afterAll, describe, expect, test } from "bun:test";
import { openAsideConversions, openSideThread, parseAside } from "@sluice/control-plane/compose/side-thread.ts";
import { parseRequest } from "@sluice/control-plane/gateway/admit/parse-request.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";
import {
  type ConversionOrder,
  type ConversionRefusal,
  type ConvertedAnswer,
  type ConvertedOrder,
  convertAnswer,
  convertOrder,
} from "@sluice/control-plane/gateway/upstreams/conversion-order.ts";
import type { AppError } from "@sluice/control-plane/platform/errors.ts";
import { viewOf } from "@sluice/http-client/packet-part";
import { plainFlags } from "../../support/conversion/plain-flags.ts";
import { silentLog } from "../../support/trace/trace-fixtures.ts";
import { threadMs } from "../../support/values/processor-time.ts";

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
    const order = { body: bytesOf(body), contentType: json, path };
    const here = parseRequest(order.body, json, findOperation(path));
    const { body: sent, plainBody, ...told } = await parseAside(thread, order);
    const { body: sentHere, plainBody: plainHere, ...toldHere } = here;
    expect(told).toEqual(toldHere);
    expect(viewOf(sent).equals(viewOf(sentHere))).toBe(true);
    expect(plainBody === null).toBe(plainHere === null);
    expect(plainBody === null || viewOf(plainBody).equals(viewOf(plainHere ?? new Uint8Array()))).toBe(true);
    // The client's own bytes are not transferred to the other thread.
    expect(order.body.byteLength).toBeGreaterThan(padding.length);
  });

  test("that is a form is parsed on the side thread, too", async () => {
    const form = new FormData();
    form.append("model", "m");
    form.append("file", new Blob([new Uint8Array(1_500_000)], { type: "audio/wav" }), "a.wav");
    const request = new Response(form);
    const contentType = request.headers.get("content-type");
    const body = new Uint8Array(await request.arrayBuffer());
    const path = "/v1/audio/transcriptions";
    const parsed = await parseAside(thread, { body, contentType, path });
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
    const order = { body: Buffer.from(text), contentType: json, path: "/v1/chat/completions" };
    const there = await failureOf(() => parseAside(thread, order));
    expect(there).toEqual(await failureOf(() => parseRequest(order.body, json, findOperation(order.path))));
  });
});

describe("a converted body", () => {
  const aside = openAsideConversions(thread);
  const never = new AbortController().signal;
  const settings = {
    ...{ upstreamModel: "up", clientModel: "m", outputTokensMax: 1_000, nowSeconds: 1_800_000_000 },
    flags: { ...plainFlags, thinking: "budget" as const },
  };
  const tools = [{ type: "function", function: { name: "a b", parameters: { type: "object" } } }];
  const talk = { model: "m", max_tokens: 9, messages: [{ role: "user", content: padding }] };
  const orders: [string, Omit<ConversionOrder, "bytes" | "settings">, object][] = [
    ["messages as chat", { from: "messages", to: "chat", asksUsage: false }, talk],
    [
      "a stream of messages with tools",
      { from: "messages", to: "chat", asksUsage: true },
      { ...talk, stream: true, tools: [{ name: "a.b", input_schema: {} }] },
    ],
    ["a warm cache", { from: "messages", to: "chat", asksUsage: false }, { ...talk, max_tokens: 0 }],
    ["what is refused", { from: "messages", to: "chat", asksUsage: false }, { ...talk, stop_sequences: 5 }],
    ["chat as messages", { from: "chat", to: "messages", asksUsage: false }, { ...talk, tools }],
    [
      "responses as chat",
      { from: "responses", to: "chat", asksUsage: true },
      { model: "m", input: padding, stream: true },
    ],
    ["responses as messages", { from: "responses", to: "messages", asksUsage: false }, { model: "m", input: padding }],
  ];
  const plain = (outcome: ConvertedOrder | ConversionRefusal) =>
    "refusal" in outcome
      ? outcome
      : {
          ...outcome,
          ready: outcome.ready === null,
          body: Buffer.from(outcome.body),
          plainBody: outcome.plainBody?.byteLength,
        };

  test.each(orders)("is the same on the side thread, and so are its answers: %s", async (_name, order, body) => {
    const whole = { ...order, settings, bytes: bytesOf(body) };
    const [there, here] = [await aside.convert(whole, never), convertOrder(whole)];
    expect(plain(there)).toEqual(plain(here));
    if ("refusal" in there || there.ready !== null) {
      return;
    }
    const content = "four words of text ".repeat(50_000);
    const answer =
      order.to === "chat"
        ? { choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }] }
        : { type: "message", content: [{ type: "text", text: content }], stop_reason: "end_turn" };
    const { from, to } = order;
    for (const eventsSent of [null, 0]) {
      const asked = { from, to, facts: there.facts, isThoughtInTotal: false, body: bytesOf(answer), eventsSent };
      const [answered, answeredHere] = [await aside.convertAnswer(asked, never), convertAnswer(asked)];
      const blank = (found: ConvertedAnswer | null) =>
        viewOf(found?.bytes ?? new Uint8Array())
          .toString()
          .replaceAll(/(msg|chatcmpl-|resp|rs)_?[0-9a-f]{24}/g, "id");
      expect(blank(answered)).toBe(blank(answeredHere));
      expect(answered?.isEvents).toBe(answeredHere?.isEvents);
      expect(blank(answered)).toContain("four words of text");
    }
  });

  test("that is not a response is none on the side thread either", async () => {
    const order = { from: "messages", to: "chat", settings, asksUsage: false, bytes: bytesOf(talk) } as const;
    const converted = convertOrder(order);
    const facts = "refusal" in converted ? {} : converted.facts;
    const asked = { from: "messages", to: "chat", facts, isThoughtInTotal: false, eventsSent: null } as const;
    for (const body of [bytesOf({ choices: [] }), Buffer.from("{")]) {
      expect(await aside.convertAnswer({ ...asked, body }, never)).toBeNull();
    }
  });

  test("is not made for a client that has left, and its place in the line is free", async () => {
    const leaving = new AbortController();
    const order = { from: "messages", to: "chat", settings, asksUsage: false, bytes: bytesOf(talk) } as const;
    const first = aside.convert(order, never);
    const left = Array.from({ length: 100 }, () => failureOf(() => aside.convert(order, leaving.signal)));
    leaving.abort();
    const outcomes = await Promise.all(left);
    expect(new Set(outcomes.map((outcome) => outcome[0]))).toEqual(new Set(["client_closed_request"]));
    expect(await first).toHaveProperty("facts");
    expect(await aside.convert(order, never)).toHaveProperty("facts");
  });

  test("waits in a line that has an end", async () => {
    const order = { from: "messages", to: "chat", settings, asksUsage: false, bytes: bytesOf(talk) } as const;
    const asked = await Promise.allSettled(Array.from({ length: 80 }, () => aside.convert(order, never)));
    const refused = asked.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused.map(({ reason }) => reason.code))).toEqual(new Set(["temporarily_unavailable"]));
    expect(asked.length - refused.length).toBeGreaterThanOrEqual(64);
  });

  test("of 16 MiB keeps nobody waiting: neither its request nor its response", async () => {
    const large = "four words of text ".repeat(860_000);
    const bytes = bytesOf({ ...talk, messages: [{ role: "user", content: large }] });
    const order = { from: "messages", to: "chat", settings, asksUsage: false, bytes } as const;
    const choices = [{ index: 0, message: { role: "assistant", content: large }, finish_reason: "stop" }];
    const body = bytesOf({ choices });
    await aside.convert({ ...order, bytes: bytesOf(talk) }, never);
    let longestMs = 0;
    let lastMs = threadMs();
    const clock = setInterval(() => {
      const nowMs = threadMs();
      longestMs = Math.max(longestMs, nowMs - lastMs);
      lastMs = nowMs;
    }, 1);
    const converted = await aside.convert(order, never);
    const facts = "refusal" in converted ? {} : converted.facts;
    const answer = await aside.convertAnswer(
      { from: "messages", to: "chat", facts, isThoughtInTotal: false, body, eventsSent: null },
      never,
    );
    clearInterval(clock);
    expect(answer?.bytes.byteLength).toBeGreaterThan(16_000_000);
    // Of processor time: it is less than 20.
    expect(longestMs).toBeLessThan(100);
  });
});

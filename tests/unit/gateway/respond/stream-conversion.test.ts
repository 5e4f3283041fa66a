import { describe, expect, test } from "bun:test";
import { EventConverter } from "@sluice/control-plane/gateway/upstreams/convert-answer.ts";
import { type ClientEvent, ConversionError, type JsonObject } from "@sluice/dialect-conversion/model";
import { chunk, runEventStream as run, usageChunk } from "../../../support/calls/event-stream-run.ts";
import { settlePromises } from "../../../support/values/fake-time.ts";

/** Repeats each chunk under another name, and refuses one with a `bad` choice. */
const echo = {
  take(payload: JsonObject): ClientEvent[] {
    const text = JSON.stringify(payload);
    if (text.includes("bad")) {
      throw new ConversionError("bad");
    }
    return text.includes("silent") ? [] : [{ event: "echo", data: { was: payload["choices"] ?? null } }];
  },
  end: (): ClientEvent[] => [{ event: "over", data: {} }],
};

const open = () => run({ converter: new EventConverter(echo) });
const event = (data: string) => Buffer.from(`data: ${data}\n\n`);

describe("a stream for a client of another dialect", () => {
  test("has the converted events, and its end only after the end of the upstream", async () => {
    const { body, sent, endings, readable } = open();
    const reading = new Response(readable).text();
    body.push(event(chunk({ content: "a" })));
    body.push(event(chunk({ content: "silent" })));
    await settlePromises();
    expect(sent()).toBe('event: echo\ndata: {"was":[{"index":0,"delta":{"content":"a"}}]}\n\n');
    body.push(event(usageChunk));
    body.push(event("[DONE]"));
    body.end();
    expect(await reading).toEndWith('event: echo\ndata: {"was":[]}\n\nevent: over\ndata: {}\n\n');
    expect(endings).toEqual([{ kind: "completed" }]);
  });

  test("is counted by what the upstream sent", async () => {
    const { body, usages } = open();
    body.push(event(usageChunk));
    await settlePromises();
    expect(usages).toEqual([{ prompt_tokens: 1, completion_tokens: 2 }]);
  });

  test("begins with the first event for the client, and passes comments on", async () => {
    const { body, sent } = open();
    body.push(Buffer.from(": waiting\n\n"));
    body.push(event(chunk({ content: "silent" })));
    await settlePromises();
    expect(sent()).toBe("");
    body.push(event(chunk({ content: "a" })));
    body.push(Buffer.from(": still here\n\n"));
    await settlePromises();
    expect(sent()).toStartWith(": waiting\n\nevent: echo\n");
    expect(sent()).toEndWith(": still here\n\n");
  });

  test("gets comments in place of the upstream's own signs of life and its end mark", async () => {
    const { body, sent, readable } = run({ converter: new EventConverter(echo), form: "messages" });
    const reading = new Response(readable).text();
    body.push(Buffer.from('event: ping\ndata: {"type":"ping"}\n\n'));
    body.push(event('{"type":"content_block_delta","index":0}'));
    body.push(Buffer.from(": still here\ndata: [DONE]\n\n"));
    body.push(event("[DONE]"));
    await settlePromises();
    expect(sent()).toBe(':\n\nevent: echo\ndata: {"was":null}\n\n:\n\n:\n\n');
    body.push(event('{"type":"message_delta","delta":{"stop_reason":"end_turn"}}'));
    body.push(event('{"type":"message_stop"}'));
    body.end();
    expect(await reading).toEndWith("event: over\ndata: {}\n\n");
  });

  test.each([
    ["an event that can't be converted", event(chunk({ content: "bad" })), "broken_event"],
    ["an error of the upstream", event('{"error":{"message":"x"}}'), "error_event"],
  ])("fails after %s, without an end mark", async (_name, bytes, kind) => {
    const { body, sent, endings } = open();
    body.push(event(chunk({ content: "a" })));
    body.push(bytes);
    await settlePromises();
    expect(endings.map((ending) => ending.kind)).toEqual([kind] as never);
    expect(sent()).not.toContain("over");
  });

  test("never looks complete when the upstream is cut", async () => {
    const { body, sent, endings } = open();
    body.push(event(chunk({ content: "a" })));
    body.end();
    await settlePromises();
    expect(endings.map(({ kind }) => kind)).toEqual(["cut"]);
    expect(sent()).not.toContain("over");
  });
});

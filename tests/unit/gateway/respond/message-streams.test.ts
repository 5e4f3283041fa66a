/** Streams of the Messages API on their way through the gateway. */
import { describe, expect, test } from "bun:test";
import { HttpClientError } from "@sluice/http-client/model";
import fc from "fast-check";
import { runEventStream } from "../../../support/calls/event-stream-run.ts";
import { settlePromises } from "../../../support/values/fake-time.ts";

const event = (payload: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`;
const text = (words: string) =>
  event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } });
const begun = event({ type: "message_start", message: { usage: { input_tokens: 3, output_tokens: 1 } } });
const ping = event({ type: "ping" });
const block = event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
const blockEnd = event({ type: "content_block_stop", index: 0 });
const stopped = event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } });
const stop = event({ type: "message_stop" });
const whole = [
  begun,
  ping,
  block,
  text('a "message_stop" \u00e9'),
  text("data: [DONE]\n\n"),
  blockEnd,
  stopped,
  stop,
].join("");

const run = () => runEventStream({ form: "messages" });

test("a stream in any packets reaches the client byte for byte, and is complete", async () => {
  const bytes = Buffer.from(whole);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 30 }), async (cuts) => {
      const { body, sent, endings } = run();
      let from = 0;
      for (const to of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
        body.push(bytes.subarray(from, to));
        from = to;
      }
      body.end();
      await settlePromises();
      expect([sent(), endings]).toEqual([whole, [{ kind: "completed" }]]);
    }),
    { numRuns: process.env["TEST_FULL"] === "1" ? 5_000 : 200 },
  );
});

test("a stream that is cut before its message has stopped never looks complete", async () => {
  const bytes = Buffer.from(whole);
  const end = bytes.indexOf(stopped) + Buffer.byteLength(stopped) - "\n\n".length;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: Buffer.byteLength(begun), max: end - 1 }), fc.boolean(), async (at, isReset) => {
      const { body, sent, endings } = run();
      body.push(bytes.subarray(0, at));
      if (isReset) {
        body.sink.onError(new HttpClientError("reset_in_body", true, "reset"));
      } else {
        body.end();
      }
      await settlePromises();
      expect(endings.map(({ kind }) => kind === "completed")).toEqual([false]);
      expect(sent()).not.toContain(stop);
    }),
    { numRuns: process.env["TEST_FULL"] === "1" ? 5_000 : 200 },
  );
});

describe("the last event", () => {
  test.each(["end", "reset"] as const)("is added to a message that has stopped (%s)", async (how) => {
    const { body, sent, endings } = run();
    body.push(Buffer.from(begun + stopped));
    if (how === "end") {
      body.end();
    } else {
      body.sink.onError(new HttpClientError("reset_in_body", true, "reset"));
    }
    await settlePromises();
    expect([sent(), endings]).toEqual([begun + stopped + stop, [{ kind: "completed" }]]);
  });

  test("is not an end mark of chat completions", async () => {
    const { body, endings } = run();
    body.push(Buffer.from(`${begun}data: [DONE]\n\n`));
    body.end();
    await settlePromises();
    expect(endings).toEqual([{ kind: "cut", error: null }]);
  });
});

test.each([
  event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
  'data: {"error":{"message":"in the words of another API"}}\n\n',
])("an error ends the stream, and before the first event another channel may be tried: %p", async (error) => {
  const early = run();
  early.body.push(Buffer.from(ping + error));
  expect((await early.opening).kind).toBe("error_event");
  const late = run();
  late.body.push(Buffer.from(begun + error));
  await settlePromises();
  expect(late.endings).toMatchObject([{ kind: "error_event" }]);
  expect(late.sent()).toBe(begun);
});

test("a type that is the name of something else in a program is an unknown event", async () => {
  const odd = event({ type: "constructor" });
  const { body, sent } = run();
  body.push(Buffer.from(begun + odd));
  await settlePromises();
  expect(sent()).toBe(begun + odd);
});

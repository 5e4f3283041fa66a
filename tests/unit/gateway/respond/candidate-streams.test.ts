import { describe, expect, test } from "bun:test";
import { runEventStream } from "../../../support/calls/event-stream-run.ts";
import { settlePromises } from "../../../support/values/fake-time.ts";

const event = (value: object) => Buffer.from(`data: ${JSON.stringify(value)}\r\n\r\n`);
const candidate = (text: string, finishReason?: string, index?: number) => ({
  candidates: [
    {
      content: { role: "model", parts: [{ text }] },
      ...(finishReason === undefined ? {} : { finishReason }),
      ...(index === undefined ? {} : { index }),
    },
  ],
});

async function endingOf(...events: readonly object[]): Promise<string | undefined> {
  const { body, endings } = runEventStream({ form: "candidates" });
  for (const one of events) {
    body.push(event(one));
  }
  body.end();
  await settlePromises();
  return endings[0]?.kind;
}

describe("a stream of the Gemini API", () => {
  test("is complete when every candidate has a finish reason, or the prompt was blocked", async () => {
    expect(await endingOf(candidate("a"), candidate("b", "STOP"))).toBe("completed");
    expect(await endingOf(candidate("a", "STOP", 0), candidate("b", "MAX_TOKENS", 1))).toBe("completed");
    expect(await endingOf({ promptFeedback: { blockReason: "SAFETY" } })).toBe("completed");
  });

  test("never looks complete when it was cut, even at the proper end of a body", async () => {
    expect(await endingOf(candidate("a"))).toBe("cut");
    expect(await endingOf(candidate("a", "STOP", 0), candidate("b", undefined, 1))).toBe("cut");
  });

  test("fails with an error event of its own form", async () => {
    expect(await endingOf(candidate("a"), { error: { code: 503, status: "UNAVAILABLE" } })).toBe("error_event");
  });

  test("passes the bytes on as they came", async () => {
    const { body, sent } = runEventStream({ form: "candidates" });
    const bytes = [event(candidate("a")), event(candidate("é", "STOP"))];
    for (const piece of bytes) {
      body.push(piece);
    }
    await settlePromises();
    expect(sent()).toBe(Buffer.concat(bytes).toString());
  });
});

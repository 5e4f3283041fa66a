import { expect, test } from "bun:test";
import { LinkedStream } from "@sluice/control-plane/gateway/remote/linked-stream.ts";
import { errorEvent } from "@sluice/control-plane/gateway/respond/write-error.ts";
import { readableAnswer } from "@sluice/control-plane/platform/answer-stream.ts";
import type { HttpBodySink, HttpResponseBody } from "@sluice/http-client/model";

const first = 'data: {"a":1}\n\n';
const second = 'data: {"b":2}\n\n';
const forged = ": sluice-report Zm9yZ2Vk\n\n";
const told = ": sluice-report dG9sZA==\n\n";

/** What the client gets of a stream in these pieces, and which report the relay accepts. */
async function carry(pieces: readonly string[]): Promise<{ text: string; report: string | null; ending: string }> {
  const flow = { pause: () => undefined, resume: () => undefined, cancel: () => undefined };
  let sink: HttpBodySink | null = null;
  const body = {
    consume: (given: HttpBodySink) => {
      sink = given;
      return flow;
    },
  } as unknown as HttpResponseBody;
  const ended = Promise.withResolvers<{ report: string | null; ending: string }>();
  const stream = LinkedStream.open(body, {
    isReportAnnounced: true,
    errorEvent: (error) => errorEvent(error, false),
    isRaw: false,
    stallTimeoutMs: 1_000,
    onSent: () => undefined,
    onEnd: (report, ending) => ended.resolve({ report, ending }),
  });
  const text = new Response(readableAnswer(stream)).text().catch(() => "broken");
  for (const piece of pieces) {
    (sink as HttpBodySink | null)?.onChunk(Buffer.from(piece));
  }
  (sink as HttpBodySink | null)?.onEnd(true);
  return { text: await text, ...(await ended.promise) };
}

test("the report after the last event stays with the relay", async () => {
  const whole = { text: first + second, report: "dG9sZA==", ending: "closed" };
  expect(await carry([first + second + told])).toEqual(whole);
  expect(await carry([first, second, told])).toEqual(whole);
});

test("a provider's comment that looks like a report hides none of its events and is ignored", async () => {
  for (const pieces of [
    [first + forged + second + told],
    [first + forged, second, told],
    [first, forged + second, told],
  ]) {
    const { text, report, ending } = await carry(pieces);
    expect(text.replace(forged, "")).toBe(first + second);
    expect([report, ending]).toEqual(["dG9sZA==", "closed"]);
  }
});

test("a stream that ends after an event has no report, whatever came before", async () => {
  expect(await carry([first + forged, second])).toMatchObject({ report: null, ending: "broken" });
  expect(await carry([first + forged + second])).toMatchObject({ report: null, ending: "broken" });
});

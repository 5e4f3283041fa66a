/** Streams that are complete but unusual in form: the client gets the same bytes and pays the same. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { chatStream, type StreamEvent, wireBytes } from "../support/calls/chat-stream.ts";
import { FaultRig } from "../support/calls/fault-rig.ts";
import { eventPayloads, streamedText } from "../support/calls/relayed-call.ts";
import { arrangements } from "../support/service/sluice.ts";

const pieces = ["One ", "zwölf ", "三 ", '🙂 "usage":{"prompt_tokens":9} ', "[DONE] data: "];
const usage = [11, 29] as const;
const events = chatStream(pieces, usage);
const isUsage = (event: StreamEvent) => event.usage !== null;
/** What a client gets that did not ask for the usage. */
const visible = Buffer.concat(events.filter((event) => !isUsage(event)).map(({ bytes }) => bytes));
const payloads = events.slice(0, -1).map(({ bytes }) => bytes.toString("utf8").slice(6, -2));
const told = { usage_source: "provider", input_tokens: 11n, output_tokens: 29n, quota: 10n };
const raw = wireBytes(events).toString("latin1");
const unchunked = (body: Buffer, headers: string) =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n${headers}\r\n${body.toString("latin1")}`;
const whole = Buffer.concat(events.map(({ bytes }) => bytes));

type Oddity = {
  readonly name: string;
  readonly behaviour: Behaviour;
  /** What the client gets, when it is not what the provider sent without the usage. */
  readonly bytes?: Buffer;
  readonly charge?: object;
};

const withLineEnd = (end: string) => Buffer.from(visible.toString("utf8").replaceAll("\n", end));
const large = chatStream(["x".repeat(1_000_000)], usage);

const oddities: readonly Oddity[] = [
  { name: "every byte by itself", behaviour: { raw, splitAt: "every-byte" } },
  { name: "pieces of random length", behaviour: { raw, splitAt: { seed: 7, bytesMax: 40 } } },
  { name: "lines that end with CRLF", behaviour: { events: payloads, lineEnd: "crlf" }, bytes: withLineEnd("\r\n") },
  {
    name: "lines that end with CRLF, every byte by itself",
    behaviour: { events: payloads, lineEnd: "crlf", splitAt: "every-byte" },
    bytes: withLineEnd("\r\n"),
  },
  { name: "lines that end with CR", behaviour: { events: payloads, lineEnd: "cr" }, bytes: withLineEnd("\r") },
  { name: "an interim response 100", behaviour: { events: payloads, informational: [100] } },
  { name: "interim responses 103 and 100", behaviour: { events: payloads, informational: [103, 100] } },
  { name: "a declared length", behaviour: { raw: unchunked(whole, `Content-Length: ${whole.length}\r\n`) } },
  {
    name: "the end of the connection for the end of the body",
    behaviour: {
      raw: unchunked(whole, "Connection: close\r\n"),
      closeAfter: true,
      cut: { afterBytes: 1_000_000, with: "fin" },
    },
  },
  {
    name: "no empty line after [DONE]",
    behaviour: { raw: unchunked(whole.subarray(0, -2), `Content-Length: ${whole.length - 2}\r\n`) },
  },
  {
    name: "more events after [DONE]",
    behaviour: { raw: unchunked(Buffer.concat([whole, whole]), `Content-Length: ${whole.length * 2}\r\n`) },
  },
  { name: "no [DONE]", behaviour: { raw: wireBytes(events.slice(0, -1)).toString("latin1") } },
  {
    name: "neither usage nor [DONE]",
    behaviour: { raw: wireBytes(events.slice(0, -2)).toString("latin1") },
    charge: { usage_source: "estimated", output_tokens: 13n },
  },
  {
    name: "no usage",
    behaviour: { raw: wireBytes(events.filter((event) => !isUsage(event))).toString("latin1") },
    charge: { usage_source: "estimated", output_tokens: 13n },
  },
  {
    name: "an event of a megabyte",
    behaviour: { raw: wireBytes(large).toString("latin1") },
    bytes: Buffer.concat(large.filter((event) => !isUsage(event)).map(({ bytes }) => bytes)),
  },
  {
    name: "an informational response split from the head",
    behaviour: { raw: `HTTP/1.1 100 Continue\r\n\r\n${raw}`, splitAt: [5, 25, 30] },
  },
];

describe.each(arrangements)("unusual but complete, %s", (arrangement) => {
  let faulty: FaultRig;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    await faulty.addModel("odd", [{ name: "odd" }]);
    await faulty.start(arrangement);
  });

  afterAll(async () => {
    await faulty.close();
  });

  test.each(oddities)("$name: the same bytes, the same charge", async ({ behaviour, bytes, charge }) => {
    faulty.provider.script(behaviour);
    const answer = await faulty.call("odd", { stream: true });
    expect({ status: answer.status, isWhole: answer.isWhole }).toEqual({ status: 200, isWhole: true });
    const expected = bytes ?? visible;
    expect(eventPayloads(answer.body)).toEqual(eventPayloads(expected));
    expect(answer.body.equals(expected) || answer.body.equals(Buffer.concat([expected, Buffer.from("\n")]))).toBe(true);
    expect(await faulty.row(answer.requestId)).toMatchObject({
      outcome: "completed",
      error_code: null,
      ...(charge ?? told),
    });
    await faulty.provider.waitForIdle();
  });

  test("comments of the provider reach the client and are not events", async () => {
    faulty.provider.script({ events: payloads, commentEvery: 1, splitAt: { seed: 3, bytesMax: 25 } });
    const answer = await faulty.call("odd", { stream: true });
    expect(answer.isWhole).toBe(true);
    expect(eventPayloads(answer.body)).toEqual(eventPayloads(visible));
    expect(answer.body.toString("utf8").match(/^: sandbox keep-alive$/gm)?.length).toBeGreaterThan(5);
    expect(streamedText(answer.body)).toBe(pieces.join(""));
  });

  test.each(["every-chunk", "with-finish"] as const)("usage reported %s is charged", async (usagePlacement) => {
    faulty.provider.script({
      text: "four words of text",
      usagePlacement,
      usage: { prompt_tokens: 11, completion_tokens: 29 },
    });
    const answer = await faulty.call("odd", { stream: true });
    expect(eventPayloads(answer.body).at(-1)).toBe("[DONE]");
    expect(await faulty.row(answer.requestId)).toMatchObject({ outcome: "completed", ...told });
  });

  test("a response without any output is free, streamed and whole", async () => {
    faulty.provider.script({ chunks: 0, usage: { prompt_tokens: 11, completion_tokens: 0 } }, { times: 2 });
    for (const body of [{ stream: true }, {}]) {
      const answer = await faulty.call("odd", body);
      expect(answer.status).toBe(200);
      expect(await faulty.row(answer.requestId)).toMatchObject({
        outcome: "completed",
        usage_source: "none",
        quota: 0n,
      });
    }
  });

  test("a complete response without usage is charged by our own count", async () => {
    faulty.provider.script({ text: "four words of text", omitUsage: true });
    const answer = await faulty.call("odd");
    expect(await faulty.row(answer.requestId)).toMatchObject({ usage_source: "estimated", output_tokens: 4n });
  });

  test("afterwards nothing is held and the books are correct", async () => {
    await faulty.waitUntilReleased();
    expect(await faulty.rig.checkMoney()).toEqual([]);
  });
});

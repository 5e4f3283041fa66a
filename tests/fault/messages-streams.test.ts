/** Streams of the messages route whose provider is silent, cut off or odd, and whose client is slow or gone. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { MessagesRig, messagesModel } from "../support/messages/messages-rig.ts";
import { arrangements } from "../support/service/sluice.ts";
import { promptMs } from "../support/values/patience.ts";
import { connectRaw, type RawConnection } from "../support/wire/raw-tcp-client.ts";

const isFull = process.env["TEST_FULL"] === "1";
const stallTimeoutMs = 3_000;
const words = { text: "one two three four five" };
const silent = { ...words, silence: { afterBytes: 0 } } satisfies Behaviour;

/** The types of the events, runs of deltas as one. */
function typesOf(body: string): string[] {
  const types = [...body.matchAll(/^event: (\w+)$/gm)].map((match) => match[1] ?? "");
  return types.filter((type, index) => type !== "content_block_delta" || types[index - 1] !== type);
}

const whole = [
  ...["message_start", "ping", "content_block_start", "content_block_delta", "content_block_stop"],
  ...["message_delta", "message_stop"],
];

describe.each(arrangements)("streams of messages, %s", (arrangement) => {
  let messages: MessagesRig;

  beforeAll(async () => {
    messages = await MessagesRig.start(arrangement, {
      STREAM_STALL_TIMEOUT_MS: String(stallTimeoutMs),
      ABORTED_USAGE_TIMEOUT_MS: "0",
    });
  });
  afterEach(() => messages.provider.reset());
  afterAll(() => messages.close());

  const stream = (fields: object = {}): Promise<Response> => messages.post({ stream: true, ...fields });

  /** Reads on until the text so far contains this that many times, or to the end, and returns all of it. */
  const readerOf = (answer: Response): ((mark: string | null, times?: number) => Promise<string>) => {
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let text = "";
    return async (mark, times = 1) => {
      while (mark === null || text.split(mark).length <= times) {
        const part = await reader.read();
        if (part.done) {
          return text;
        }
        text += decoder.decode(part.value, { stream: true });
      }
      return text;
    };
  };

  const raw = async (fields: object = {}): Promise<RawConnection> => {
    const connection = await connectRaw(Number(new URL(messages.sluice.url).port));
    const body = JSON.stringify({
      ...{ model: messagesModel, max_tokens: 100, stream: true, messages: [{ role: "user", content: "Hello" }] },
      ...fields,
    });
    connection.send(
      `POST /msgcompat/v1/messages HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${messages.user.apiKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    return connection;
  };

  test("a silent provider: the client receives something within the time that clients wait", async () => {
    const { provider } = messages;
    provider.script(silent, { match: { bodyIncludes: "late start" } });
    provider.script({ ...words, silence: { afterChunks: 3 } }, { match: { bodyIncludes: "in the middle" } });
    provider.script(
      { toolCalls: [{ name: "f", arguments: { a: "b".repeat(200) } }], silence: { afterChunks: 3 } },
      { match: { bodyIncludes: "in a call" } },
    );
    provider.script({ status: 400, silence: { afterBytes: 0 } }, { match: { bodyIncludes: "late refusal" } });
    const ask = (content: string, fields: object = {}) => stream({ messages: [{ role: "user", content }], ...fields });
    const startedAtMs = performance.now();
    const release = (content: string) => provider.requests.find(({ body }) => body.includes(content))?.release();

    const lateStart = async () => {
      const read = readerOf(await ask("late start"));
      expect(typesOf(await read("event: ping"))).toEqual(["message_start", "ping"]);
      if (isFull) {
        await read("event: ping", 2);
      }
      release("late start");
      expect(typesOf(await read(null)).filter((type) => type !== "ping")).toEqual(
        whole.filter((type) => type !== "ping"),
      );
    };
    const inTheMiddle = async () => {
      const read = readerOf(await ask("in the middle"));
      const seen = await read("event: content_block_delta");
      const ahead = typesOf(seen).length;
      await read("event: ping", 2);
      release("in the middle");
      expect(typesOf(await read(null)).slice(ahead - 1)).toEqual([
        ...[
          "content_block_delta",
          "ping",
          "content_block_delta",
          "content_block_stop",
          "message_delta",
          "message_stop",
        ],
      ]);
    };
    const inCall = async () => {
      const tools = [{ name: "f", input_schema: { type: "object" } }];
      const read = readerOf(await ask("in a call", { tools }));
      await read('"partial_json":""');
      release("in a call");
      expect(await read(null)).toContain(`"partial_json":"{\\"a\\":\\"${"b".repeat(200)}\\"}"`);
    };
    const lateRefusal = async () => {
      const answer = await ask("late refusal");
      expect(answer.status).toBe(200);
      const read = readerOf(answer);
      await read("event: ping");
      release("late refusal");
      const body = await read(null);
      expect(typesOf(body)).toEqual(["message_start", "ping", "error"]);
      expect(body).toContain('"type":"invalid_request_error"');
    };
    await Promise.all([lateStart(), inTheMiddle(), inCall(), lateRefusal()]);
    expect(performance.now() - startedAtMs).toBeLessThan((isFull ? 20_000 : 10_000) + 2 * promptMs);
    expect(await messages.rig.checkMoney()).toEqual([]);
  });

  describe("an incomplete stream ends in an error event and never looks complete", () => {
    const cuts = [1, 2, 3, 4].flatMap((afterChunks) =>
      (["fin", "rst"] as const).map((how): [string, Behaviour] => [
        `${how} after ${afterChunks} chunks`,
        { ...words, cut: { afterChunks, with: how } },
      ]),
    );
    test.each([
      ...cuts,
      ["an error event", { ...words, errorEventAfter: 3 }] as [string, Behaviour],
      ["broken framing", { ...words, malformedFraming: 3 }] as [string, Behaviour],
      ["an event that is cut off", { ...words, malformedChunk: 3 }] as [string, Behaviour],
    ])("%s", async (_what, behaviour) => {
      messages.provider.script(behaviour);
      const answer = await stream();
      const body = await answer.text();
      if (answer.status !== 200) {
        // Nothing that a client could use had come.
        expect([answer.status, (JSON.parse(body) as { type: string }).type]).toEqual([502, "error"]);
        return;
      }
      expect(typesOf(body).at(-1)).toBe("error");
      expect(body).toContain('"type":"api_error"');
      expect(body).not.toContain("message_stop");
      const [usage, trace] = [await messages.usageOf(answer), await messages.traceOf(answer)];
      expect([usage.outcome, trace.status]).toEqual(["failed", "failed"]);
      expect((await messages.payloadOf(answer)).response).toBe(body);
    });
  });

  describe("a complete stream is reported as complete", () => {
    test.each([
      ["byte by byte", { ...words, splitAt: "every-byte" }],
      ["without usage", { ...words, omitUsage: true }],
      ["with usage in every chunk", { ...words, usagePlacement: "every-chunk" }],
      ["with usage beside the finish reason", { ...words, usagePlacement: "with-finish" }],
      ["without a mark at its end", { ...words, noDone: true }],
      ["with CRLF and comments", { ...words, lineEnd: "crlf", commentEvery: 1 }],
    ] as [string, Behaviour][])("%s", async (_what, behaviour) => {
      messages.provider.script(behaviour);
      const answer = await stream();
      const body = await answer.text();
      expect(typesOf(body)).toEqual(whole);
      expect(body).toContain('"stop_reason":"end_turn"');
      const { output_tokens: charged } = await messages.usageOf(answer);
      expect(charged).toBeGreaterThan(0n);
    });

    test("a response in one piece becomes the events of a stream", async () => {
      messages.provider.script({
        headers: { "content-type": "application/json" },
        body: { choices: [{ message: { role: "assistant", content: "one" }, finish_reason: "stop" }], usage: {} },
      });
      expect(typesOf(await (await stream()).text())).toEqual(whole);
    });
  });

  test("the end of a response is not sent before the call is settled", async () => {
    // Everything was sent, including usage, except the mark after it.
    const chunks = 8;
    messages.provider.script({ ...words, silence: { afterChunks: chunks } });
    const read = readerOf(await stream());
    const record = await messages.provider.waitForHeld(0);
    await read("event: content_block_stop");
    let isTold = false;
    const rest = read("event: message_delta").then((body) => {
      isTold = true;
      return body;
    });
    // A call that comes later is over, and in the books, before the first one may end.
    await messages.usageOf(await messages.post());
    expect(isTold).toBe(false);
    record.release();
    await rest;
    expect(typesOf(await read(null))).toEqual(whole);
  });

  test("a process asked to stop lets a stream finish, and records it", async () => {
    messages.provider.script({ ...words, silence: { afterChunks: 3 } });
    const own = await messages.rig.start(arrangement);
    const answer = await fetch(`${own.url}/msgcompat/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": messages.user.apiKey, "content-type": "application/json" },
      body: JSON.stringify({
        model: messagesModel,
        max_tokens: 99,
        stream: true,
        messages: [{ role: "user", content: "Hi" }],
      }),
    });
    const read = readerOf(answer);
    await read("content_block_delta");
    const stopped = own.stop();
    messages.provider.requests[0]?.release();
    expect(typesOf(await read(null)).at(-1)).toBe("message_stop");
    expect(await stopped).toBe(0);
    expect(await messages.traceOf(answer)).toMatchObject({ status: "completed", payload: "stored" });
  });

  describe("a client", () => {
    test.each(["fin", "rst"] as const)("that leaves by %s in the stream is noticed by the provider", async (how) => {
      messages.provider.script({ isEndless: true, chunkDelayMs: 5 });
      const connection = await raw();
      await connection.waitForText("content_block_delta");
      const requestId = /x-request-id: (\S+)/i.exec(Buffer.from(connection.received()).toString())?.[1] ?? "";
      connection.close(how);
      await messages.provider.waitForCancel(0);
      const answer = new Response(null, { headers: { "x-request-id": requestId } });
      expect(await messages.usageOf(answer)).toMatchObject({ outcome: "aborted", http_status: 499 });
      const trace = await messages.traceOf(answer);
      expect(trace).toMatchObject({ status: "aborted", http_status: 499, path: "/msgcompat/v1/messages" });
      // A relay apart from its gateway never learns whose call it was, so it keeps none of its text.
      expect(trace.payload).toBe(arrangement === "split" ? "none" : "stored");
      if (trace.payload === "stored") {
        expect((await messages.payloadOf(answer)).response).toContain("event: message_start");
      }
    });

    test.each([true, false])(
      "that leaves before the response is noticed by the provider, stream %p",
      async (isStream) => {
        messages.provider.script({ neverAnswer: true });
        const connection = await raw({ stream: isStream });
        await messages.provider.waitForHeld(0);
        connection.close("rst");
        await messages.provider.waitForCancel(0);
      },
    );

    test("that reads nothing stalls its provider, and after a while counts as gone", async () => {
      const said = { choices: [{ index: 0, delta: { content: "four words of text ".repeat(200) } }] };
      // Twice as much as the buffers of both connections take in where the kernel lets them grow to 36 MiB each.
      messages.provider.script({ events: Array.from({ length: 40_000 }, () => said) });
      const connection = await raw({ max_tokens: 100_000_000 });
      await connection.waitForText("content_block_delta");
      connection.pause();
      const record = await messages.provider.waitForCancel(0);
      // A provider that writes on is cancelled in the middle of a write; a stalled one stopped when the buffers were full.
      const stoodMs = (record.endedAtMs ?? 0) - (record.lastWriteAtMs ?? 0);
      expect(stoodMs).toBeGreaterThan(stallTimeoutMs / 10);
      connection.close("rst");
    });
  });
});

import { afterAll, afterEach, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { connectRaw, rawRequest } from "../../support/wire/raw-tcp-client.ts";

const provider = startSandboxProvider({ createdAtSeconds: 1_767_225_600 });

afterEach(() => provider.reset());
afterAll(() => provider.stop());

type Dialect = {
  /** A streamed request whose user says this. */
  readonly request: (said: string) => string;
  readonly lastChunk: RegExp;
  readonly errorEvent: string;
};

function requestOf(target: string, headers: readonly string[], body: unknown): string {
  const head = [`POST ${target} HTTP/1.1`, "Host: a", "Content-Type: application/json", ...headers];
  return rawRequest(head, JSON.stringify(body));
}

const dialects: Readonly<Record<string, Dialect>> = {
  Messages: {
    request: (said) =>
      requestOf("/v1/messages", ["x-api-key: k", "anthropic-version: 2023-06-01"], {
        model: "m",
        max_tokens: 900,
        stream: true,
        messages: [{ role: "user", content: said }],
      }),
    lastChunk: /event: message_stop\n/,
    errorEvent: 'event: error\ndata: {"type":"error","error":',
  },
  Gemini: {
    request: (said) =>
      requestOf("/v1beta/models/m:streamGenerateContent?alt=sse", ["x-goog-api-key: k"], {
        contents: [{ role: "user", parts: [{ text: said }] }],
      }),
    lastChunk: /"finishReason":"STOP"/,
    errorEvent: 'data: {"error":{"code":503,',
  },
};

for (const [name, { request, lastChunk, errorEvent }] of Object.entries(dialects)) {
  describe(`a fault in a stream of ${name}`, () => {
    async function answerTo(behaviour: Behaviour | string): Promise<{ text: string; end: string }> {
      provider.reset();
      const isSaid = typeof behaviour === "string";
      if (!isSaid) {
        provider.script({ closeAfter: true, text: "one two three", ...behaviour });
      }
      const connection = await connectRaw(provider.port);
      connection.send(request(isSaid ? behaviour : "hello"));
      await (isSaid ? provider.waitForEnd(0) : connection.ended);
      const end = isSaid ? "open" : await connection.ended;
      const { bytesWritten } = await provider.waitForEnd(0);
      await connection.waitForBytes(bytesWritten);
      const text = Buffer.from(connection.received()).toString("latin1");
      connection.close();
      return { text, end };
    }

    test("can be each of those that a chat can have", async () => {
      const plain = await answerTo({});
      expect(plain.text).toMatch(lastChunk);
      expect((await answerTo({ status: 503 })).text).toStartWith("HTTP/1.1 503");
      const cut = await answerTo({ cut: { afterChunks: 2, with: "rst" } });
      expect([cut.end, lastChunk.test(cut.text), provider.requests[0]?.chunksWritten]).toEqual(["rst", false, 2]);
      expect((await answerTo({ cut: { afterBytes: 17, with: "fin" } })).text).toBe("HTTP/1.1 200 OK\r\n");
      expect((await answerTo({ splitAt: "every-byte" })).text).toBe(plain.text);
      expect((await answerTo({ commentEvery: 1 })).text).toContain(": sandbox keep-alive\n\n");
      expect((await answerTo({ lineEnd: "crlf" })).text).toContain("\r\n\r\n\r\n");
      expect((await answerTo({ errorEventAfter: 2 })).text).toContain(errorEvent);
      expect((await answerTo({ malformedFraming: 1 })).text).toContain("zz\r\n");
      expect((await answerTo({ omitUsage: true })).text).not.toMatch(/"usage(?:Metadata)?":/);
      expect((await answerTo({ isHtmlBody: true, status: 502 })).text).toContain("502 Sandbox");
      expect((await answerTo({ events: [{ type: "odd" }] })).text).not.toContain("[DONE]");
    });

    test("can be a silence, and an endless text ends when the client leaves", async () => {
      provider.script([{ silence: { afterChunks: 3 } }, { isEndless: true, chunkDelayMs: 1 }]);
      const held = await connectRaw(provider.port);
      held.send(request("hello"));
      const record = await provider.waitForHeld(0);
      expect(record.chunksWritten).toBe(3);
      record.release();
      await provider.waitForEnd(0);
      held.close();
      const endless = await connectRaw(provider.port);
      endless.send(request("hello"));
      await provider.waitForChunks(1, 20);
      endless.close();
      await provider.waitForCancel(1);
    });

    test("can be asked for by a person", async () => {
      expect((await answerTo("sandbox: status 429 retry-after 2")).text).toMatch(
        /^HTTP\/1.1 429[\s\S]*Retry-After: 2\r\n/,
      );
      expect((await answerTo("sandbox: error after 2 chunks")).text).toContain(errorEvent);
      expect((await answerTo("sandbox: say blue; usage 1000 500 cached 200")).text).toMatch(/blue[\s\S]*[^\d]200[^\d]/);
      expect((await answerTo("sandbox: cut after 2 chunks")).text).not.toMatch(lastChunk);
    });
  });
}

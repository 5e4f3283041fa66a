import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { eventPayloads, finishedAnswer, streamedText } from "../support/calls/relayed-call.ts";
import { RunningAgent, relayKey } from "../support/exit-nodes/node-agent.ts";
import { promptMs } from "../support/values/patience.ts";
import { connectRaw, rawChatRequest } from "../support/wire/raw-tcp-client.ts";

/** What two stalled connections may take in, with the agent between them: the kernel's buffers grow as far as it was set. */
const kernelBytes = 80 * 1024 * 1024;
const nowMs = () => performance.timeOrigin + performance.now();
const rawChat = (isStream: boolean): string => rawChatRequest({ stream: isStream }, relayKey);

let provider: SandboxProvider;
let agent: RunningAgent;

beforeAll(async () => {
  provider = startSandboxProvider();
  agent = await RunningAgent.start({ providerUrl: provider.url });
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await provider.stop();
});

beforeEach(() => {
  provider.reset();
});

describe("back-pressure", () => {
  test("of a caller that does not read reaches the provider", async () => {
    provider.script({ isEndless: true, chunkBytes: 4_096 });
    const connection = await connectRaw(agent.port);
    connection.send(rawChat(true));
    await connection.waitForBytes(1);
    connection.pause();
    const record = await provider.waitForRequest(0);
    let before = -1;
    while (record.bytesWritten !== before) {
      before = record.bytesWritten;
      await Bun.sleep(400);
    }
    expect(before).toBeLessThan(kernelBytes);
    connection.close("rst");
    await provider.waitForCancel(0);
  });

  test("costs a stalled caller nothing of a response whose provider hangs up after it", async () => {
    const text = Array.from({ length: 60_000 }, (_, index) => `${index} `).join("");
    provider.script({ text, chunkBytes: 400, closeAfter: true });
    const connection = await connectRaw(agent.port, { receiveBufferBytes: 65_536 });
    connection.pause();
    connection.send(rawChat(true).replace("\r\n", "\r\nConnection: close\r\n"));
    const record = await provider.waitForRequest(0);
    for (let before = -1; record.bytesWritten !== before; await Bun.sleep(200)) {
      before = record.bytesWritten;
    }
    connection.resume();
    const answer = await finishedAnswer(connection);
    const isSame = streamedText(answer.body) === text;
    expect({ isWhole: answer.isWhole, last: eventPayloads(answer.body).at(-1), isSame }).toEqual({
      isWhole: true,
      last: "[DONE]",
      isSame: true,
    });
  });

  test("of a provider that does not read reaches the caller", async () => {
    // Takes connections, reads one packet, and then nothing.
    const deaf = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: (socket) => socket.pause() } });
    await using stuck = await RunningAgent.start({ providerUrl: `http://127.0.0.1:${deaf.port}` });
    const total = 2 * kernelBytes;
    let taken = 0;
    const piece = new Uint8Array(64 * 1024);
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        taken += piece.length;
        controller.enqueue(piece);
        if (taken >= total) {
          controller.close();
        }
      },
    });
    const leave = new AbortController();
    const call = stuck.call("/v1/chat/completions", { method: "POST", body, signal: leave.signal }).catch(() => null);
    let before = -1;
    while (taken !== before) {
      before = taken;
      await Bun.sleep(400);
    }
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(total);
    leave.abort();
    await call;
    deaf.stop(true);
  });
});

describe("a caller that leaves", () => {
  test.each([["rst"], ["fin"]] as const)("by %s in a stream cuts the provider at once", async (how) => {
    provider.script({ silence: { afterChunks: 2 } });
    const connection = await connectRaw(agent.port);
    connection.send(rawChat(true));
    await connection.waitForText("data:");
    await provider.waitForHeld(0);
    const leftAtMs = nowMs();
    connection.close(how);
    const record = await provider.waitForCancel(0);
    expect((record.endedAtMs ?? Number.POSITIVE_INFINITY) - leftAtMs).toBeLessThan(promptMs);
  });

  test("before the first byte cuts the provider at once", async () => {
    provider.script({ neverAnswer: true });
    const connection = await connectRaw(agent.port);
    connection.send(rawChat(false));
    await provider.waitForHeld(0);
    const leftAtMs = nowMs();
    connection.close("rst");
    const record = await provider.waitForCancel(0);
    expect((record.endedAtMs ?? Number.POSITIVE_INFINITY) - leftAtMs).toBeLessThan(promptMs);
  });

  test.each([["Transfer-Encoding: chunked", "5\r\nhello\r\n"] as const, ["Content-Length: 1000000", "hello"] as const])(
    "in the middle of an upload with %s never makes it look complete",
    async (framing, part) => {
      let heard = "";
      const [arrived, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const listener = Bun.listen({
        hostname: "127.0.0.1",
        port: 0,
        socket: {
          data: (_, bytes) => {
            heard += bytes.toString("latin1");
            if (heard.includes("hello")) {
              arrived.resolve();
            }
          },
          close: () => closed.resolve(),
        },
      });
      await using other = await RunningAgent.start({ providerUrl: `http://127.0.0.1:${listener.port}` });
      const lines = ["POST /v1/chat/completions HTTP/1.1", "Host: n", `Authorization: Bearer ${relayKey}`, framing];
      const connection = await connectRaw(other.port);
      connection.send(`${lines.join("\r\n")}\r\n\r\n${part}`);
      await arrived.promise;
      connection.close("rst");
      await closed.promise;
      expect(heard).toContain(framing);
      expect(heard).toEndWith(part);
      listener.stop(true);
    },
  );

  test("without a close, by reading nothing for too long, is cut off", async () => {
    await using strict = await RunningAgent.start({
      providerUrl: provider.url,
      env: { STREAM_STALL_TIMEOUT_MS: "300" },
    });
    provider.script({ isEndless: true, chunkBytes: 4_096 });
    const connection = await connectRaw(strict.port);
    connection.send(rawChat(true));
    await connection.waitForBytes(1);
    connection.pause();
    await provider.waitForCancel(0);
    connection.close("rst");
  });
});

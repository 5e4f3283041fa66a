import { afterAll, expect, test } from "bun:test";
import { toAppError } from "@sluice/control-plane/platform/errors.ts";
import { BodyReader } from "@sluice/control-plane/platform/read-body.ts";
import { promptMs } from "../../support/values/patience.ts";
import { connectRaw } from "../../support/wire/raw-tcp-client.ts";

/** Several turns of a process that hardly gets a processor. */
const timeoutMs = 600;
const bytesMax = 8 * 1024 * 1024;
const large = 2 * 1024 * 1024;

const seen: string[] = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  maxRequestBodySize: bytesMax * 2,
  fetch: async (request) => {
    const text = await new BodyReader(request, { bytesMax, timeoutMs }).read().then(
      (bytes) => `read ${bytes.byteLength}.`,
      (error: unknown) => `${toAppError(error).code}.`,
    );
    seen.push(text);
    return new Response(text);
  },
});

afterAll(() => server.stop(true));

/** Sends a head and then pieces, one every so many milliseconds; returns what came back and when. */
async function send(head: string, pieces: readonly string[], everyMs: number): Promise<[answer: string, ms: number]> {
  const connection = await connectRaw(server.port ?? 0);
  const startedAt = performance.now();
  connection.send(`POST / HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`);
  let index = 0;
  const timer = setInterval(() => {
    const piece = pieces[index];
    index += 1;
    if (piece === undefined) {
      clearInterval(timer);
    } else {
      connection.send(piece);
    }
  }, everyMs);
  await connection.waitForText(".");
  clearInterval(timer);
  const answer = Buffer.from(connection.received()).toString().split("\r\n\r\n")[1] ?? "";
  connection.close("rst");
  return [answer, performance.now() - startedAt];
}

const chunk = (size: number): string => `${size.toString(16)}\r\n${"x".repeat(size)}\r\n`;

test.concurrent("a large body may take longer than the limit as long as bytes keep coming", async () => {
  const piece = "x".repeat(large / 16);
  const [answer, ms] = await send(
    `Content-Length: ${large}`,
    Array.from({ length: 16 }, () => piece),
    100,
  );
  expect(answer).toBe(`read ${large}.`);
  expect(ms).toBeGreaterThan(timeoutMs * 2);
});

test.concurrent("a body of unknown length may take longer than the limit as well", async () => {
  const pieces = [...Array.from({ length: 16 }, () => chunk(1_000)), "0\r\n\r\n"];
  const [answer, ms] = await send("Transfer-Encoding: chunked", pieces, 100);
  expect(answer).toContain("read 16000.");
  expect(ms).toBeGreaterThan(timeoutMs * 2);
});

test.concurrent.each([
  ["a large body", `Content-Length: ${large}`, "x".repeat(1_000)],
  ["a body of unknown length", "Transfer-Encoding: chunked", chunk(1_000)],
])("%s is given up when nothing comes for as long as the limit", async (_kind, head, piece) => {
  const [answer, ms] = await send(head, [piece, piece], 100);
  expect(answer).toContain("request_timeout.");
  // The limit for the whole body is ten times as long.
  expect(ms).toBeWithin(200 + timeoutMs - 50, timeoutMs * 10 - 50);
});

test.concurrent("a small body has to arrive within the limit and the time for its size at a slow rate", async () => {
  const [answer, ms] = await send(
    "Content-Length: 1600",
    Array.from({ length: 16 }, () => "x".repeat(10)),
    100,
  );
  expect(answer).toBe("request_timeout.");
  expect(ms).toBeWithin(timeoutMs, timeoutMs * 10 - 50);
});

test.concurrent("a body that trickles endlessly is given up after ten times the limit", async () => {
  const pieces = Array.from({ length: 100 }, () => chunk(1));
  const [answer, ms] = await send("Transfer-Encoding: chunked", pieces, 100);
  expect(answer).toContain("request_timeout.");
  expect(ms).toBeWithin(timeoutMs * 10 - 50, timeoutMs * 10 + promptMs);
});

test("a large body that breaks off does not count as complete", async () => {
  seen.length = 0;
  const connection = await connectRaw(server.port ?? 0);
  connection.send(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${large}\r\n\r\n${"x".repeat(large / 2)}`);
  await Bun.sleep(50);
  connection.close("fin");
  while (seen.length === 0) {
    await Bun.sleep(10);
  }
  expect(seen).toEqual(["client_closed_request."]);
});

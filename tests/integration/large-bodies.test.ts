/** Bodies above the limit: a client that keeps sending without reading still finds out why it is refused. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { MessagesRig } from "../support/messages/messages-rig.ts";
import { testUnless, unlessInstalled } from "../support/service/obstacles.ts";
import { arrangements } from "../support/service/sluice.ts";

const bodyBytesMax = 1024 * 1024;
/** More than the kernel buffers for both sides, so that a server that does not read is noticed. */
const bodyBytes = 33 * 1024 * 1024;
const droppedBytesMax = 64 * 1024 * 1024;
/** A connection that is cut too early loses the response only now and then. */
const tries = process.env["TEST_FULL"] === "1" ? 20 : 5;

const paths = ["/v1/chat/completions", "/msgcompat/v1/messages", "/msgcompat/v1/messages/count_tokens"];

/** Tries in a process of Node, whose `fetch` gives up as soon as it can't write; prints how each one ended. */
const nodeScript = `
const [url, apiKey, bytes, tries] = process.argv.slice(1);
const ends = [];
for (let at = 0; at < Number(tries); at += 1) {
  const headers = { "content-type": "application/json", authorization: "Bearer " + apiKey };
  try {
    const answer = await fetch(url, { method: "POST", headers, body: Buffer.alloc(Number(bytes), 97) });
    ends.push([answer.status, (await answer.json()).error.message]);
  } catch (error) {
    ends.push([0, String(error.cause?.code ?? error)]);
  }
}
console.log(JSON.stringify(ends));
`;

describe.each(arrangements)("a body that is too large, %s", (arrangement) => {
  let messages: MessagesRig;

  beforeAll(async () => {
    messages = await MessagesRig.start(arrangement, { BODY_BYTES_MAX: String(bodyBytesMax) });
  });
  afterAll(() => messages.close());

  const head = (path: string, framing: string): string =>
    [
      `POST ${path} HTTP/1.1`,
      "Host: 127.0.0.1",
      `Authorization: Bearer ${messages.user.apiKey}`,
      "Content-Type: application/json",
      `${framing}\r\n\r\n`,
    ].join("\r\n");

  /** A connection on which everything is written before the first byte is read. */
  async function open(): Promise<{
    write(bytes: string | Buffer): Promise<void>;
    until(text: string): Promise<string>;
    socket: Socket;
  }> {
    const socket = connect(Number(new URL(messages.sluice.url).port), "127.0.0.1");
    let text = "";
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => undefined);
    socket.on("error", broken.reject);
    socket.on("close", () => broken.reject(new Error(`the connection was closed after ${JSON.stringify(text)}`)));
    await new Promise<void>((resolve) => socket.once("connect", resolve));
    return {
      socket,
      write: (bytes) =>
        Promise.race([new Promise<void>((resolve) => socket.write(bytes, () => resolve())), broken.promise]),
      until: async (mark) => {
        socket.on("data", (piece: Buffer) => {
          text += piece.toString("latin1");
        });
        while (!text.includes(mark)) {
          await Promise.race([new Promise((resolve) => socket.once("data", resolve)), broken.promise]);
        }
        return text;
      },
    };
  }

  test.each(paths)("%s is read to its end, answered with 413, and the connection continues", async (path) => {
    const { write, until, socket } = await open();
    await write(head(path, `Content-Length: ${bodyBytes}`));
    const piece = Buffer.from("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(32_768)).subarray(0, bodyBytesMax);
    for (let left = bodyBytes; left > 0; left -= piece.length) {
      await write(piece.subarray(0, Math.min(left, piece.length)));
    }
    await write("GET /readyz?next HTTP/1.1\r\nHost: x\r\n\r\n");
    const answers = await until("HTTP/1.1 200");
    // Nothing of the body was taken for a request.
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
    socket.destroy();
  });

  test.each(paths)("%s in chunks is read to its end, too", async (path) => {
    const { write, until, socket } = await open();
    await write(head(path, "Transfer-Encoding: chunked"));
    const piece = Buffer.concat([
      Buffer.from(`${bodyBytesMax.toString(16)}\r\n`),
      Buffer.alloc(bodyBytesMax, 97),
      Buffer.from("\r\n"),
    ]);
    for (let sent = 0; sent < bodyBytes; sent += bodyBytesMax) {
      await write(piece);
    }
    await write("0\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
    expect((await until("HTTP/1.1 200")).match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
    socket.destroy();
  });

  test.each(paths)("%s with more following than is worth discarding ends the connection", async (path) => {
    const { write, until, socket } = await open();
    await write(head(path, `Content-Length: ${bodyBytesMax + droppedBytesMax + 1}`));
    expect((await until("request")).toLowerCase()).toContain("connection: close");
    socket.destroy();
    const asking = await open();
    await asking.write(head(path, `Content-Length: ${bodyBytes}\r\nExpect: 100-continue`));
    expect((await asking.until("large")).toLowerCase()).toContain("connection: close");
    asking.socket.destroy();
  });

  testUnless(unlessInstalled("node"), "Node's fetch hears of it every time", async () => {
    for (const path of paths) {
      const run = Bun.spawn(
        [
          "node",
          "--input-type=module",
          "-e",
          nodeScript,
          `${messages.sluice.url}${path}`,
          messages.user.apiKey,
          String(bodyBytes),
          String(tries),
        ],
        { stdout: "pipe", stderr: "inherit" },
      );
      const ends = JSON.parse(await new Response(run.stdout).text()) as [number, string][];
      expect(ends.map(([status]) => status)).toEqual(Array.from({ length: tries }, () => 413));
    }
  });
});

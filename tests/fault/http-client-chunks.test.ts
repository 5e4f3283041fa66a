import { afterEach, expect, test } from "bun:test";
import type { HttpClient } from "@sluice/http-client/model";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { requestTo } from "../support/wire/http-calls.ts";
import { type RawHttpServer, type RawSocket, startRawHttpServer } from "../support/wire/raw-http-server.ts";

const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
/** Each brings bytes of the body, so that the next one is not sent before it has been read. */
const packets = [
  ...["3\r\none\r\n", "5\r\n\r\ntwo\r\n", "1\r\n3\r\n", "2\r\n45\r\n1\r\n6\r\n", "4\r\n78", "90\r\n2;a=b\r\n12\r\n"],
  ...[
    "2\r\n34\r",
    "\n3\r\n567\r\n",
    "00A\r\n89abcdefgh\r\n",
    "1\r\ni",
    "\r\n1\r\nj\r\n",
    "1\r\nk\r\n",
    "10\r\nwithin",
    "3\r\nabc\r\n",
    "!!\r\n",
    "1\r\nl\r\n0\r\n\r\n",
  ],
];
const whole = "one\r\ntwo34567890123456789abcdefghijkwithin3\r\nabc\r\n!!l";

let server: RawHttpServer;
let client: HttpClient;

afterEach(() => {
  client.close();
  server.stop();
});

test("a stream has the same bytes, whichever packets have one, several or a part of a chunk, and whenever it is paused", async () => {
  let socket: RawSocket | null = null;
  server = startRawHttpServer({
    onRequest: (asked) => {
      socket = asked;
      asked.send(head);
    },
  });
  client = new PooledHttpClient({});
  for (let pausedAt = 0; pausedAt <= packets.length; pausedAt += 1) {
    const response = await client.send(requestTo({ port: server.port }));
    const ended = Promise.withResolvers<boolean>();
    let body = "";
    let sent = 0;
    const sendNext = (): void => {
      const packet = packets[sent];
      sent += 1;
      if (packet !== undefined) {
        socket?.send(packet);
      }
    };
    const flow = response.body.consume({
      onChunk: (piece) => {
        body += Buffer.from(piece).toString("latin1");
        if (sent === pausedAt) {
          flow.pause();
          setImmediate(() => flow.resume());
        }
      },
      onPacketEnd: sendNext,
      onEnd: ended.resolve,
      onError: ended.reject,
    });
    sendNext();
    expect([await ended.promise, body]).toEqual([true, whole]);
  }
  expect(server.connections).toBe(1);
});

test("a stream that is cut after a chunk has all bytes before the cut, even if it is paused", async () => {
  server = startRawHttpServer({
    onRequest: (asked) => {
      asked.send(`${head}3\r\none\r\n`);
    },
    onOpen: (asked) => {
      cut = () => asked.reset();
      more = () => asked.send("3\r\ntwo\r\n");
    },
  });
  let cut = (): void => undefined;
  let more = (): void => undefined;
  client = new PooledHttpClient({});
  const response = await client.send(requestTo({ port: server.port }));
  const failed = Promise.withResolvers<string>();
  let body = "";
  const flow = response.body.consume({
    onChunk: (piece) => {
      body += Buffer.from(piece).toString("latin1");
      if (body === "one") {
        more();
      } else {
        flow.pause();
        cut();
        setImmediate(() => flow.resume());
      }
    },
    onEnd: () => failed.reject(new Error("the stream is not whole")),
    onError: (error) => failed.resolve(error.kind),
  });
  expect([await failed.promise, body]).toEqual(["reset_in_body", "onetwo"]);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import { rawRequest } from "../support/wire/raw-tcp-client.ts";

/* Whose address a call has through the front: limits, allowed addresses of keys and traces go by it. */

const trusted = "127.0.0.1";
const stranger = "127.0.0.77";
const named = "192.0.2.77";

let scene: RelayScene;

beforeAll(async () => {
  const env = { CHAT_FRONT: "on", CLIENT_IP_HEADER: "x-forwarded-for", EDGE_ADDRESSES: trusted };
  scene = await startRelayScene("one-process", { env });
});

afterAll(() => scene.close());

const body = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] });
const call = (path: string, lines: readonly string[], sent = body): string =>
  rawRequest(
    [
      `POST ${path} HTTP/1.1`,
      "Host: sluice.example",
      `Authorization: Bearer ${scene.user.apiKey}`,
      "Content-Type: application/json",
      ...lines,
    ],
    sent,
  );
const inChunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

/** Sends a request from an address of this machine; returns the address that its call was recorded with. */
async function addressOf(from: string, request: string): Promise<string | undefined> {
  const answered = Promise.withResolvers<string>();
  let text = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(scene.sluice.url).port),
    ...{ localAddress: from },
    socket: {
      data: (_, bytes) => {
        text += bytes.toString("latin1");
        const id = /\r\nx-request-id: (\S+)\r\n/i.exec(text)?.[1];
        if (id !== undefined) {
          answered.resolve(id);
        }
      },
      close: () => answered.reject(new Error(`the connection ended: ${text}`)),
    },
  });
  socket.write(request);
  const id = await answered.promise;
  socket.end();
  let found: string | undefined;
  await waitUntil(async () => {
    const [row] = await scene.rig.db.sql<{ client_ip: string }>`
      select client_ip from trace_record where request_id = ${id}::uuid`;
    found = row?.client_ip;
    return found !== undefined;
  });
  return found;
}

const forwarded = `X-Forwarded-For: 198.51.100.1, ${named}`;

test.each([
  ["served", () => call("/v1/chat/completions", [forwarded])],
  ["handed over", () => call("/v1/chat/completions", [forwarded, "Transfer-Encoding: chunked"], inChunks)],
])(
  "a call that is %s has the address that a trusted edge names, and no other client can name one",
  async (_, request) => {
    expect(await addressOf(trusted, request())).toBe(named);
    // Its tunnel comes from the trusted address, and must not borrow its trust.
    expect(await addressOf(stranger, request())).toBe(stranger);
  },
);

test("a call of a trusted edge that names nobody has the address of the edge", async () => {
  expect(await addressOf(trusted, call("/v1/chat/completions", []))).toBe(trusted);
  expect(await addressOf(trusted, call("/v1/chat/completions", ["X-Forwarded-For: nobody"]))).toBe(trusted);
});

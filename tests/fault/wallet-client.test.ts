import { afterEach, expect, test } from "bun:test";
import { WalletClient } from "@sluice/control-plane/payments/gateways/walletpay/wallet-client.ts";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { promptMs } from "../support/values/patience.ts";
import { type RawHttpServer, type RawHttpServerOptions, startRawHttpServer } from "../support/wire/raw-http-server.ts";
import { createTestAuthority } from "../support/wire/test-certificates.ts";

const ok = "HTTP/1.1 200 OK\r\n";
const yes = '{"ret_code":"000100","ret_msg":"success","result":{}}';
const timeoutMs = 400;
const http = new PooledHttpClient();
let server: RawHttpServer;

function post(options: RawHttpServerOptions, scheme = "http"): ReturnType<WalletClient["post"]> {
  server = startRawHttpServer(options);
  return new WalletClient(http, `${scheme}://127.0.0.1:${server.port}`, timeoutMs).post("/pay", { amount: "10.00" });
}

afterEach(() => {
  server.stop();
});

test("a form arrives with its length, and the response is read", async () => {
  const answer = await post({
    onRequest: (socket) => socket.send(`${ok}Content-Length: ${yes.length}\r\n\r\n${yes}`),
  });
  expect(answer).toMatchObject({ code: "000100", message: "success" });
  expect(server.requests[0]?.head).toContain("\r\nContent-Length: 12\r\n");
  expect(server.requests[0]?.body.toString()).toBe("amount=10.00");
});

const faults: Record<string, { readonly answer: string; readonly kind?: string }> = {
  "silence before the head": { answer: "" },
  "silence in the body": { answer: `${ok}Content-Length: 9\r\n\r\n{` },
  "a body of more than 256 KiB": { answer: `${ok}Content-Length: 262145\r\n\r\n`, kind: "too_large" },
  "a redirect": { answer: `HTTP/1.1 307 Elsewhere\r\nLocation: /other\r\nContent-Length: ${yes.length}\r\n\r\n${yes}` },
};
for (const [what, { answer, kind }] of Object.entries(faults)) {
  test(`${what} fails the call within its time, and it is sent once`, async () => {
    const startedMs = performance.now();
    const failed = await post({ onRequest: (socket) => socket.send(answer) }).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: "payment_gateway_failed",
      ...(kind === undefined ? {} : { internal: { kind } }),
    });
    expect(performance.now() - startedMs).toBeLessThan(timeoutMs + promptMs);
    expect(server.requests.length).toBe(1);
  });
}

test("a certificate that no authority signed gets no byte of the formm", async () => {
  const tls = createTestAuthority().issue({ ip: ["127.0.0.1"] });
  const failed = await post({ tls }, "https").catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: "payment_gateway_failed", internal: { kind: "tls" } });
  expect(server.receivedBytes).toBe(0);
});

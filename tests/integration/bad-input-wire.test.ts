import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectCleanLogs, expectNothingCharged, expectRefusal, type Wanted } from "../support/calls/refusals.ts";
import { type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import { arrangements } from "../support/service/sluice.ts";
import { promptMs } from "../support/values/patience.ts";
import { exchangeRaw } from "../support/wire/raw-exchange.ts";
import { connectRaw, rawRequest } from "../support/wire/raw-tcp-client.ts";

const bodyBytesMax = 131_072;
const bodyTimeoutMs = 400;
const chat = "/v1/chat/completions";
const body = '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"x"}]}';
const json = "Content-Type: application/json";
const host = "Host: sluice.example";
const unusedKey = `Bearer sk-${"A".repeat(48)}`;

/** A request as its lines, in which `{key}` stands for a good key; a body is added by `rawRequest`. */
type Refused = readonly [name: string, lines: readonly string[], content: string, wanted: Wanted];

const post = (path: string, ...more: string[]): string[] => [
  `POST ${path} HTTP/1.1`,
  host,
  "Authorization: Bearer {key}",
  json,
  ...more,
];
const inside = { code: "not_found" } as const;
const outside = { code: "not_found", isOutside: true } as const;
const malformed = { code: "malformed_request", isOutside: true } as const;
const hostIs = (...hosts: string[]): string[] => [
  `POST ${chat} HTTP/1.1`,
  ...hosts.map((name) => `Host: ${name}`),
  "Authorization: Bearer {key}",
  json,
];

const refused: readonly Refused[] = [
  ["12 a length over the limit", post(chat, "Content-Length: 100000000"), "", { code: "request_too_large" }],
  [
    "12 chunks over the limit",
    post(chat, "Transfer-Encoding: chunked"),
    chunks(140_000),
    { code: "request_too_large" },
  ],
  ["23 TRACE", [`TRACE ${chat} HTTP/1.1`, host], "", { code: "method_not_allowed" }],
  ["23 CONNECT", [`CONNECT ${chat} HTTP/1.1`, host], "", { code: "method_not_allowed" }],
  ["24 two slashes", post("/v1//chat/completions"), body, inside],
  ["24 an encoded letter", post("/v1/%63hat/completions"), body, inside],
  ["24 an encoded slash", post("/v1/chat%2fcompletions"), body, inside],
  ["24 a slash at the end", post(`${chat}/`), body, inside],
  ["24 a parameter", post(`${chat};x=1`), body, inside],
  ["24 a fragment", post(`${chat}#x`), body, inside],
  ["24 nothing after the version", post("/v1/"), body, inside],
  ["24 a parent path", post("/v1/../backend/login/"), body, inside],
  ["24 a parent path to the probes", ["GET /v1/../healthz HTTP/1.1", host], "", inside],
  ["24 an encoded parent path", post("/v1/%2e%2e/backend/login/"), body, inside],
  ["24 a parent path as other servers read it", post("/v1/..;/backend/login/"), body, inside],
  ["24 a parent path after the models", ["GET /v1/models/%2e%2e/%2e%2e/healthz HTTP/1.1", host], "", inside],
  ["24 the version alone", post("/v1"), body, outside],
  ["24 capitals", post("/V1/chat/completions"), body, outside],
  ["24 an encoded version", post("/%76%31/chat/completions"), body, outside],
  ["24 two slashes in front", post(`/${chat}`), body, outside],
  ["24 a parent path from elsewhere", post(`/backend/..${chat}`), body, outside],
  ["24 an encoded parent path from elsewhere", post(`/x/%2E%2e${chat}`), body, outside],
  ["24 a backslash", post("/v1\\chat/completions"), body, outside],
  ["25 two hosts", hostIs("sluice.example", "other.example"), body, malformed],
  ["25 two hosts in one line", hostIs("sluice.example, other.example"), body, malformed],
  ["25 a host that ends in a path", hostIs(`sluice.example${chat}?`), body, malformed],
  ["25 a host with a space", hostIs("sluice example"), body, malformed],
  ["25 a host with a user", hostIs("a@sluice.example"), body, malformed],
  ["25 an empty host", hostIs(""), body, malformed],
  ["25 an empty host and a path that starts late", [`POST /abcdefg${chat} HTTP/1.1`, "Host: a b"], body, malformed],
  ["1 no key, and a host of one letter", [`POST ${chat} HTTP/1.1`, "Host: x", json], body, { code: "missing_api_key" }],
  ["26 a wrong key, and a body that waits", wrongKey("Expect: 100-continue"), "", { code: "invalid_api_key" }],
  [
    "26 a wrong key, and a long body that waits",
    wrongKey("Content-Length: 100000"),
    "",
    { code: "invalid_api_key", isBodyAwaited: true },
  ],
  ["26 a wrong key, and chunks that wait", wrongKey("Transfer-Encoding: chunked"), "", { code: "invalid_api_key" }],
];

function wrongKey(line: string): string[] {
  const length = line.startsWith("Expect") ? ["Content-Length: 1000"] : [];
  return [`POST ${chat} HTTP/1.1`, host, `Authorization: ${unusedKey}`, json, line, ...length];
}

function chunks(length: number): string {
  return `${length.toString(16)}\r\n${"x".repeat(length)}\r\n0\r\n\r\n`;
}

/** Requests that are not HTTP. Each is followed by a good request that must never get a response. */
const broken: readonly (readonly [name: string, status: number | null, head: readonly string[], content: string])[] = [
  ["22 a carriage return in a header", 400, post(chat, "X-A: a\rb"), body],
  ["22 a line feed in a header", 400, post(chat, "X-A: a\nb"), body],
  ["22 a NUL in a header", 400, post(chat, "X-A: a\0b"), body],
  ["22 a space in the name of a header", 400, post(chat, "X A: b"), body],
  ["22 a header of 20 KB", 431, post(chat, `X-A: ${"a".repeat(20_000)}`), body],
  ["22 300 headers", 431, post(chat, ...Array.from({ length: 300 }, (_, index) => `X-${index}: a`)), body],
  ["22 a target of 20 KB", 431, post(`/v1/${"a".repeat(20_000)}`), body],
  ["25 a length and chunks", 400, post(chat, "Content-Length: 5", "Transfer-Encoding: chunked"), "0\r\n\r\n"],
  ["25 chunks and a length", 400, post(chat, "Transfer-Encoding: chunked", "Content-Length: 5"), "0\r\n\r\n"],
  ["25 two lengths", 400, post(chat, "Content-Length: 5", "Content-Length: 6"), body],
  ["25 a list of lengths", 400, post(chat, "Content-Length: 5, 6"), body],
  ["25 a negative length", 400, post(chat, "Content-Length: -1"), body],
  ["25 a signed length", 400, post(chat, "Content-Length: +5"), body],
  ["25 a length in hex", 400, post(chat, "Content-Length: 0x5"), body],
  ["25 an unknown encoding", 400, post(chat, "Transfer-Encoding: xchunked"), "0\r\n\r\n"],
  ["25 a space before the colon", 400, post(chat, "Transfer-Encoding : chunked"), "0\r\n\r\n"],
  ["25 an invalid chunk size", 400, post(chat, "Transfer-Encoding: chunked"), "zz\r\nabc\r\n0\r\n\r\n"],
  ["25 a chunk size with an underscore", 400, post(chat, "Transfer-Encoding: chunked"), "0_0\r\n\r\n"],
  ["25 a chunk of nearly endless size", 400, post(chat, "Transfer-Encoding: chunked"), "ffffffffffffffff1\r\nabc\r\n"],
  ["25 a chunk that is longer than it says", 400, post(chat, "Transfer-Encoding: chunked"), "1\r\nabc\r\n0\r\n\r\n"],
  ["25 a folded header", 400, post(chat, "X-A: a", " b: c"), body],
  ["25 no host", 400, [`POST ${chat} HTTP/1.1`, "Authorization: Bearer {key}", json], body],
  ["25 the whole server for a target", 400, ["OPTIONS * HTTP/1.1", host], ""],
  ["25 a target without a slash", 400, post("v1/chat/completions"), body],
  ["25 a space in the target", 505, post("/v1/chat completions"), body],
  ["25 an unknown method", null, [`FOO ${chat} HTTP/1.1`, host], ""],
];

describe.each(arrangements)("bad input on the wire, %s", (arrangement) => {
  let scene: RelayScene;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      env: { BODY_BYTES_MAX: String(bodyBytesMax), BODY_TIMEOUT_MS: String(bodyTimeoutMs), LOG_LEVEL: "debug" },
    });
  });

  afterAll(() => scene.close());

  const written = (lines: readonly string[], content: string): string =>
    rawRequest(lines, content).replaceAll("{key}", scene.user.apiKey);
  const good = (): string => written(["GET /v1/models HTTP/1.1", host, "Authorization: Bearer {key}"], "");

  test.each([...refused])("%s is refused", async (_, lines, content, wanted) => {
    await expectRefusal(
      scene,
      async () => {
        const answer = await exchangeRaw(scene.sluice.url, written(lines, content));
        answer.connection.close();
        return answer;
      },
      wanted,
    );
  });

  test.each([...broken])(
    "%s ends the connection, and what follows it is not executed",
    async (_, status, lines, content) => {
      const callsBefore = scene.provider.totals.requests;
      const answer = await exchangeRaw(scene.sluice.url, written(lines, content) + good());
      await answer.connection.ended;
      const received = Buffer.from(answer.connection.received()).toString("latin1");
      expect(answer.status).toBe(status);
      expect(received).not.toContain('"object":"list"');
      expect(answer.durationMs).toBeLessThan(promptMs);
      expect(scene.provider.totals.requests).toBe(callsBefore);
    },
  );

  test.each([
    ["a body over the limit", post(chat, "Content-Length: 100000000"), ""],
    ["two hosts", hostIs("sluice.example", "other.example"), body],
  ] as const)("the connection ends after the refusal of %s", async (_, lines, content) => {
    const answer = await exchangeRaw(scene.sluice.url, written(lines, content));
    expect(answer.headers.get("connection")).toBe("close");
    await answer.connection.ended;
  });

  test("a body that never arrives is given up, and so is its connection", async () => {
    const answer = await exchangeRaw(scene.sluice.url, written(post(chat, "Content-Length: 100"), '{"mo'));
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([408, "request_timeout"]);
    expect(answer.durationMs).toBeGreaterThanOrEqual(bodyTimeoutMs - 1);
    await answer.connection.ended;
  });

  test("bytes that are not HTTP at all do no harm", async () => {
    const clientHello = Buffer.from("160301020001000001fc0303", "hex");
    for (const bytes of [
      clientHello,
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "\r\n\r\n\r\n\r\n",
      "\0".repeat(1_000),
      "GET /\r\n\r\n",
    ]) {
      const connection = await connectRaw(Number(new URL(scene.sluice.url).port));
      connection.send(bytes);
      connection.close();
      await connection.ended;
    }
    expect((await fetch(`${scene.sluice.url}/healthz`)).status).toBe(200);
  });

  test("an interim response comes before a body is sent, and the body is then read", async () => {
    const connection = await connectRaw(Number(new URL(scene.sluice.url).port));
    connection.send(written(post(chat, "Expect: 100-continue", `Content-Length: ${body.length}`), ""));
    await connection.waitForText("HTTP/1.1 100 Continue\r\n\r\n");
    connection.send("x".repeat(body.length));
    await connection.waitForText("invalid_json");
    connection.close();
  });

  test("none of this was charged, logged with a secret, or broke anything", async () => {
    await expectNothingCharged(scene, scene.user);
    await expectCleanLogs(scene);
  });

  test("21 headers that claim to speak for someone else change neither the route of a call nor its owner", async () => {
    scene.provider.reset();
    const spoofed = [
      ...["X-Forwarded-For: 10.9.8.7", "X-Forwarded-For: 10.9.8.6", "X-Real-IP: 10.9.8.7", "Forwarded: for=10.9.8.7"],
      ...["X-Forwarded-Host: spoofed.example", "X-Original-URL: /spoofed", "X-HTTP-Method-Override: DELETE"],
      ...[
        "X-Relay-Key: spoofed",
        "X-Svc-Relay-Key: spoofed",
        "X-Request-Id: spoofed",
        "Proxy-Authorization: Basic spoofed",
      ],
      ...["X-Sluice-Client-Address: 10.9.8.7", "X-Sluice-Link: spoofed", "X-Sluice-Report: spoofed"],
      ...["Connection: keep-alive, authorization, content-type", "Cookie: SVC_USER_SESSID=spoofed", "TE: trailers"],
    ];
    const answer = await exchangeRaw(scene.sluice.url, written(post(chat, ...spoofed), body));
    answer.connection.close();
    expect(answer.status).toBe(200);
    const record = scene.provider.requests[0];
    const head = record?.headLines.join("\n") ?? "";
    expect(scene.provider.requests).toHaveLength(1);
    expect([record?.method, record?.target, record?.credential]).toEqual(["POST", chat, "upstream-first"]);
    expect(head).not.toMatch(/spoofed|10\.9\.8|sluice\.example/);
    const requestId = answer.headers.get("x-request-id") ?? "";
    expect(requestId).not.toContain("spoofed");
    const findTrace = () =>
      scene.rig.db.sql<{ client_ip: string }>`
        select client_ip from trace_record where request_id = ${requestId}::uuid`;
    await waitUntil(async () => (await findTrace()).length === 1);
    expect([...(await findTrace())]).toEqual([{ client_ip: "127.0.0.1" }]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { nextRelayKey, providerKey, RunningAgent, refreshToken, relayKey } from "../support/exit-nodes/node-agent.ts";
import { promptMs } from "../support/values/patience.ts";
import { exchangeRaw } from "../support/wire/raw-exchange.ts";
import { rawRequest } from "../support/wire/raw-tcp-client.ts";

const bearer = `Authorization: Bearer ${relayKey}`;

let provider: SandboxProvider;
let agent: RunningAgent;
/** Everything that callers of the one agent saw. */
const seen: string[] = [];

beforeAll(async () => {
  provider = startSandboxProvider();
  agent = await RunningAgent.start({ providerUrl: provider.url, env: { LOG_LEVEL: "debug" } });
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await provider.stop();
});

beforeEach(() => {
  provider.reset();
});

/** Reads a response to its end and keeps it for the search for secrets. */
async function textOf(answer: Response): Promise<string> {
  const text = await answer.text();
  seen.push(JSON.stringify([...answer.headers]), text);
  return text;
}

describe("a call with the relay key", () => {
  test("reaches the provider with the key of the node and nothing of the caller's", async () => {
    const answer = await agent.chat(
      {},
      { "x-forwarded-for": "203.0.113.4", cookie: "a=b", "x-svc-exit-account": "main" },
    );
    expect(await textOf(answer)).toContain("chat.completion");
    expect(answer.headers.get("x-svc-exit-node")).toBe("node-a1");
    const [record] = provider.requests;
    expect(record?.credential).toBe(providerKey);
    expect(record?.header("host")).toBe(new URL(provider.url).host);
    expect(record?.headers.map(([name]) => name.toLowerCase()).sort()).toEqual([
      ...["accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "host"],
      "user-agent",
    ]);
    expect(record?.body.toString()).toContain('"hello"');
  });

  test("is also accepted from its own header", async () => {
    const answer = await fetch(`${agent.url}/v1/models`, { headers: { "x-svc-relay-key": relayKey } });
    expect(answer.status).toBe(200);
    await textOf(answer);
    expect(provider.requests[0]?.credential).toBe(providerKey);
    expect(JSON.stringify(provider.requests[0]?.headLines)).not.toContain(relayKey);
  });

  test("gets a stream event by event", async () => {
    provider.script({ silence: { afterChunks: 2 } });
    const answer = await agent.chat({ stream: true });
    const reader = answer.body?.getReader();
    let text = "";
    while (text.split("data:").length < 3) {
      const part = await reader?.read();
      text += new TextDecoder().decode(part?.value);
    }
    (await provider.waitForHeld(0)).release();
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      text += new TextDecoder().decode(part.value);
    }
    expect(text).toEndWith("data: [DONE]\n\n");
    expect(answer.headers.get("content-type")).toStartWith("text/event-stream");
  });

  test("keeps connections to the provider for the next call", async () => {
    for (let round = 0; round < 5; round += 1) {
      await textOf(await agent.chat());
    }
    expect(new Set(provider.requests.map(({ from }) => from.connection)).size).toBe(1);
  });

  test("uploads in pieces what is too large to hold, with and without a length", async () => {
    const filler = "x".repeat(3 * 1024 * 1024);
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: filler }] });
    await textOf(await agent.call("/v1/chat/completions", { method: "POST", body }));
    const stream = new ReadableStream({
      start: (controller) => {
        controller.enqueue(Buffer.from(body));
        controller.close();
      },
    });
    await textOf(await agent.call("/v1/chat/completions", { method: "POST", body: stream }));
    expect(provider.requests.map((record) => record.body.toString() === body)).toEqual([true, true]);
    expect(provider.requests.map((record) => record.header("transfer-encoding"))).toEqual([null, "chunked"]);
  });
});

describe("77: an invalid relay key is refused by the head alone", () => {
  const lines = (...headers: string[]) => [
    "POST /v1/chat/completions HTTP/1.1",
    "Host: node.example",
    "Content-Length: 1000",
    ...headers,
  ];
  const key = (text: string) => `Authorization: Bearer ${text}`;
  const table: readonly (readonly [string, readonly string[], number, string])[] = [
    ["no key", [], 401, "unauthorized"],
    ["a wrong key", [key(nextRelayKey)], 401, "unauthorized"],
    ["the beginning of the key", [key(relayKey.slice(0, -1))], 401, "unauthorized"],
    ["the key and more", [key(`${relayKey}0`)], 401, "unauthorized"],
    ["an overlong key", [key("k".repeat(9_000))], 401, "unauthorized"],
    ["an empty key", ["Authorization: Bearer "], 401, "unauthorized"],
    ["another scheme", [`Authorization: Basic ${relayKey}`], 401, "unauthorized"],
    ["the key of the provider", [key(providerKey)], 401, "unauthorized"],
    ["two copies", [key(relayKey), key(relayKey)], 400, "ambiguous_credentials"],
    ["two keys", [key(nextRelayKey), key(relayKey)], 400, "ambiguous_credentials"],
    ["the key in both headers", [key(relayKey), `X-Svc-Relay-Key: ${relayKey}`], 400, "ambiguous_credentials"],
    [
      "two copies of its own header",
      [`X-Svc-Relay-Key: ${relayKey}`, `x-svc-relay-key: ${relayKey}`],
      400,
      "ambiguous_credentials",
    ],
  ];

  test.each(table)("%s", async (_name, headers, status, code) => {
    // Not a byte of the announced body is sent.
    const answer = await exchangeRaw(agent.url, `${lines(...headers).join("\r\n")}\r\n\r\n`);
    seen.push(answer.body, JSON.stringify([...answer.headers]));
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code } });
    expect(answer.headers.get("x-svc-exit-node")).toBe("node-a1");
    expect(answer.durationMs).toBeLessThan(promptMs);
    expect(provider.requests).toHaveLength(0);
    answer.connection.close();
  });
});

describe("78: only listed targets are called", () => {
  const table: readonly (readonly [string, string, readonly string[]])[] = [
    ["two slashes", "/v1//evil.example/x", []],
    ["a user part", "/v1/@evil.example", []],
    ["backslashes", "/v1/\\\\evil.example", []],
    ["an encoded slash", "/v1/chat%2fcompletions", []],
    ["an encoded parent path", "/v1/models/%2e%2e%2fadmin", []],
    ["an encoded backslash", "/v1/models/..%5cadmin", []],
    ["a path that is not listed", "/v1/files", []],
    ["a realtime session", "/v1/realtime", []],
    ["one part too many", "/v1/models/a/b", []],
    ["an account that is a slot", "/v1/models", ["X-Svc-Exit-Account: slot"]],
    ["an unknown account", "/v1/models", ["X-Svc-Exit-Account: other"]],
    ["two accounts", "/v1/models", ["X-Svc-Exit-Account: main", "X-Svc-Exit-Account: main"]],
  ];

  test.each(table)("%s", async (_name, target, headers) => {
    const answer = await exchangeRaw(agent.url, rawRequest([`GET ${target} HTTP/1.1`, "Host: n", bearer, ...headers]));
    seen.push(answer.body, JSON.stringify([...answer.headers]));
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: "upstream_not_allowed" } });
    expect(answer.headers.get("x-svc-exit-node")).toBe("node-a1");
    expect(provider.requests).toHaveLength(0);
    answer.connection.close();
  });

  test.each([
    ["another Host", "/v1/models", "evil.example"],
    ["an absolute target", "http://evil.example/v1/models", "evil.example"],
  ])("%s changes nothing about where the call goes", async (_name, target, host) => {
    const answer = await exchangeRaw(agent.url, rawRequest([`GET ${target} HTTP/1.1`, `Host: ${host}`, bearer]));
    expect(answer.status).toBe(200);
    expect(provider.requests[0]?.header("host")).toBe(new URL(provider.url).host);
    expect(JSON.stringify(provider.requests[0]?.headLines)).not.toContain("evil");
    answer.connection.close();
  });

  test("two hosts are refused", async () => {
    const answer = await exchangeRaw(agent.url, rawRequest(["GET /v1/models HTTP/1.1", "Host: a", "Host: b", bearer]));
    expect(answer.status).toBe(400);
    answer.connection.close();
  });

  test("a compressed body, another method and a body over the limit are refused", async () => {
    const compressed = await agent.chat({}, { "content-encoding": "gzip" });
    expect([compressed.status, await textOf(compressed)]).toEqual([
      415,
      expect.stringContaining("unsupported_encoding"),
    ]);
    const deleted = await agent.call("/v1/models", { method: "DELETE" });
    expect([deleted.status, await textOf(deleted)]).toEqual([405, expect.stringContaining("method_not_allowed")]);
    const large = await exchangeRaw(
      agent.url,
      `POST /v1/chat/completions HTTP/1.1\r\nHost: n\r\n${bearer}\r\nContent-Length: 900000000\r\n\r\n`,
    );
    expect(large.status).toBe(413);
    large.connection.close();
    expect(provider.requests).toHaveLength(0);
  });
});

describe("a provider's fault becomes one of our errors", () => {
  const leaky = `no ${providerKey} at `;

  test.each([
    ["it refuses our key", { status: 401, body: leaky }, 502],
    ["it forbids our key", { status: 403, body: leaky }, 502],
    ["it redirects us", { redirectTo: "http://127.0.0.1:1/elsewhere" }, 502],
    ["it compresses", { headers: { "content-encoding": "gzip" } }, 502],
    ["it closes the connection", { cut: { afterBytes: 0, with: "rst" as const } }, 502],
    ["it does not speak HTTP", { raw: "SSH-2.0-x\r\n\r\n" }, 502],
  ])("%s", async (_name, behaviour, status) => {
    provider.script(behaviour);
    const answer = await agent.chat();
    expect(answer.status).toBe(status);
    expect(answer.headers.get("x-svc-exit-node")).toBe("node-a1");
    expect(answer.headers.get("location")).toBeNull();
    expect(JSON.parse(await textOf(answer))).toMatchObject({ error: { code: "upstream_error", type: "server_error" } });
    expect(provider.requests).toHaveLength(1);
  });

  test("its own errors are passed on without its key and host, and with the time to wait", async () => {
    const { hostname } = new URL(provider.url);
    const headers = { "x-ratelimit-limit-requests": "60", "set-cookie": "a=b", server: "provider" };
    const telling = { "x-ratelimit-key": providerKey, "x-ratelimit-host": hostname };
    provider.script({
      status: 429,
      retryAfter: 7,
      headers: { ...headers, ...telling },
      body: `${leaky}${hostname}: slow down`,
    });
    const answer = await agent.chat();
    expect(answer.status).toBe(429);
    expect(await textOf(answer)).toBe(`no ${"*".repeat(providerKey.length)} at provider: slow down`);
    expect(answer.headers.get("retry-after")).toBe("7");
    expect(answer.headers.get("x-ratelimit-limit-requests")).toBe("60");
    for (const name of ["set-cookie", "server", ...Object.keys(telling)]) {
      expect(answer.headers.get(name)).toBeNull();
    }
  });

  test.each([["every-byte" as const], [[30, 300, 310]]])(
    "a key that it echoes is masked, split %p",
    async (splitAt) => {
      const events = [`{"echo":"${providerKey}"}`, `{"again":"x${providerKey}${providerKey}"}`, "[DONE]"];
      provider.script({ events, splitAt });
      const text = await textOf(await agent.chat({ stream: true }));
      expect(text).not.toContain(providerKey);
      expect(text).toContain(`{"again":"x${"*".repeat(2 * providerKey.length)}"}`);
      expect(text).toEndWith("data: [DONE]\n\n");
    },
  );

  test("a stream that is cut never looks complete", async () => {
    provider.script({ cut: { afterChunks: 2, with: "rst", lingerMs: 30 } });
    const answer = await agent.chat({ stream: true });
    const outcome = await answer.text().then(
      () => "complete",
      () => "broken",
    );
    expect([answer.status, outcome]).toEqual([200, "broken"]);
  });

  test("a provider that does not exist is unreachable", async () => {
    const closed = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
    const providerUrl = `http://127.0.0.1:${closed.port}`;
    closed.stop(true);
    await using lonely = await RunningAgent.start({ providerUrl });
    const answer = await lonely.chat();
    const text = await answer.text();
    expect([answer.status, JSON.parse(text).error.code]).toEqual([502, "upstream_unreachable"]);
    expect(answer.headers.get("x-svc-exit-node")).toBe("node-a1");
    expect(text).not.toContain("127.0.0.1");
    expect(lonely.program.output().split('"event":"call.failed"')[1] ?? "").not.toContain("127.0.0.1");
  });

  test("a silent provider is a timeout", async () => {
    await using hasty = await RunningAgent.start({
      providerUrl: provider.url,
      env: { UPSTREAM_FIRST_BYTE_TIMEOUT_MS: "200" },
    });
    provider.script({ neverAnswer: true });
    const answer = await hasty.chat();
    expect([answer.status, JSON.parse(await answer.text()).error.code]).toEqual([504, "upstream_timeout"]);
    await provider.waitForCancel(0);
  });
});

describe("addresses", () => {
  test("a private address is refused unless it is allowed", async () => {
    await using strict = await RunningAgent.start({
      providerUrl: provider.url.replace("http:", "https:"),
      env: { PRIVATE_UPSTREAM_ALLOWED: "false" },
    });
    const answer = await strict.chat();
    expect([answer.status, JSON.parse(await answer.text()).error.code]).toEqual([403, "upstream_not_allowed"]);
    expect(provider.totals.connections.open).toBeLessThan(2);
    expect(provider.requests).toHaveLength(0);
  });

  test("the provider sees the configured egress address", async () => {
    await using bound = await RunningAgent.start({
      providerUrl: provider.url,
      env: { EGRESS_ADDRESS: "127.0.0.9" },
    });
    await (await bound.chat()).text();
    expect(provider.requests[0]?.from.remoteAddress).toBe("127.0.0.9");
    const health = (await (await bound.call("/health")).json()) as { egressAddress: unknown };
    expect(health.egressAddress).toEqual({ bound: "127.0.0.9", seen: "127.0.0.9" });
  });
});

test("no response and no log line contains a secret or the provider's host", async () => {
  const log = agent.program.output();
  expect(seen.length).toBeGreaterThan(40);
  expect(log).toContain("call.ended");
  for (const secret of [providerKey, refreshToken, relayKey, nextRelayKey]) {
    expect(seen.join("\n")).not.toContain(secret);
    expect(log).not.toContain(secret);
  }
  expect(log).not.toContain(new URL(provider.url).hostname);
  for (const line of log.trim().split("\n")) {
    expect(JSON.parse(line)).toMatchObject({ node: "node-a1", event: expect.any(String) });
  }
});

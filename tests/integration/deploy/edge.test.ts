import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { errorDefinition } from "@sluice/contracts/errors";
import { RealtimeClient } from "../../support/calls/realtime-client.ts";
import { type RelayScene, startRelayScene, waitUntil } from "../../support/calls/relay-scene.ts";
import { exchangeOverTls, nginxCommand, RunningEdge } from "../../support/service/edge.ts";
import { describeUnless, unlessInstalled } from "../../support/service/obstacles.ts";
import { startProgram } from "../../support/service/start-process.ts";

const obstacle = unlessInstalled("nginx", "curl");
const bodyBytesMax = 32 * 1024 * 1024;

let scene: RelayScene;
let edge: RunningEdge;

beforeAll(async () => {
  if (obstacle !== null) {
    return;
  }
  scene = await startRelayScene("one-process", { env: { CLIENT_IP_HEADER: "x-forwarded-for" } });
  edge = await RunningEdge.start(scene.sluice.url);
});

afterAll(async () => {
  await edge?.[Symbol.asyncDispose]();
  await scene?.close();
});

beforeEach(() => scene?.provider.reset());

const chatBody = (fields: object = {}) =>
  JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }], ...fields });

const chat = (fields: object = {}, headers: Record<string, string> = {}) =>
  edge.fetch("/v1/chat/completions", {
    method: "POST",
    headers: { authorization: `Bearer ${scene.user.apiKey}`, "content-type": "application/json", ...headers },
    body: chatBody(fields),
  });

/** A request of these lines, with a body of JSON. */
const raw = (lines: readonly string[], body = "") => `${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n${body}`;

const rawChat = (lines: readonly string[]) => {
  const body = chatBody();
  const own = [`Authorization: Bearer ${scene.user.apiKey}`, "Content-Type: application/json"];
  return raw(["POST /v1/chat/completions HTTP/1.1", ...own, `Content-Length: ${body.length}`, ...lines], body);
};

const bypass = /\r\nx-cache-status: BYPASS\r\n/i;

describeUnless(obstacle, "the edge", () => {
  test("has a configuration that nginx accepts", async () => {
    const program = startProgram({ command: [...nginxCommand(edge.folder, ""), "-t"], env: {} });
    expect([await program.exited, program.output()]).toEqual([0, expect.stringContaining("test is successful")]);
  });

  test("redirects plain HTTP to HTTPS, with method and body, and to its own name whatever the host says", async () => {
    const answer = await fetch(`http://127.0.0.1:${edge.plainPort}/v1/chat/completions?a=1`, {
      method: "POST",
      redirect: "manual",
      headers: { host: "elsewhere.example" },
      body: chatBody(),
    });
    expect(answer.status).toBe(308);
    expect(answer.headers.get("location")).toBe("https://sluice.example/v1/chat/completions?a=1");
    expect(answer.headers.get("x-cache-status")).toBe("BYPASS");
    expect(scene.provider.requests).toHaveLength(0);
  });

  test("marks every response of the program as not cached, and HTTPS as the only way", async () => {
    scene.provider.script({ headers: { "X-Cache-Status": "HIT", "X-Accel-Redirect": "/metrics" } });
    const answers = await Promise.all([
      chat(),
      edge.fetch("/"),
      edge.fetch("/healthz"),
      edge.fetch("/nothing/here"),
      edge.fetch("/v1/chat/completions"),
      edge.fetch("/v1/models"),
      edge.fetch("/backend/auth/me/"),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 405, 401, expect.any(Number)]);
    for (const answer of answers) {
      expect(answer.headers.get("x-cache-status")).toBe("BYPASS");
      expect(answer.headers.get("strict-transport-security")).toBe("max-age=31536000");
      await answer.body?.cancel();
    }
  });

  test.each(["1.1", "2"])(
    "passes host and port on over HTTP/%s, so that forms of its own pages count",
    async (version) => {
      const login = (origin: string) =>
        startProgram({
          command: ["curl", "--silent", "--insecure", "--noproxy", "*", `--http${version}`, "--include"],
          words: ["--header", `Origin: ${origin}`, "--json", "{}", `${edge.url}/backend/auth/login/`],
          env: {},
        });
      const [own, foreign] = [login(edge.url), login("https://elsewhere.example")];
      await Promise.all([own.exited, foreign.exited]);
      expect(own.output()).toStartWith(`HTTP/${version} 400`);
      expect(own.output()).toContain('"fields"');
      expect(foreign.output()).toStartWith(`HTTP/${version} 403`);
    },
  );

  test("sends the first event of a stream before the second exists", async () => {
    scene.provider.script({ silence: { afterChunks: 2 } });
    const answer = await chat({ stream: true });
    const reader = answer.body?.getReader();
    const record = await scene.provider.waitForHeld(0);
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toStartWith("data: {");
    record.release();
    let rest = "";
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      rest += Buffer.from(part.value).toString();
    }
    expect(rest).toEndWith("data: [DONE]\n\n");
    expect(answer.headers.get("x-cache-status")).toBe("BYPASS");
  });

  test("ends the call at the provider when the client leaves", async () => {
    scene.provider.script({ isEndless: true, chunkDelayMs: 5 });
    const leaving = new AbortController();
    const answer = await edge.fetch("/v1/chat/completions", {
      method: "POST",
      headers: { authorization: `Bearer ${scene.user.apiKey}`, "content-type": "application/json" },
      body: chatBody({ stream: true }),
      signal: leaving.signal,
    });
    await answer.body?.getReader().read();
    leaving.abort();
    await scene.provider.waitForCancel(0);
    expect(scene.provider.requests).toHaveLength(1);
  });

  test("passes realtime sessions on", async () => {
    const headers = { authorization: `Bearer ${scene.user.apiKey}` };
    const client = await RealtimeClient.open(`${edge.url}/v1/realtime?model=gpt-4o-mini`, { headers, ca: edge.ca });
    expect(await client.say("hello")).toMatchObject({ type: "response.done" });
    expect((await client.close()).code).toBe(1000);
  });

  test.each([
    ["two hosts", ["Host: sluice.example", "Host: other.example"], ""],
    ["no host", [], ""],
    ["two lengths", ["Host: sluice.example", "Content-Length: 2", "Content-Length: 3"], "{}"],
    ["a length and chunks", ["Host: sluice.example", "Content-Length: 3", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
    ["an unknown encoding", ["Host: sluice.example", "Transfer-Encoding: xchunked"], "0\r\n\r\n"],
    ["a chunk without a size", ["Host: sluice.example", "Transfer-Encoding: chunked"], "zz\r\n\r\n"],
  ])("refuses %s, and it does not reach the program", async (_, lines, body) => {
    const own = [`Authorization: Bearer ${scene.user.apiKey}`, "Content-Type: application/json"];
    const answer = await exchangeOverTls(edge, raw(["POST /v1/chat/completions HTTP/1.1", ...own, ...lines], body));
    expect(answer).toMatch(/^HTTP\/1\.1 (400|501) /);
    expect(answer).toMatch(bypass);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(scene.provider.requests).toHaveLength(0);
  });

  test.each([
    ["a whole address in place of a path", "GET http://sluice.example/healthz HTTP/1.1", 400],
    ["a request that is not HTTP", "hello", 400],
    ["TRACE", "TRACE /v1/models HTTP/1.1", 405],
    ["metrics, which are for this machine", "GET /metrics HTTP/1.1", 404],
    ["metrics by another spelling", "GET /%6detrics HTTP/1.1", 404],
    ["a header that is too long", `GET /healthz HTTP/1.1\r\nX-Long: ${"x".repeat(20_000)}`, 400],
  ])("refuses %s in JSON", async (_, line, status) => {
    const answer = await exchangeOverTls(edge, raw([line, "Host: sluice.example"]));
    expect(answer).toStartWith(`HTTP/1.1 ${status} `);
    expect(answer).toMatch(bypass);
    const { error } = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
    expect(errorDefinition(error.code)).toBeDefined();
  });

  test.each([
    ["/v1/chat/completions", { error: { type: "invalid_request_error", code: "request_too_large" } }],
    ["/msgcompat/v1/messages", { type: "error", error: { type: "request_too_large" } }],
    ["/backend/auth/login/", { ok: false, error: { code: "request_too_large" } }],
  ])("refuses a body over the limit at once on %s, in the format of that surface", async (path, shape) => {
    const lines = [`POST ${path} HTTP/1.1`, "Host: sluice.example", `Content-Length: ${bodyBytesMax + 1}`];
    const answer = await exchangeOverTls(edge, raw(lines), { isOneAnswerEnough: true });
    expect(answer).toStartWith("HTTP/1.1 413 ");
    expect(answer).toMatch(bypass);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject(shape);
  });

  test("lets a body of exactly the limit through to the program", async () => {
    const head = chatBody({ user: "" });
    const body = chatBody({ user: "x".repeat(bodyBytesMax - head.length) });
    expect(body.length).toBe(bodyBytesMax);
    const answer = await edge.fetch("/v1/chat/completions", {
      method: "POST",
      headers: { authorization: "Bearer sk-nobody", "content-type": "application/json" },
      body,
    });
    expect([answer.status, answer.headers.get("x-cache-status")]).toEqual([401, "BYPASS"]);
  });

  test("sends the program the client's address in one header, whatever the client claims", async () => {
    const spoofed = ["X-Forwarded-For: 203.0.113.9", "X-Real-IP: 203.0.113.9", "Forwarded: for=203.0.113.9"];
    const inner = ["X-Sluice-Client-Address: 203.0.113.9", "X-Sluice-Link: made-up"];
    const answer = await exchangeOverTls(edge, rawChat(["Host: sluice.example", ...spoofed, ...inner]), {
      from: "127.0.0.2",
    });
    expect(answer).toStartWith("HTTP/1.1 200 ");
    const requestId = /\r\nx-request-id: (\S+)/i.exec(answer)?.[1] ?? "";
    const find = () => scene.rig.db.sql<{ client_ip: string }>`
      select client_ip from trace_record where request_id = ${requestId}::uuid`;
    await waitUntil(async () => (await find()).length > 0);
    expect((await find())[0]?.client_ip).toBe("127.0.0.2");
  });

  test("writes neither keys nor queries to its log", async () => {
    await (await edge.fetch(`/v1/models?key=${scene.user.apiKey}`)).body?.cancel();
    await (await chat()).body?.cancel();
    expect(edge.accessLog()).toContain('"path":"/v1/models","status":401');
    expect(edge.accessLog()).not.toContain(scene.user.apiKey);
  });
});

describeUnless(obstacle, "the edge without a running program", () => {
  test("reports that the service is unreachable, in the format of the surface, and reveals nothing about itself", async () => {
    await using alone = await RunningEdge.start("http://127.0.0.1:1");
    const answers = await Promise.all(
      ["/v1/models", "/msgcompat/v1/messages", "/backend/auth/me/"].map((path) => alone.fetch(path)),
    );
    for (const answer of answers) {
      expect([answer.status, answer.headers.get("x-cache-status")]).toEqual([503, "BYPASS"]);
      expect(await answer.text()).toMatch(/temporarily_unavailable|overloaded_error/);
    }
  });
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { createApp } from "@sluice/control-plane/app.ts";
import { Late } from "@sluice/control-plane/platform/late.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { SluiceRig, type TestUser } from "../support/service/sluice.ts";

const loaded = '"backend.loaded"';
let provider: SandboxProvider;
let rig: SluiceRig;
let user: TestUser;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  user = await rig.addUser();
});

afterAll(async () => {
  await rig.close();
  await provider.stop();
});

const loads = (log: string): number => log.split(loaded).length - 1;

test("a process that only served calls and probes has not loaded the backend", async () => {
  const sluice = await rig.startProcess();
  const headers = { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" };
  const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }] };
  const paths = ["/v1/chat/completions", "/v1/messages", "/msgcompat/v1/messages"];
  for (const path of paths) {
    const answer = await fetch(`${sluice.url}${path}`, {
      method: "POST",
      headers: { ...headers, "anthropic-version": "2023-06-01" },
      body: JSON.stringify({ ...body, max_tokens: 16 }),
    });
    await answer.text();
  }
  for (const path of ["/v1/models", "/healthz", "/readyz", "/metrics", "/api/status"]) {
    expect((await fetch(`${sluice.url}${path}`, { headers })).status).toBe(200);
  }
  expect(await sluice.stop()).toBe(0);
  expect(loads(sluice.log())).toBe(0);
});

test("simultaneous first requests load it once, and each is answered", async () => {
  const sluice = await rig.startProcess();
  const statusOf = { "/backend/openapi.json": 200, "/backend/auth/login/": 405, "/": 200, "/missing": 404 };
  const paths = Object.keys(statusOf);
  const asked = Array.from({ length: 20 }, (_, index) => fetch(`${sluice.url}${paths[index % paths.length]}`));
  const answers = await Promise.all(asked);
  for (const [index, { status }] of answers.entries()) {
    const [path, expected] = Object.entries(statusOf)[index % paths.length] ?? [];
    expect([path, status]).toEqual([path, expected]);
  }
  expect(loads(sluice.log())).toBe(1);
  expect(await sluice.stop()).toBe(0);
});

test("a process that is stopped while it loads answers the request and ends well", async () => {
  const sluice = await rig.startProcess();
  const asked = fetch(`${sluice.url}/backend/openapi.json`, { headers: { connection: "close" } });
  // The request is on its way when the signal is.
  const code = sluice.stop();
  const status = await asked.then(
    (answer) => answer.status,
    () => "refused",
  );
  expect([200, "refused"]).toContain(status);
  expect(await code).toBe(0);
});

test("a load that fails is answered with a request id, logged, and tried again by the next request", async () => {
  const lines: string[] = [];
  const log = createLog("info", (line) => lines.push(line));
  let tries = 0;
  const backend = new Late(() => {
    tries += 1;
    return tries === 1 ? Promise.reject(new Error("no memory")) : Promise.resolve(() => new Response("here"));
  });
  const rest = async () => (await backend.get())();
  const server = createApp({ probes: {}, rest }, null, log, () => false).listen({ hostname: "127.0.0.1", port: 0 });
  try {
    const url = `http://127.0.0.1:${server.port}/backend/openapi.json`;
    const failed = await fetch(url);
    const requestId = failed.headers.get("x-request-id") ?? "none";
    expect([failed.status, failed.headers.get("content-type")]).toEqual([500, "application/json;charset=utf-8"]);
    expect(await failed.text()).toContain(requestId);
    expect(lines.filter((line) => line.includes(requestId) && line.includes("no memory"))).toHaveLength(1);
    const again = await fetch(url);
    expect([again.status, await again.text(), tries]).toEqual([200, "here", 2]);
  } finally {
    await server.stop(true);
  }
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { rawRequest } from "../support/wire/raw-tcp-client.ts";

let provider: SandboxProvider;
let rig: SluiceRig;
let user: TestUser;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  user = await rig.addUser();
});

afterEach(() => provider.reset());

afterAll(async () => {
  await rig.close();
  await provider.stop();
});

const request = (stream: boolean): string =>
  JSON.stringify({ model: "gpt-4o-mini", stream, messages: [{ role: "user", content: "hello" }] });

const call = (url: string, stream: boolean): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
    body: request(stream),
  });

/** Whether the port still accepts connections. */
const isListening = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`, { headers: { connection: "close" } }).then(
    () => true,
    () => false,
  );

async function findRow(answer: Response) {
  const requestId = answer.headers.get("x-request-id") ?? "";
  const [row] = await rig.db.sql<{ outcome: string; quota: bigint; usage_source: string }>`
    select outcome, quota, usage_source from usage_log where request_id = ${requestId}::uuid`;
  return row;
}

describe.each([
  ["one process", "relay,gateway,backend,jobs"],
  ["a gateway that runs alone", "gateway,jobs"],
])("%s that is asked to stop", (_, roles) => {
  const start = (env: Record<string, string> = {}): Promise<SluiceProcess> =>
    rig.startProcess({ ROLES: roles, ...env });

  test("lets a running stream finish, accepts no new calls, and leaves its books correct", async () => {
    const sluice = await start();
    provider.script({ silence: { afterChunks: 3 } });
    const answer = await call(sluice.url, true);
    const reading = answer.text();
    const record = await provider.waitForHeld(0);
    const stopped = sluice.stop();
    await waitUntil(async () => !(await isListening(sluice.url)));
    expect(await Promise.race([sluice.exited, Bun.sleep(300).then(() => "running")])).toBe("running");
    record.release();
    const text = await reading;
    expect(text.trimEnd().endsWith("data: [DONE]")).toBeTrue();
    expect(await stopped).toBe(0);
    expect(await findRow(answer)).toMatchObject({ outcome: "completed", usage_source: "provider" });
    expect(await rig.checkMoney()).toEqual([]);
    await sluice.logged('"event":"program.stopped"');
  });

  test("waits for a client that reads a long answer slowly", async () => {
    const sluice = await start();
    const filler = "x".repeat(20_000_000);
    const choices = [{ index: 0, message: { role: "assistant", content: filler } }];
    provider.script({ body: { choices, usage: { prompt_tokens: 1, completion_tokens: 1 } } });
    const socket = connect(Number(new URL(sluice.url).port), "127.0.0.1");
    socket.pause();
    const lines = [
      "POST /v1/chat/completions HTTP/1.1",
      "Host: sluice.example",
      `Authorization: Bearer ${user.apiKey}`,
    ];
    socket.write(rawRequest([...lines, "Content-Type: application/json"], request(false)));
    await provider.waitForEnd(0);
    const stopped = sluice.stop();
    await waitUntil(async () => !(await isListening(sluice.url)));
    expect(await Promise.race([sluice.exited, Bun.sleep(500).then(() => "running")])).toBe("running");
    let received = 0;
    socket.on("data", (bytes) => {
      received += bytes.length;
    });
    socket.resume();
    await new Promise((resolve) => socket.once("end", resolve));
    expect(received).toBeGreaterThan(filler.length);
    expect(await stopped).toBe(0);
  });

  test("reports that it is not ready and keeps serving while others are given time to notice", async () => {
    // Enough for two requests on a busy machine.
    const sluice = await start({ DRAIN_NOTICE_MS: "4000" });
    await waitUntil(async () => (await fetch(`${sluice.url}/readyz`)).status === 200);
    const stopped = sluice.stop();
    await waitUntil(async () => (await fetch(`${sluice.url}/readyz`)).status === 503);
    const ready = await fetch(`${sluice.url}/readyz`);
    expect(await ready.json()).toEqual({ ok: false, reasons: ["shutting down"] });
    const answer = await call(sluice.url, false);
    expect(answer.status).toBe(200);
    // A client with an open connection opens another one, to another process.
    expect(answer.headers.get("connection")).toBe("close");
    expect(await stopped).toBe(0);
    expect(await isListening(sluice.url)).toBeFalse();
    expect(await findRow(answer)).toMatchObject({ outcome: "completed" });
  });

  test("cuts off running calls when its time is over, and charges what was delivered by then", async () => {
    // A provider is not read on for its usage then: there is no time left to record it.
    const sluice = await start({ DRAIN_TIMEOUT_MS: "300", ABORTED_USAGE_TIMEOUT_MS: "60000" });
    provider.script({ text: "one two three four", silence: { afterChunks: 4 } });
    const answer = await call(sluice.url, true);
    const reading = answer.text();
    await provider.waitForHeld(0);
    const stopped = sluice.stop();
    const text = await reading.catch(() => "broken");
    expect(text).not.toContain("[DONE]");
    expect(await stopped).toBe(0);
    await provider.waitForCancel(0);
    const row = await findRow(answer);
    expect(row).toMatchObject({ outcome: "aborted", usage_source: "estimated" });
    expect(row?.quota).toBeGreaterThan(0n);
    expect(await rig.checkMoney()).toEqual([]);
  });
});

test("a relay whose gateway drains sees the stream through to its end", async () => {
  const gateway = await rig.startProcess({ ROLES: "gateway,jobs" });
  const relay = await rig.startProcess({ ROLES: "relay,backend", UPSTREAM_GATEWAY_URL: gateway.url });
  provider.script({ silence: { afterChunks: 3 } });
  const answer = await call(relay.url, true);
  const reading = answer.text();
  const record = await provider.waitForHeld(0);
  const stopped = gateway.stop();
  await waitUntil(async () => !(await isListening(gateway.url)));
  record.release();
  expect((await reading).trimEnd().endsWith("data: [DONE]")).toBeTrue();
  expect(await stopped).toBe(0);
  const late = await call(relay.url, false);
  const { error } = (await late.json()) as { error: { code: string } };
  expect([late.status, error.code, late.headers.has("retry-after")]).toEqual([503, "temporarily_unavailable", true]);
});

test("a second signal ends the process at once", async () => {
  const sluice = await rig.startProcess();
  provider.script({ silence: { afterChunks: 1 } });
  const reading = call(sluice.url, true)
    .then((answer) => answer.text())
    .catch(() => "broken");
  await provider.waitForHeld(0);
  const first = sluice.stop();
  await waitUntil(async () => !(await isListening(sluice.url)));
  expect(await sluice.stop()).toBe(1);
  await first;
  expect(await reading).not.toContain("[DONE]");
});

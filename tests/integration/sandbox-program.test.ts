import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { z } from "zod";
import { patienceMs } from "../support/values/patience.ts";

const programPath = join(import.meta.dir, "../../packages/sandbox-provider/src/main.ts");
const readyLine = z.strictObject({ event: z.literal("ready"), url: z.url(), port: z.int() });
const running = new Set<Program>();

type Program = Awaited<ReturnType<typeof startProgram>>;

afterEach(async () => {
  for (const program of running) {
    program.process.kill("SIGKILL");
    await program.process.exited;
  }
  running.clear();
});

async function startProgram(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const process_ = Bun.spawn([process.execPath, programPath, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...environment, PATH: process.env["PATH"] ?? "" },
  });
  const reader = process_.stdout.getReader();
  let text = "";
  for (let isDone = false; !(isDone || text.includes("\n")); ) {
    const { value, done } = await reader.read();
    text += value === undefined ? "" : new TextDecoder().decode(value);
    isDone = done;
  }
  const program = { process: process_, ...readyLine.parse(JSON.parse(text)) };
  running.add(program);
  return program;
}

const postJson = async (url: string, body: unknown): Promise<{ status: number; value: unknown }> => {
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  return { status: answer.status, value: await answer.json() };
};
const chat = (url: string, body: object): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer key", "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }], ...body }),
  });

describe("the program", () => {
  test("prints its address, responds, and ends on either signal", async () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const program = await startProgram(["--port", "0", "--host", "127.0.0.1"]);
      expect(program.url).toBe(`http://127.0.0.1:${program.port}`);
      expect(await (await chat(program.url, {})).text()).toContain("PROVIDER_API_KEY");
      program.process.kill(signal);
      expect(await program.process.exited).toBe(0);
    }
  });

  test("ends when its parent is gone, if configured to, even in the middle of a response", async () => {
    const program = await startProgram(["--exit-with-parent", "--scriptable"]);
    await postJson(`${program.url}/sandbox/script`, { behaviours: [{ neverAnswer: true }] });
    const answer = chat(program.url, {}).catch(() => "reset");
    await postJson(`${program.url}/sandbox/wait`, { for: "held" });
    program.process.stdin.end();
    expect(await program.process.exited).toBe(0);
    expect(await answer).toBe("reset");
  });

  test("accepts a key only in the ways that it was told, and does not start with a way that it does not know", async () => {
    const program = await startProgram(["--auth", "api-key,x-goog-api-key"]);
    expect((await chat(program.url, {})).status).toBe(401);
    const asked = { headers: { "x-goog-api-key": "k" } };
    expect((await fetch(`${program.url}/v1/models`, asked)).status).toBe(200);
    const mistaken = Bun.spawn([process.execPath, programPath, "--auth", "cookie"], { stderr: "pipe" });
    expect(await mistaken.exited).toBe(2);
    expect(await new Response(mistaken.stderr).text()).toContain("--auth must be a list of bearer, x-api-key");
  });

  test("paces its streams by default", async () => {
    const paced = await startProgram(["--pace", "5"]);
    const startedAtMs = performance.now();
    const events = (await (await chat(paced.url, { stream: true })).text()).split("data: ").length;
    expect(performance.now() - startedAtMs).toBeGreaterThan((events - 3) * 5);
  });

  test("takes its settings from the environment, and flags take precedence", async () => {
    const program = await startProgram(["--key", "flag"], { SANDBOX_KEY: "environment", SANDBOX_SCRIPTABLE: "1" });
    const statusFor = async (key: string): Promise<number> =>
      (await fetch(`${program.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect([await statusFor("flag"), await statusFor("environment")]).toEqual([200, 401]);
    expect((await fetch(`${program.url}/sandbox/totals`)).status).toBe(200);
  });

  test("reports wrong flags or a port in use, and does not run", async () => {
    const taken = await startProgram([]);
    for (const args of [
      ["--port", "x"],
      ["--port", "70000"],
      ["--pace", "-1"],
      ["--nonsense"],
      ["--port", String(taken.port)],
    ]) {
      const failed = Bun.spawnSync([process.execPath, programPath, ...args], { timeout: patienceMs });
      expect([args, failed.exitCode === 0, failed.stdout.length]).toEqual([args, false, 0]);
      expect(failed.stderr.toString()).toContain(args[1] === String(taken.port) ? "cannot listen" : (args[0] ?? ""));
    }
    const help = Bun.spawnSync([process.execPath, programPath, "--help"]);
    expect([help.exitCode, help.stdout.toString().includes("sandbox: status 429")]).toEqual([0, true]);
  });
});

describe("a scriptable program", () => {
  test("accepts a script, shows its requests, waits, releases and resets over HTTP", async () => {
    const { url } = await startProgram(["--scriptable", "--pace", "0"]);
    const behaviours = [{ status: 503 }, { silence: { afterChunks: 1 }, text: "a b" }];
    expect((await postJson(`${url}/sandbox/script`, { behaviours, match: { model: "gpt-4o-mini" } })).status).toBe(200);
    expect((await chat(url, { model: "other" })).status).toBe(200);
    expect((await chat(url, {})).status).toBe(503);
    const held = chat(url, { stream: true }).then((answer) => answer.text());
    const waited = await postJson(`${url}/sandbox/wait`, { for: "held", index: 2 });
    expect(waited.value).toMatchObject({ request: { index: 2, isHeld: true, chunksWritten: 1, outcome: "open" } });
    await postJson(`${url}/sandbox/release`, { index: 2 });
    expect(await held).toContain("[DONE]");
    const listed = (await (await fetch(`${url}/sandbox/requests`)).json()) as { requests: { bodyBase64: string }[] };
    expect(listed.requests.length).toBe(3);
    expect(Buffer.from(listed.requests[0]?.bodyBase64 ?? "", "base64").toString()).toContain('"model":"other"');
    await postJson(`${url}/sandbox/reset`, {});
    expect(await (await fetch(`${url}/sandbox/totals`)).json()).toMatchObject({ totals: { requests: 0, inFlight: 0 } });
  });

  test("refuses a script with an unknown field, and a wait that fails", async () => {
    const { url } = await startProgram(["--scriptable"]);
    const wrong = await postJson(`${url}/sandbox/script`, { behaviours: [{ statsu: 500 }] });
    expect([wrong.status, JSON.stringify(wrong.value).includes("statsu")]).toEqual([400, true]);
    expect((await postJson(`${url}/sandbox/wait`, { for: "request", timeoutMs: 10 })).status).toBe(408);
    expect((await postJson(`${url}/sandbox/nothing`, {})).status).toBe(404);
  });

  test("is the only one that can be controlled over HTTP", async () => {
    const { url } = await startProgram([]);
    expect((await postJson(`${url}/sandbox/script`, { behaviours: [{}] })).status).toBe(401);
  });
});

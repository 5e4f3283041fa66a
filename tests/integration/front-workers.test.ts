import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { mainFile, masterKeyBytes, SluiceRig, type TestUser } from "../support/service/sluice.ts";
import { findProcesses, type StartedProgram, startProgram, waitUntilGone } from "../support/service/start-process.ts";

/** So many that each of two workers has some of them: the chance of another outcome is one to two billions. */
const streamCount = 32;

let folder: string;
let provider: SandboxProvider;
let rig: SluiceRig;
let user: TestUser;
let port: number;
let program: StartedProgram;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice workers "));
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  user = await rig.addUser();
  port = await findFreePort();
  program = startProgram({
    env: {
      STUB_WORKER: mainFile,
      WORKERS: "2",
      CHAT_FRONT: "on",
      NODE_ENV: "test",
      PORT: String(port),
      DATABASE_URL: rig.database.url,
      DATA_DIR: join(folder, "data"),
      MASTER_KEY: masterKeyBytes.toString("base64"),
      RESERVE_FILE_BYTES: "1048576",
      WEB_DIST: "none",
      DRAIN_NOTICE_MS: "100",
      // The channel that the rig has made, as it is.
      PROVIDER_API_KEY: "upstream-first",
      PROVIDER_BASE_URL: `${provider.url}/v1`,
    },
  });
  await program.waitFor("answers, 2 processes");
  await waitUntil(() => Promise.resolve(eventsOf("program.listening").length === 2));
});

afterAll(async () => {
  program.signal("SIGTERM");
  await program.exited;
  const left = await waitUntilGone(folder, 10_000);
  await rig.close();
  await provider.stop();
  await rm(folder, { recursive: true, force: true });
  expect(left).toEqual([]);
});

const eventsOf = (event: string): Record<string, unknown>[] =>
  program
    .output()
    .split("\n")
    .filter((line) => line.includes(`"event":"${event}"`))
    .map((line) => JSON.parse(line.slice(line.indexOf("{"))) as Record<string, unknown>);

const workerPids = (): number[] =>
  findProcesses(join(folder, "data"))
    .filter((command) => command.includes(mainFile))
    .map((command) => Number.parseInt(command, 10));

const call = (stream: boolean): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: "POST",
    // A connection of its own, so that the system chooses a worker.
    headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ model: "gpt-4o-mini", stream, messages: [{ role: "user", content: "hello" }] }),
  });

/** Streams that the provider holds back until `release`. */
async function holdStreams() {
  provider.reset();
  provider.script(Array.from({ length: streamCount }, () => ({ silence: { afterChunks: 2 } })));
  const answers = await Promise.all(Array.from({ length: streamCount }, () => call(true)));
  const texts = answers.map((answer) => answer.text());
  const records = await Promise.all(answers.map((_, index) => provider.waitForHeld(index)));
  return {
    release: () => {
      for (const record of records) {
        record.release();
      }
    },
    ends: () => Promise.all(texts.map(async (text) => (await text).trimEnd().slice(-"data: [DONE]".length))),
  };
}

const whole = Array.from({ length: streamCount }, () => "data: [DONE]");

/** How many requests the worker that is asked has served by itself. */
async function servedByFront(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: "close" } })).text();
  return Number(/^sluice_front_total\{outcome="served"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

test("two workers share the port, and one that is replaced lets its streams end while the other serves on", async () => {
  const held = await holdStreams();
  expect(await servedByFront()).toBeGreaterThan(0);
  const [pid = 0] = workerPids();
  process.kill(pid, "SIGTERM");
  await waitUntil(() => Promise.resolve(eventsOf("program.draining").length === 1));
  const inFlight = Number(eventsOf("program.draining")[0]?.["inFlight"]);
  expect(inFlight).toBeGreaterThan(0);
  expect(inFlight).toBeLessThan(streamCount);
  // A connection that came to the first worker in the moment in which it stopped listening is tried again.
  for (let calls = 0; calls < 20; calls += 1) {
    const answer = await call(false).catch(() => call(false));
    expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true]);
  }
  held.release();
  expect(await held.ends()).toEqual(whole);
  await waitUntil(() => Promise.resolve(eventsOf("program.listening").length === 3));
  expect(workerPids()).toHaveLength(2);
  expect(workerPids()).not.toContain(pid);
});

test("both workers let their streams end when the service stops, and every call is in the books", async () => {
  const held = await holdStreams();
  program.signal("SIGTERM");
  await waitUntil(() => Promise.resolve(eventsOf("program.draining").length === 3));
  held.release();
  expect(await held.ends()).toEqual(whole);
  expect(await program.exited).toBe(0);
  const [row] = await rig.db.sql<{ rows: bigint; completed: bigint }>`
    select count(*) as rows, count(*) filter (where outcome = 'completed') as completed from usage_log`;
  expect(row).toEqual({ rows: BigInt(2 * streamCount + 20), completed: BigInt(2 * streamCount + 20) });
  expect(await rig.checkMoney()).toEqual([]);
  expect(program.output()).not.toContain('"level":"error"');
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { RealtimeClient, tryHandshake } from "../support/calls/realtime-client.ts";
import {
  addModelWithChannel,
  type RelayScene,
  type SceneOptions,
  startRelayScene,
  waitUntil,
} from "../support/calls/relay-scene.ts";
import { arrangements, type TestUser } from "../support/service/sluice.ts";
import { promptMs } from "../support/values/patience.ts";
import { testRandom } from "../support/values/test-seed.ts";
import { createTestAuthority } from "../support/wire/test-certificates.ts";

const random = testRandom();
const isFull = process.env["TEST_FULL"] === "1";
const killRounds = isFull ? 20 : 3;
const megabyte = 1024 * 1024;
/** What two stalled connections may take in, with the relay between them: the kernel's buffers grow as far as it was set. */
const stalledBytes = 80 * megabyte;
/** Pieces of 64 KB that a stalled client has before it: more than may be taken in. */
const stalledChunks = isFull ? 3_000 : 1_600;

type Row = {
  outcome: string;
  quota: bigint;
  usage_source: string;
  input_tokens: bigint;
  output_tokens: bigint;
  error_code: string | null;
};

const scenes: RelayScene[] = [];

afterEach(async () => {
  await Promise.all(scenes.splice(0).map((scene) => scene.close()));
});

async function start(options: SceneOptions = {}): Promise<RelayScene> {
  const scene = await startRelayScene("one-process", options);
  scenes.push(scene);
  return scene;
}

function open(scene: RelayScene, user: TestUser = scene.user, model = "gpt-4o-mini"): Promise<RealtimeClient> {
  return RealtimeClient.open(`${scene.sluice.url}/v1/realtime?model=${model}`, {
    headers: { authorization: `Bearer ${user.apiKey}` },
  });
}

function script(scene: RelayScene, behaviour: Behaviour): void {
  scene.provider.script(behaviour, { match: { path: "/v1/realtime" } });
}

async function rowsOf(scene: RelayScene, user: TestUser = scene.user): Promise<Row[]> {
  return [
    ...(await scene.rig.db.sql<Row>`
      select outcome, quota, usage_source, input_tokens, output_tokens, error_code from usage_log
      where gateway_user_id = ${user.gatewayUserId}::bigint order by request_id`),
  ];
}

async function traceOf(
  scene: RelayScene,
  user: TestUser = scene.user,
): Promise<{ status: string; error_code: string | null }[]> {
  const read = async () => [
    ...(await scene.rig.db.sql<{ status: string; error_code: string | null }>`
      select status, error_code from trace_record
      where path = '/v1/realtime' and gateway_user_id = ${user.gatewayUserId}::bigint`),
  ];
  await waitUntil(async () => (await read()).length > 0);
  return await read();
}

function residentBytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

const nowMs = () => performance.timeOrigin + performance.now();

describe.each(arrangements)("when one side is gone, %s", (arrangement) => {
  let scene: RelayScene;
  let user: TestUser;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement);
  });

  beforeEach(async () => {
    scene.provider.reset();
    user = await scene.rig.addUser();
  });

  afterAll(() => scene.close());

  test("a client that leaves without a close frame closes the provider's side in time, and pays for what it received", async () => {
    script(scene, { isEndless: true, chunkDelayMs: 5 });
    const client = await open(scene, user);
    client.send({ type: "response.create" });
    for (let piece = 0; piece < 5; piece += 1) {
      await client.next("response.output_text.delta");
    }
    const leftAtMs = nowMs();
    client.terminate();
    const record = await scene.provider.waitForCancel(0);
    expect((record.endedAtMs ?? 0) - leftAtMs).toBeLessThan(promptMs);
    await waitUntil(async () => (await rowsOf(scene, user)).length > 0);
    const [row] = await rowsOf(scene, user);
    expect(row).toMatchObject({ outcome: "aborted", usage_source: "estimated" });
    expect(Number(row?.output_tokens)).toBeGreaterThanOrEqual(5);
    expect(await traceOf(scene, user)).toEqual([{ status: "aborted", error_code: "client_closed_request" }]);
    expect(await scene.rig.checkMoney()).toEqual([]);
  });

  test("a client that leaves a response before its first word pays for the input", async () => {
    script(scene, { firstTokenDelayMs: 30_000 });
    const client = await open(scene, user);
    client.send({ type: "session.update", session: { instructions: "x".repeat(1_000) } });
    client.send({ type: "response.create" });
    await client.next("response.created");
    client.terminate();
    await waitUntil(async () => (await rowsOf(scene, user)).length > 0);
    const [row] = await rowsOf(scene, user);
    expect(row).toMatchObject({ outcome: "aborted", usage_source: "estimated", output_tokens: 0n });
    expect(Number(row?.input_tokens)).toBeGreaterThan(200);
    expect(await scene.rig.checkMoney()).toEqual([]);
  });

  test.each(["fin", "rst"] as const)(
    "a provider that disconnects by %s is reported to the client in time",
    async (how) => {
      script(scene, { cut: { afterChunks: 8, with: how }, chunkDelayMs: 5 });
      const client = await open(scene, user);
      client.send({ type: "response.create" });
      const closed = await client.closed;
      const record = await scene.provider.waitForEnd(0);
      expect(nowMs() - (record.endedAtMs ?? 0)).toBeLessThan(promptMs);
      expect(closed.code).toBe(1011);
      expect(client.events.at(-1)).toMatchObject({ type: "error", error: { code: "stream_interrupted" } });
      await waitUntil(async () => (await rowsOf(scene, user)).length > 0);
      // Eight events: the session, the beginning of the response, and six pieces of text, each a token.
      expect(await rowsOf(scene, user)).toEqual([
        expect.objectContaining({ outcome: "failed", usage_source: "estimated", output_tokens: 6n }),
      ]);
      expect((await traceOf(scene, user))[0]).toMatchObject({ status: "failed" });
      expect(await scene.rig.checkMoney()).toEqual([]);
    },
  );
});

describe("back-pressure", () => {
  let scene: RelayScene;
  let slow: Bun.Server<undefined>;
  let slowSocket: Bun.ServerWebSocket<undefined> | null = null;
  const got: number[] = [];

  beforeAll(async () => {
    slow = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request, server) => (server.upgrade(request) ? undefined : new Response(null, { status: 400 })),
      websocket: {
        open: (socket) => {
          slowSocket = socket;
          socket.pause();
        },
        message: (_, message) => void got.push(message.length),
      },
    });
    scene = await startRelayScene("one-process", {
      prepare: (made) => addModelWithChannel(made, "slow", `http://127.0.0.1:${slow.port}/v1`),
    });
  });

  beforeEach(() => scene.provider.reset());

  afterAll(async () => {
    await scene.close();
    await slow.stop(true);
  });

  test("a client that does not read stalls the provider, costs no memory, and misses nothing", async () => {
    script(scene, { chunks: stalledChunks, chunkBytes: 65_536 });
    const client = await open(scene);
    await client.next("session.created");
    const before = residentBytes(scene.sluice.pid);
    client.pause();
    client.send({ type: "response.create" });
    const record = await scene.provider.waitForRequest(0);
    await waitUntil(async () => {
      const { bytesWritten } = record;
      await Bun.sleep(300);
      return bytesWritten > 0 && record.bytesWritten === bytesWritten;
    });
    expect(record.bytesWritten).toBeLessThan(stalledBytes);
    expect(residentBytes(scene.sluice.pid) - before).toBeLessThan(60 * megabyte);
    client.resume();
    await client.next("response.done");
    expect(client.events.filter(({ type }) => type === "response.output_text.delta")).toHaveLength(stalledChunks);
    await client.close();
  });

  test("a provider that does not read stalls the client, costs no memory, and misses nothing", async () => {
    const client = await open(scene, scene.user, "slow");
    const before = residentBytes(scene.sluice.pid);
    const frame = JSON.stringify({ type: "input_audio_buffer.append", audio: "x".repeat(megabyte / 4) });
    for (let index = 0; index < 512; index += 1) {
      client.send(frame);
    }
    await waitUntil(async () => {
      const backlog = client.backlogBytes;
      await Bun.sleep(300);
      return client.backlogBytes === backlog;
    });
    expect(512 * frame.length - client.backlogBytes).toBeLessThan(stalledBytes);
    expect(residentBytes(scene.sluice.pid) - before).toBeLessThan(60 * megabyte);
    slowSocket?.resume();
    await waitUntil(async () => got.length === 512);
    await client.close();
  });

  test("a frame above the limit ends the session, from either side", async () => {
    const client = await open(scene);
    await client.next("session.created");
    client.send("x".repeat(17 * megabyte));
    expect((await client.closed).code).toBe(1009);
    await scene.provider.waitForCancel(0);
    script(scene, { chunks: 1, chunkBytes: 17 * megabyte });
    const second = await open(scene);
    second.send({ type: "response.create" });
    expect((await second.closed).code).toBe(1011);
  });
});

describe("the end of a session", () => {
  test.each([
    ["nothing is said for too long", { REALTIME_IDLE_TIMEOUT_MS: "500" }, "idle for too long"],
    ["it has lasted as long as it may", { REALTIME_TOTAL_TIMEOUT_MS: "500" }, "maximum duration"],
  ])("is orderly when %s", async (_when, env, words) => {
    const scene = await start({ env });
    const client = await open(scene);
    expect(await client.closed).toEqual({ code: 1001, reason: "session_ended" });
    expect(client.events.at(-1)).toMatchObject({ type: "error", error: { code: "session_ended" } });
    expect(JSON.stringify(client.events.at(-1))).toContain(words);
    expect((await scene.provider.waitForCancel(0)).closeCode).toBe(1000);
    expect(await traceOf(scene)).toEqual([{ status: "completed", error_code: null }]);
  });

  test("comes when the provider gives no sign of life", async () => {
    // Long enough for the one that is alive to respond, on a busy machine too.
    const scene = await start({ env: { REALTIME_PING_MS: "2000" } });
    const alive = await open(scene);
    script(scene, { silence: { afterChunks: 1 } });
    const silent = await open(scene);
    expect(await silent.closed).toEqual({ code: 1011, reason: "upstream_timeout" });
    await alive.say("still here");
    await alive.close();
  });

  test("comes at once on SIGTERM if no response is running, else after the response", async () => {
    const scene = await start();
    script(scene, { chunks: 40, silence: { afterChunks: 5 } });
    const busy = await open(scene);
    busy.send({ type: "response.create" });
    const record = await scene.provider.waitForHeld(0);
    const idle = await open(scene);
    await idle.next("session.created");
    const stopped = scene.sluice.stop();
    expect(await idle.closed).toEqual({ code: 1001, reason: "shutting_down" });
    expect(busy.events.some(({ type }) => type === "response.done")).toBe(false);
    record.release();
    await busy.next("response.done");
    expect((await busy.closed).code).toBe(1001);
    expect(await stopped).toBe(0);
    expect(await rowsOf(scene)).toEqual([expect.objectContaining({ outcome: "completed", usage_source: "provider" })]);
    expect(await scene.rig.checkMoney()).toEqual([]);
  });

  test("comes for an endless response after half the drain time, and what it delivered is charged", async () => {
    const scene = await start({ env: { DRAIN_TIMEOUT_MS: "6000" } });
    script(scene, { isEndless: true, chunkDelayMs: 20 });
    const client = await open(scene);
    client.send({ type: "response.create" });
    await client.next("response.output_text.delta");
    expect(await scene.sluice.stop()).toBe(0);
    expect((await client.closed).code).toBe(1001);
    expect(await rowsOf(scene)).toEqual([expect.objectContaining({ outcome: "aborted", usage_source: "estimated" })]);
    expect(await scene.rig.checkMoney()).toEqual([]);
  });
});

describe("over TLS", () => {
  const authority = createTestAuthority();

  /** A provider with a certificate for this name, and a model that it serves. */
  async function startWithTls(name: string, trusted: boolean): Promise<RelayScene & { stop(): Promise<void> }> {
    const provider = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      tls: authority.issue({ dns: [name] }),
      fetch: (request, server) => (server.upgrade(request) ? undefined : new Response(null, { status: 400 })),
      websocket: { message: (socket, message) => void socket.send(message) },
    });
    const caFile = join(tmpdir(), `realtime-ca-${crypto.randomUUID()}.pem`);
    await writeFile(caFile, authority.cert);
    const scene = await start({
      ...(trusted ? { env: { UPSTREAM_CA_FILE: caFile } } : {}),
      prepare: async (made) => {
        await addModelWithChannel(made, "sealed", `https://localhost:${provider.port}/v1`);
      },
    });
    const stop = async () => {
      await provider.stop(true);
      await rm(caFile);
    };
    return { ...scene, stop };
  }

  test("a provider with a trusted certificate for its name is connected to", async () => {
    const scene = await startWithTls("localhost", true);
    const client = await open(scene, scene.user, "sealed");
    client.send({ type: "echo" });
    await client.next("echo");
    await client.close();
    await scene.stop();
  });

  test.each([
    ["whose certificate no authority signed", "localhost", false],
    ["whose certificate has another name", "other.example", true],
  ])("a provider %s gets no request", async (_what, name, trusted) => {
    const scene = await startWithTls(name, trusted);
    const answer = await tryHandshake(`${scene.sluice.url}/v1/realtime?model=sealed`, {
      authorization: `Bearer ${scene.user.apiKey}`,
    });
    expect([answer.status, answer.error.code]).toEqual([502, "upstream_unreachable"]);
    await scene.stop();
  });
});

async function talkUntilCut(client: RealtimeClient): Promise<void> {
  try {
    for (;;) {
      await client.say("on and on");
    }
  } catch {
    // The connection ended, as it had to.
  }
}

test("after kill -9 there is one row for each response whose end was delivered, and the money adds up", async () => {
  const scene = await start({ prepare: (made) => made.addFlatPriceModel("flat", 1_000n) });
  const { rig, provider } = scene;
  const user = await rig.addUser();
  let sluice = scene.sluice;
  let delivered = 0;
  for (let round = 0; round < killRounds; round += 1) {
    const url = `${sluice.url}/v1/realtime?model=flat`;
    const clients = await Promise.all(
      Array.from({ length: 4 }, () =>
        RealtimeClient.open(url, { headers: { authorization: `Bearer ${user.apiKey}` } }),
      ),
    );
    const talks = clients.map((client) => talkUntilCut(client));
    const done = () => clients.flatMap(({ events }) => events.filter(({ type }) => type === "response.done")).length;
    await waitUntil(async () => done() > 1);
    await Bun.sleep(50 + random() * 100);
    await sluice.kill();
    await Promise.all(talks);
    delivered += done();
    sluice = await rig.startProcess({ DATA_DIR: sluice.dataDirectory });
  }
  await sluice.stop();
  const [sums] = await rig.db.sql<{ rows: bigint; ids: bigint; quota: bigint }>`
    select count(*) as rows, count(distinct request_id) as ids, sum(quota)::bigint as quota from usage_log`;
  expect(delivered).toBeGreaterThan(killRounds);
  // A row may be durable whose event was on its way when the process died; at most one for each session.
  expect(Number(sums?.rows)).toBeGreaterThanOrEqual(delivered);
  expect(Number(sums?.rows)).toBeLessThanOrEqual(delivered + 4 * killRounds);
  expect(sums?.ids).toBe(sums?.rows);
  const [budget] = await rig.db.sql<{ used: bigint; leased: bigint }>`
    select used, leased from budget where id = ${user.budgetId}::bigint`;
  expect(budget).toEqual({ used: (sums?.quota ?? 0n) as bigint, leased: 0n });
  expect(sums?.quota).toBe(1_000n * (sums?.rows ?? 0n));
  expect(await rig.checkMoney()).toEqual([]);
  expect(provider.totals.connections.violations).toEqual([]);
});

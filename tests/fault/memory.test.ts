/** Many stalled streams: memory stays flat, others are served, and everything is released. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { FaultRig } from "../support/calls/fault-rig.ts";
import { eventPayloads, finishedAnswer, relayedRequest } from "../support/calls/relayed-call.ts";
import { arrangements } from "../support/service/sluice.ts";
import { promptMs } from "../support/values/patience.ts";
import { connectRaw, type RawConnection } from "../support/wire/raw-tcp-client.ts";

const isFull = process.env["TEST_FULL"] === "1";
const idleStreams = isFull ? 1_000 : 150;
/**
 * What the kernel keeps for a stalled reader on each connection of its call. Past the pressure mark of its memory for TCP
 * it resets connections of anyone, those of other tests included, so a quarter is left to them. At the usual mark of
 * a machine with 24 GB, 1.6 GB, that allows 196 readers; 500 need `net.ipv4.tcp_mem` 2.6 times as high.
 */
const kernelBytesPerConnection = 3_000_000;
const pressurePages = Number(readFileSync("/proc/sys/net/ipv4/tcp_mem", "utf8").trim().split(/\s+/)[1]);
const connectionsMax = Math.floor((pressurePages * 4_096 * 0.75) / kernelBytesPerConnection);
/** Long enough that nobody is cut off before all are stalled. */
const stallMsMax = 600_000;
/**
 * Well above what the system takes for a slow reader: it lets a sender continue only when a third of its buffer is free.
 */
const patienceMs = 8_000;

/**
 * What a stalled reader may cost a process: 16 KB in its queue and as much again in the server, the packet that was
 * being taken apart when the queue was full (at most 512 KB, in one piece), and 64 KB of its answer. That is 0.6 MB;
 * the rest is for the objects around small pieces, and for what the allocator does not give back.
 */
const perStalledReaderMb = 0.8;
/** An open stream is a request, a response, two sockets and a few small objects. */
const perIdleStreamMb = 0.04;
/** The longer responses that all calls together may keep, and what the collector has not freed yet. */
const slackMb = 32 + 32;
/** How much memory may vary while nothing happens. */
const restlessMb = 32;

describe.each(arrangements)("stalled streams, %s", (arrangement) => {
  // One more hop means more buffers to fill.
  const connectionsPerCall = arrangement === "split" ? 3 : 2;
  const readersMax = Math.min(500, Math.floor(connectionsMax / connectionsPerCall));
  const stalledReaders = isFull ? readersMax : arrangement === "split" ? 20 : 30;
  let faulty: FaultRig;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    await faulty.addModel("still", [{ name: "still" }]);
    await faulty.addModel("other", [{ name: "other" }]);
    // What an endless provider sends after its client has left would be measured as well.
    await faulty.start(arrangement, { STREAM_STALL_TIMEOUT_MS: String(stallMsMax), ABORTED_USAGE_TIMEOUT_MS: "0" });
    for (let call = 0; call < 300; call += 1) {
      await faulty.call("other", { stream: true });
    }
  });

  afterAll(async () => {
    await faulty.close();
  });

  /** The memory of the largest process, in MB. */
  const memoryMb = (): number =>
    Math.max(
      ...[faulty.relay.pid, faulty.gateway.pid].map((pid) => {
        const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
        return Number(kilobytes) / 1024;
      }),
    );

  const open = async (count: number, pausesAtOnce: boolean): Promise<RawConnection[]> => {
    const request = relayedRequest({ apiKey: faulty.user.apiKey, body: { model: "still", stream: true } });
    return await Promise.all(
      Array.from({ length: count }, async () => {
        const connection = await connectRaw(Number(new URL(faulty.relay.url).port), { receiveBufferBytes: 65_536 });
        if (pausesAtOnce) {
          connection.pause();
        }
        connection.send(request);
        return connection;
      }),
    );
  };

  const expectOthersServed = async (): Promise<void> => {
    const durations: number[] = [];
    for (let call = 0; call < 30; call += 1) {
      const startedAt = performance.now();
      expect((await faulty.call("other", { stream: true })).status).toBe(200);
      durations.push(performance.now() - startedAt);
    }
    durations.sort((one, other) => one - other);
    expect(durations[15]).toBeLessThan(1_000);
    expect(durations[29]).toBeLessThan(promptMs);
  };

  /** Resolves when the provider could send nothing more for a second. */
  const untilNothingMoves = async (): Promise<void> => {
    const sent = (): number => faulty.provider.requests.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
    for (let before = -1, now = sent(); before !== now; now = sent()) {
      before = now;
      await Bun.sleep(1_000);
    }
  };

  test(`${stalledReaders} readers that read nothing of a fast stream cost little memory`, async () => {
    faulty.provider.reset();
    const stillOnly = { match: { credential: "upstream-still" }, times: "always" } as const;
    faulty.provider.script({ isEndless: true, chunkBytes: 400 }, stillOnly);
    const baselineMb = memoryMb();
    const limitMb = baselineMb + stalledReaders * perStalledReaderMb + slackMb;
    const readers = await open(stalledReaders, true);
    await untilNothingMoves();
    expect(faulty.provider.totals.inFlight).toBe(stalledReaders);
    const stalledMb = memoryMb();
    expect(stalledMb).toBeLessThan(limitMb);
    await expectOthersServed();
    await Bun.sleep(2_000);
    expect(faulty.provider.totals.inFlight).toBe(stalledReaders);
    expect(memoryMb()).toBeLessThan(stalledMb + restlessMb);
    for (const reader of readers) {
      reader.close("rst");
    }
    await faulty.provider.waitForIdle(30_000);
    await faulty.waitUntilReleased();
    // One row for each, and none with another outcome.
    await faulty.waitForEnds("still", { "aborted estimated": stalledReaders });
    expect(memoryMb()).toBeLessThan(limitMb);
  });

  test(`${idleStreams} streams without any data cost little memory`, async () => {
    faulty.provider.reset();
    const stillOnly = { match: { credential: "upstream-still" }, times: "always" } as const;
    faulty.provider.script({ text: "some text", silence: { afterChunks: 1 } }, stillOnly);
    const baselineMb = memoryMb();
    const connections = await open(idleStreams, false);
    await Promise.all(connections.map((connection) => connection.waitForText('"role":"assistant"')));
    expect(faulty.provider.totals.inFlight).toBe(idleStreams);
    await expectOthersServed();
    expect(memoryMb()).toBeLessThan(baselineMb + idleStreams * perIdleStreamMb + restlessMb);
    for (const record of faulty.provider.requests.filter(({ credential }) => credential === "upstream-still")) {
      record.release();
    }
    for (const connection of connections) {
      const answer = await finishedAnswer(connection);
      expect({ isWhole: answer.isWhole, last: eventPayloads(answer.body).at(-1) }).toEqual({
        isWhole: true,
        last: "[DONE]",
      });
    }
    await faulty.waitUntilReleased();
  });

  test("afterwards the books are correct", async () => {
    await faulty.waitUntilInFlight(0);
    expect(await faulty.rig.checkMoney()).toEqual([]);
  });
});

describe.each(arrangements)("patience with a reader, %s", (arrangement) => {
  let faulty: FaultRig;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    await faulty.addModel("stream", [{ name: "stream" }]);
    await faulty.addModel("large", [{ name: "large" }]);
    await faulty.start(arrangement, {
      STREAM_STALL_TIMEOUT_MS: String(patienceMs),
      ABORTED_USAGE_TIMEOUT_MS: "0",
    });
  });

  afterAll(async () => {
    await faulty.close();
  });

  const connect = async (body: object): Promise<RawConnection> => {
    const connection = await connectRaw(Number(new URL(faulty.relay.url).port));
    connection.send(relayedRequest({ apiKey: faulty.user.apiKey, body: { ...body } }));
    return connection;
  };

  test("ends when it reads nothing of a stream: both connections are closed, and what was delivered is charged", async () => {
    faulty.provider.reset();
    faulty.provider.script({ isEndless: true, chunkBytes: 400 });
    const reader = await connect({ model: "stream", stream: true });
    reader.pause();
    const record = await faulty.provider.waitForCancel(0, 60_000);
    expect(record.durationMs).toBeGreaterThan(patienceMs);
    await faulty.waitUntilInFlight(0);
    reader.resume();
    const answer = await finishedAnswer(reader);
    expect(answer.isWhole).toBe(false);
    expect(eventPayloads(answer.body)).not.toContain("[DONE]");
    expect(await faulty.row(answer.requestId)).toMatchObject({ outcome: "aborted", usage_source: "estimated" });
  });

  test("ends when it reads nothing of a whole response, but not when it reads slowly", async () => {
    faulty.provider.reset();
    faulty.provider.script({ text: "x".repeat(20_000_000) }, { times: 2 });
    const stalled = await connect({ model: "large" });
    await stalled.waitForBytes(1);
    stalled.pause();
    const slow = await connect({ model: "large" });
    await slow.waitForBytes(1);
    const startedAt = performance.now();
    while (performance.now() - startedAt < patienceMs + 3_000) {
      await slow.waitForBytes(slow.receivedBytes() + 1);
      slow.pause();
      await Bun.sleep(300);
      slow.resume();
    }
    expect((await finishedAnswer(slow)).isWhole).toBe(true);
    stalled.resume();
    expect((await finishedAnswer(stalled)).isWhole).toBe(false);
    expect(await faulty.rig.checkMoney()).toEqual([]);
  });
});

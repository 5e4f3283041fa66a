import { expect, test } from "bun:test";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import type { TelemetryReceiver, TelemetryRecord } from "@sluice/control-plane/platform/telemetry/model.ts";
import { TelemetryQueue } from "@sluice/control-plane/platform/telemetry/queue.ts";

const root = { name: "a call", kind: "server", startMs: 1, endMs: 2, attributes: {}, error: null } as const;
const toRecord = (entry: number): TelemetryRecord => ({
  trace: { traceId: entry.toString(16).padStart(32, "0"), root, parts: [] },
  measurements: [],
});

function queueOver(sendTraces: TelemetryReceiver["sendTraces"]) {
  const dropped = { queue_full: 0, not_taken: 0 };
  const queue = new TelemetryQueue<number>({
    receiver: { sendTraces, measure: () => undefined, close: () => Promise.resolve() },
    toRecord,
    onDropped: (count, reason) => {
      dropped[reason] += count;
    },
    log: createLog("error", () => undefined),
  });
  return { queue, dropped };
}

const offer = (queue: TelemetryQueue<number>, count: number): void => {
  for (let entry = 0; entry < count; entry += 1) {
    queue.take(entry);
  }
};

test("entries that do not fit are dropped and counted, and all others are reported once", async () => {
  const told: string[] = [];
  const { queue, dropped } = queueOver(async (traces) => {
    told.push(...traces.map(({ traceId }) => traceId));
  });
  offer(queue, 5_000);
  expect(dropped.queue_full).toBe(5_000 - 4_096);
  await queue.close(10_000);
  expect(told.length).toBe(4_096);
  expect(new Set(told).size).toBe(4_096);
  expect(dropped.not_taken).toBe(0);
});

test("an entry that can't be reported costs its batch, and the next one is reported", async () => {
  const told: string[] = [];
  const dropped: number[] = [];
  const queue = new TelemetryQueue<number>({
    receiver: {
      sendTraces: async (traces) => void told.push(...traces.map(({ traceId }) => traceId)),
      measure: () => undefined,
      close: () => Promise.resolve(),
    },
    toRecord: (entry) => {
      if (entry === 0) {
        throw new Error("a bug");
      }
      return toRecord(entry);
    },
    onDropped: (count) => dropped.push(count),
    log: createLog("error", () => undefined),
  });
  queue.take(0);
  while (dropped.length === 0) {
    await Bun.sleep(10);
  }
  queue.take(1);
  await queue.close(10_000);
  expect({ told: told.length, dropped }).toEqual({ told: 1, dropped: [1] });
});

test("what a receiver refuses is counted, and the end waits no longer than it may", async () => {
  const refusing = queueOver(() => Promise.reject(new Error("no")));
  offer(refusing.queue, 10);
  await refusing.queue.close(10_000);
  expect(refusing.dropped.not_taken).toBe(10);
  const silent = queueOver(() => new Promise(() => undefined));
  offer(silent.queue, 10);
  await silent.queue.close(1);
});

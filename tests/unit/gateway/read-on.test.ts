import { describe, expect, test } from "bun:test";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { type ReadOn, ReadOnRoom } from "@sluice/control-plane/gateway/read-on.ts";
import { StreamMeter } from "@sluice/control-plane/gateway/settle/measure-usage.ts";

const one = 1n as GatewayUserId;
const words = (length: number) => ({ choices: [{ delta: { content: "four ".repeat(length) } }] });

/** A room on a clock that the test sets. */
function scene(timeoutMs = 5_000) {
  let tick = 1_000;
  const clock = { now: () => 0, tick: () => tick };
  const room = new ReadOnRoom({ timeoutMs, bytesMax: 9 });
  const open = (userId = one) => room.open(userId, clock);
  const stream = () => {
    const readOn = open();
    const meter = new StreamMeter(clock, "chat");
    readOn.listen(meter);
    return { readOn, meter };
  };
  return {
    room,
    open,
    stream,
    pass: (ms: number) => {
      tick += ms;
    },
  };
}

describe("a response that its client abandons is read on", () => {
  test.each([
    [0, 5_000],
    [5_000, 5_000],
    [5_001, 5_001],
    [30_000, 30_000],
    [60_000, 60_000],
    [600_000, 60_000],
  ])("after %i ms without anything visible for %i ms", (workedMs, timeoutMs) => {
    const { open, pass } = scene();
    const readOn = open();
    pass(workedMs);
    expect(readOn.timeoutMs).toBe(timeoutMs);
    expect(readOn.isMostlyUnseen).toBe(workedMs > 5_000);
  });

  test("for as long as it took until the first output, however much of it came later", () => {
    const { stream, pass } = scene();
    const { readOn, meter } = stream();
    meter.add({ choices: [{ delta: { role: "assistant", content: "" } }] }, true);
    pass(20_000);
    meter.add(words(4_000), true);
    pass(20_000);
    expect([readOn.timeoutMs, readOn.isMostlyUnseen]).toEqual([20_000, true]);
  });

  test("for as long as the output does not account for, if it began soon", () => {
    const { stream, pass } = scene();
    const { readOn, meter } = stream();
    meter.add(words(100), true);
    pass(30_000);
    expect([readOn.timeoutMs, readOn.isMostlyUnseen]).toEqual([26_000, true]);
  });

  test("for the usual time if output came all the time", () => {
    const { stream, pass } = scene();
    const { readOn, meter } = stream();
    for (let second = 0; second < 60; second += 1) {
      pass(1_000);
      meter.add(words(30), true);
    }
    expect([readOn.timeoutMs, readOn.isMostlyUnseen]).toEqual([5_000, false]);
  });

  test("for the time computed at first, even when more output and more time have passed since", () => {
    const { stream, pass } = scene();
    const { readOn, meter } = stream();
    pass(10_000);
    expect(readOn.timeoutMs).toBe(10_000);
    pass(9_000);
    meter.add(words(1_000), true);
    expect([readOn.timeoutMs, readOn.isMostlyUnseen]).toEqual([10_000, true]);
  });

  test("not at all if no time is configured, or once the process stops", () => {
    const never = scene(0);
    const unread = never.open();
    never.pass(30_000);
    expect([unread.timeoutMs, unread.isMostlyUnseen]).toEqual([0, true]);
    const { room, open, pass } = scene();
    const readOn = open();
    pass(30_000);
    expect(readOn.timeoutMs).toBe(30_000);
    room.close();
    expect([readOn.timeoutMs, open().timeoutMs]).toEqual([0, 0]);
  });
});

describe("responses that are read on for long", () => {
  const leave = (scenery: ReturnType<typeof scene>, userId: GatewayUserId): ReadOn => {
    const readOn = scenery.open(userId);
    scenery.pass(30_000);
    return readOn;
  };

  test("are limited per user, and the others end after the usual time", () => {
    const scenery = scene();
    const all = Array.from({ length: 20 }, () => leave(scenery, one));
    expect(all.map(({ timeoutMs }) => timeoutMs > 5_000)).toEqual([
      ...Array.from({ length: 16 }, () => true),
      ...Array.from({ length: 4 }, () => false),
    ]);
    expect(leave(scenery, 2n as GatewayUserId).timeoutMs).toBe(30_000);
  });

  test("make room for others once they are over, each once", () => {
    const scenery = scene();
    const all = Array.from({ length: 17 }, () => leave(scenery, one));
    expect(all.filter(({ timeoutMs }) => timeoutMs > 5_000)).toHaveLength(16);
    for (const readOn of [all[0], all[0], all[16]]) {
      readOn?.end();
    }
    expect([leave(scenery, one).timeoutMs, leave(scenery, one).timeoutMs]).toEqual([30_000, 5_000]);
  });

  test("are limited in total per process", () => {
    const scenery = scene();
    const users = Array.from({ length: 40 }, (_, index) => BigInt(index) as GatewayUserId);
    const all = users.flatMap((userId) => Array.from({ length: 16 }, () => leave(scenery, userId)));
    expect(all.filter(({ timeoutMs }) => timeoutMs > 5_000)).toHaveLength(256);
    for (const readOn of all) {
      readOn.end();
    }
    expect(leave(scenery, one).timeoutMs).toBe(30_000);
  });
});

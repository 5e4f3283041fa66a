import { beforeEach, describe, expect, test } from "bun:test";
import { ChannelLoads } from "@sluice/control-plane/gateway/channels/channel-load.ts";
import fc from "fast-check";
import { channelOf } from "../../../support/channel-fixtures.ts";

let nowMs: number;
let loads: ChannelLoads;
const plain = channelOf(1);
const other = channelOf(2);

beforeEach(() => {
  nowMs = 1_000_000;
  loads = new ChannelLoads({ now: () => nowMs, tick: () => nowMs });
});

function calls(count: number, isFailure: boolean, channel = plain): void {
  for (let turn = 0; turn < count; turn += 1) {
    loads.end(loads.begin(channel), isFailure);
  }
}

describe("a cap on calls at the same time", () => {
  const capped = channelOf(3, { concurrencyMax: 3 });

  test("lets in as many as it says, and another one when one ends", () => {
    const first = loads.begin(capped);
    loads.begin(capped);
    expect(loads.isOpen(capped)).toBe(true);
    loads.begin(capped);
    expect(loads.isOpen(capped)).toBe(false);
    loads.end(first, false);
    expect(loads.isOpen(capped)).toBe(true);
  });

  test("gives the place of an attempt back once, however often it ends", () => {
    const first = loads.begin(capped);
    loads.begin(capped);
    loads.begin(capped);
    loads.release(first);
    loads.end(first, true);
    loads.release(first);
    loads.begin(capped);
    expect(loads.isOpen(capped)).toBe(false);
  });

  test("is shared by the replicas, and never less than one for each", () => {
    loads.setReplicas(2);
    loads.begin(capped);
    expect(loads.isOpen(capped)).toBe(false);
    loads.setReplicas(50);
    expect(loads.isOpen(channelOf(4, { concurrencyMax: 3 }))).toBe(true);
  });

  test("counts as busy, not as broken", () => {
    calls(3, false, capped);
    expect(loads.isBusy(capped)).toBe(true);
  });
});

describe("a cap on calls a minute", () => {
  const limited = channelOf(5, { requestsPerMinute: 6 });

  test("closes after its number, and says when it opens again", () => {
    calls(6, false, limited);
    expect(loads.isOpen(limited)).toBe(false);
    expect(loads.retryAfterSeconds([limited])).toBe(10);
    nowMs += 10_000;
    expect(loads.isOpen(limited)).toBe(true);
  });
});

describe("a pause", () => {
  test("lasts as long as it was asked for, and up to a fifth longer", () => {
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), chance, (seconds, random) => {
        const fresh = new ChannelLoads({ now: () => nowMs, tick: () => nowMs });
        const startedMs = nowMs;
        fresh.coolDown(plain, seconds, () => random);
        nowMs = startedMs + seconds * 1000 - 1;
        expect(fresh.isOpen(plain)).toBe(false);
        nowMs = startedMs + seconds * 1200;
        expect(fresh.isOpen(plain)).toBe(true);
      }),
    );
  });

  test("is a second when nobody said how long, and never more than a minute and a fifth", () => {
    loads.coolDown(plain, null, () => 0);
    nowMs += 999;
    expect(loads.isOpen(plain)).toBe(false);
    nowMs += 1;
    expect(loads.isOpen(plain)).toBe(true);
    loads.coolDown(plain, 86_400, () => 0.999);
    nowMs += 72_000;
    expect(loads.isOpen(plain)).toBe(true);
  });

  test("is not cut short by a shorter one that is asked for later", () => {
    loads.coolDown(plain, 30, () => 0);
    loads.coolDown(plain, 1, () => 0);
    expect(loads.retryAfterSeconds([plain])).toBe(30);
  });

  test("of one channel is not one of another; the first that ends is told", () => {
    loads.coolDown(plain, 30, () => 0);
    expect(loads.isOpen(other)).toBe(true);
    loads.coolDown(other, 7, () => 0);
    expect(loads.retryAfterSeconds([plain, other])).toBe(7);
  });
});

describe("the circuit", () => {
  const isOpenAfter = (failures: number, successes: number) => {
    calls(successes, false);
    calls(failures, true);
    return loads.isOpen(plain);
  };

  test.each([
    [19, 0, true],
    [20, 0, false],
    [10, 10, false],
    [9, 11, true],
    [9, 10, true],
    [100, 101, true],
  ])("after %i failures and %i successes lets calls through: %p", (failures, successes, isOpen) => {
    expect(isOpenAfter(failures, successes)).toBe(isOpen);
  });

  test("forgets what is more than ten seconds old, a part at a time", () => {
    calls(19, true);
    nowMs += 11_000;
    calls(1, true);
    expect(loads.isOpen(plain)).toBe(true);
    // Failures spread over the window count together, wherever its parts begin.
    for (let turn = 0; turn < 19; turn += 1) {
      nowMs += 400;
      calls(1, true);
    }
    expect(loads.isOpen(plain)).toBe(false);
  });

  test("lets one probe through after five seconds, and no other call beside it", () => {
    calls(20, true);
    nowMs += 4_999;
    expect(loads.isOpen(plain)).toBe(false);
    expect(loads.retryAfterSeconds([plain])).toBe(1);
    nowMs += 1;
    expect(loads.isOpen(plain)).toBe(true);
    loads.begin(plain);
    expect(loads.isOpen(plain)).toBe(false);
    expect(loads.isBusy(plain)).toBe(false);
  });

  test("stays open when the probe fails, and closes when it is answered, with nothing held against the channel", () => {
    calls(20, true);
    nowMs += 5_000;
    loads.end(loads.begin(plain), true);
    expect(loads.isOpen(plain)).toBe(false);
    nowMs += 5_000;
    loads.end(loads.begin(plain), false);
    // With the probe itself these are nineteen calls.
    expect(isOpenAfter(18, 0)).toBe(true);
  });

  test("closes as soon as the answer to the probe begins, however long it takes", () => {
    calls(20, true);
    nowMs += 5_000;
    const probe = loads.begin(plain);
    loads.answered(probe);
    expect(loads.isOpen(plain)).toBe(true);
    expect(loads.isBusy(plain)).toBe(true);
    loads.end(probe, true);
    expect(loads.isOpen(plain)).toBe(true);
  });

  test("sends another probe when the client of the first one leaves", () => {
    calls(20, true);
    nowMs += 5_000;
    loads.release(loads.begin(plain));
    expect(loads.isOpen(plain)).toBe(true);
    loads.begin(plain);
    expect(loads.isOpen(plain)).toBe(false);
  });

  test("is not moved by calls from before it opened", () => {
    const [good, bad] = [loads.begin(plain), loads.begin(plain)];
    calls(20, true);
    loads.end(good, false);
    expect(loads.isOpen(plain)).toBe(false);
    nowMs += 4_000;
    loads.end(bad, true);
    nowMs += 1_000;
    expect(loads.isOpen(plain)).toBe(true);
  });

  test("is not moved by clients that leave", () => {
    for (let turn = 0; turn < 100; turn += 1) {
      loads.release(loads.begin(plain));
    }
    expect(isOpenAfter(19, 0)).toBe(true);
  });

  test("of one channel is not one of another", () => {
    calls(50, true);
    expect(loads.isOpen(other)).toBe(true);
    expect(loads.isOpen(plain)).toBe(false);
  });
});

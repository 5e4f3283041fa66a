import { beforeEach, describe, expect, test } from "bun:test";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { ChannelLoads } from "@sluice/control-plane/gateway/channels/channel-load.ts";
import type { Channel, ChannelCredential } from "@sluice/control-plane/gateway/channels/model.ts";
import { classifyStatus } from "@sluice/control-plane/gateway/respond/classify-status.ts";
import fc from "fast-check";
import { channelOf, noMarks } from "../../../support/calls/channel-fixtures.ts";

let nowMs: number;
let loads: ChannelLoads;
const plain = channelOf(1);
const other = channelOf(2);
const customer = 1n as GatewayUserId;
const second = 2n as GatewayUserId;
const good = "none";
const bad = "suspected";

beforeEach(() => {
  nowMs = 1_000_000;
  loads = new ChannelLoads({ now: () => nowMs, tick: () => nowMs }, noMarks);
});

function calls(count: number, isFailure: boolean, channel = plain, who = customer): void {
  for (let turn = 0; turn < count; turn += 1) {
    loads.end(loads.begin(channel, who), isFailure ? bad : good);
  }
}

const limited = (retryAfterSeconds: number | null) => {
  const failure = classifyStatus(429, []);
  if (failure === null) {
    throw new Error("429 is a failure");
  }
  return { ...failure, retryAfterSeconds };
};

function rest(of: ChannelLoads, channel: Channel, seconds: number | null, random: () => number): void {
  of.coolDown(of.begin(channel, customer), limited(seconds), random);
}

function restOf(who: GatewayUserId, seconds: number): void {
  loads.coolDown(loads.begin(plain, who), limited(seconds), () => 0);
}

describe("a cap on concurrent calls", () => {
  const capped = channelOf(3, { concurrencyMax: 3 });

  test("admits as many as it says, and another one when one ends", () => {
    const first = loads.begin(capped, customer);
    loads.begin(capped, customer);
    expect(loads.isOpen(capped, customer)).toBe(true);
    loads.begin(capped, customer);
    expect(loads.isOpen(capped, customer)).toBe(false);
    loads.end(first, good);
    expect(loads.isOpen(capped, customer)).toBe(true);
  });

  test("counts no attempt that could not begin", () => {
    const broken = {
      get id(): never {
        throw new RangeError("broken");
      },
    } as unknown as ChannelCredential;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(() => loads.begin(capped, customer, broken)).toThrow("broken");
    }
    expect(loads.isOpen(capped, customer)).toBe(true);
  });

  test("frees an attempt's slot once, however often it ends", () => {
    const first = loads.begin(capped, customer);
    loads.begin(capped, customer);
    loads.begin(capped, customer);
    loads.release(first);
    loads.end(first, bad);
    loads.release(first);
    loads.begin(capped, customer);
    expect(loads.isOpen(capped, customer)).toBe(false);
  });

  test("is shared by the replicas, and never less than one for each", () => {
    loads.setReplicas(2);
    loads.begin(capped, customer);
    expect(loads.isOpen(capped, customer)).toBe(false);
    loads.setReplicas(50);
    expect(loads.isOpen(channelOf(4, { concurrencyMax: 3 }), customer)).toBe(true);
  });

  test("counts as busy, not as broken", () => {
    calls(3, false, capped);
    expect(loads.isBusy(capped, customer)).toBe(true);
  });
});

describe("a cap on calls a minute", () => {
  const capped = channelOf(5, { requestsPerMinute: 6 });

  test("admits its number of calls, and then says when it admits more", () => {
    calls(6, false, capped);
    expect(loads.isOpen(capped, customer)).toBe(false);
    expect(loads.retryAfterSeconds([capped], customer)).toBe(10);
    nowMs += 10_000;
    expect(loads.isOpen(capped, customer)).toBe(true);
  });
});

describe("a pause", () => {
  test("lasts exactly as long as requested", () => {
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), chance, (seconds, random) => {
        const fresh = new ChannelLoads({ now: () => nowMs, tick: () => nowMs }, noMarks);
        const startedMs = nowMs;
        rest(fresh, plain, seconds, () => random);
        nowMs = startedMs + seconds * 1000 - 1;
        expect(fresh.isOpen(plain, customer)).toBe(false);
        nowMs = startedMs + seconds * 1000;
        expect(fresh.isOpen(plain, customer)).toBe(true);
      }),
    );
  });

  test("lasts to the millisecond if the provider asks for milliseconds", () => {
    loads.coolDown(loads.begin(plain, customer), { ...limited(1), retryAfterMs: 700 }, () => 0.9);
    expect(loads.retryAfterSeconds([plain], customer)).toBe(1);
    nowMs += 699;
    expect(loads.isOpen(plain, customer)).toBe(false);
    nowMs += 1;
    expect(loads.isOpen(plain, customer)).toBe(true);
  });

  test("is a second and up to a fifth more by default, and never more than a minute", () => {
    rest(loads, plain, null, () => 0);
    nowMs += 999;
    expect(loads.isOpen(plain, customer)).toBe(false);
    nowMs += 1;
    expect(loads.isOpen(plain, customer)).toBe(true);
    rest(loads, plain, null, () => 0.999);
    nowMs += 1_199;
    expect(loads.isOpen(plain, customer)).toBe(false);
    nowMs += 1;
    expect(loads.isOpen(plain, customer)).toBe(true);
    rest(loads, plain, 86_400, () => 0.999);
    nowMs += 60_000;
    expect(loads.isOpen(plain, customer)).toBe(true);
  });

  test("is not cut short by a shorter one that is requested later", () => {
    rest(loads, plain, 30, () => 0);
    rest(loads, plain, 1, () => 0);
    expect(loads.retryAfterSeconds([plain], customer)).toBe(30);
  });

  test("of one channel does not apply to another; the first to end is reported", () => {
    rest(loads, plain, 30, () => 0);
    expect(loads.isOpen(other, customer)).toBe(true);
    rest(loads, other, 7, () => 0);
    expect(loads.retryAfterSeconds([plain, other], customer)).toBe(7);
  });
});

describe("the circuit", () => {
  const isOpenAfter = (failures: number, successes: number) => {
    calls(successes, false);
    calls(failures, true);
    return loads.isOpen(plain, customer);
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

  test("forgets calls more than ten seconds old, a slot at a time", () => {
    calls(19, true);
    nowMs += 11_000;
    calls(1, true);
    expect(loads.isOpen(plain, customer)).toBe(true);
    // Failures spread over the window count together, wherever its parts begin.
    for (let turn = 0; turn < 19; turn += 1) {
      nowMs += 400;
      calls(1, true);
    }
    expect(loads.isOpen(plain, customer)).toBe(false);
  });

  test("lets one probe through after five seconds, and no other call beside it", () => {
    calls(20, true);
    nowMs += 4_999;
    expect(loads.isOpen(plain, customer)).toBe(false);
    expect(loads.retryAfterSeconds([plain], customer)).toBe(1);
    nowMs += 1;
    expect(loads.isOpen(plain, customer)).toBe(true);
    loads.begin(plain, customer);
    expect(loads.isOpen(plain, customer)).toBe(false);
    expect(loads.isBusy(plain, customer)).toBe(false);
  });

  test("stays open when the probe fails, and closes when it succeeds, with nothing held against the channel", () => {
    calls(20, true);
    nowMs += 5_000;
    loads.end(loads.begin(plain, customer), bad);
    expect(loads.isOpen(plain, customer)).toBe(false);
    nowMs += 5_000;
    loads.end(loads.begin(plain, customer), good);
    // With the probe itself these are nineteen calls.
    expect(isOpenAfter(18, 0)).toBe(true);
  });

  test("closes as soon as the response to the probe begins, however long it takes", () => {
    calls(20, true);
    nowMs += 5_000;
    const probe = loads.begin(plain, customer);
    loads.answered(probe);
    expect(loads.isOpen(plain, customer)).toBe(true);
    expect(loads.isBusy(plain, customer)).toBe(true);
    loads.end(probe, bad);
    expect(loads.isOpen(plain, customer)).toBe(true);
  });

  test("sends another probe when the client of the first one leaves", () => {
    calls(20, true);
    nowMs += 5_000;
    loads.release(loads.begin(plain, customer));
    expect(loads.isOpen(plain, customer)).toBe(true);
    loads.begin(plain, customer);
    expect(loads.isOpen(plain, customer)).toBe(false);
  });

  test("is not affected by calls from before it opened", () => {
    const [fine, failed] = [loads.begin(plain, customer), loads.begin(plain, customer)];
    calls(20, true);
    loads.end(fine, good);
    expect(loads.isOpen(plain, customer)).toBe(false);
    nowMs += 4_000;
    loads.end(failed, bad);
    nowMs += 1_000;
    expect(loads.isOpen(plain, customer)).toBe(true);
  });

  test("for everyone is not kept open by earlier calls either", () => {
    const before = loads.begin(plain, customer);
    for (let call = 0; call < 20; call += 1) {
      loads.end(loads.begin(plain, customer), "certain");
    }
    nowMs += 4_000;
    loads.end(before, "certain");
    nowMs += 1_000;
    expect(loads.isOpen(plain, customer)).toBe(true);
  });

  test("is not affected by clients that leave", () => {
    for (let turn = 0; turn < 100; turn += 1) {
      loads.release(loads.begin(plain, customer));
    }
    expect(isOpenAfter(19, 0)).toBe(true);
  });

  test("of one channel does not apply to another", () => {
    calls(50, true);
    expect(loads.isOpen(other, customer)).toBe(true);
    expect(loads.isOpen(plain, customer)).toBe(false);
  });
});

describe("a problem that only one customer has met", () => {
  test("as a pause blocks that customer and nobody else", () => {
    rest(loads, plain, 60, () => 0);
    expect([loads.isOpen(plain, customer), loads.isOpen(plain, second)]).toEqual([false, true]);
    expect(loads.retryAfterSeconds([plain], customer)).toBe(60);
    expect(loads.isBusy(plain, customer)).toBe(true);
  });

  test("applies to the channel when a second one meets it within ten seconds", () => {
    const third = 3n as GatewayUserId;
    rest(loads, plain, 60, () => 0);
    nowMs += 10_001;
    restOf(second, 60);
    expect([loads.isOpen(plain, second), loads.isOpen(plain, third)]).toEqual([false, true]);
    nowMs += 10_000;
    restOf(third, 5);
    expect(loads.isOpen(plain, 4n as GatewayUserId)).toBe(false);
    nowMs += 5_000;
    expect(loads.isOpen(plain, 4n as GatewayUserId)).toBe(true);
  });

  test("that is a refused credential pauses the channel for everyone at once, and not as busy", () => {
    const refused = classifyStatus(401, []);
    if (refused === null) {
      throw new Error("401 is a failure");
    }
    loads.coolDown(loads.begin(plain, customer), { ...refused, blame: "certain" }, () => 0);
    expect([loads.isOpen(plain, second), loads.isBusy(plain, second)]).toEqual([false, false]);
  });

  test("as failures of all calls opens the circuit for that customer, as long as those of the others succeed", () => {
    calls(1_000, true);
    calls(5, false, plain, second);
    expect([loads.isOpen(plain, customer), loads.isOpen(plain, second)]).toEqual([false, true]);
    // An occasional failure of another customer changes nothing.
    calls(1, true, plain, second);
    expect(loads.isOpen(plain, second)).toBe(true);
  });

  test("as failures of two customers' calls opens it for everyone", () => {
    calls(19, true);
    calls(1, true, plain, second);
    expect(loads.isOpen(plain, 3n as GatewayUserId)).toBe(false);
  });

  test("that is an unreachable channel closes it for everyone", () => {
    for (let turn = 0; turn < 20; turn += 1) {
      loads.end(loads.begin(plain, customer), "certain");
    }
    expect(loads.isOpen(plain, second)).toBe(false);
  });

  test("as a failed probe keeps the circuit open only for its sender", () => {
    calls(10, true);
    calls(10, true, plain, second);
    nowMs += 11_000;
    loads.end(loads.begin(plain, customer), bad);
    expect([loads.isOpen(plain, customer), loads.isOpen(plain, second)]).toEqual([false, true]);
  });
});

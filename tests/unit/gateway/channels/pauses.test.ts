import { beforeEach, describe, expect, test } from "bun:test";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { ChannelLoads } from "@sluice/control-plane/gateway/channels/channel-load.ts";
import { classifyStatus } from "@sluice/control-plane/gateway/respond/classify-status.ts";
import { channelOf, noMarks } from "../../../support/calls/channel-fixtures.ts";

let nowMs: number;
let loads: ChannelLoads;
const plain = channelOf(1);
const good = "none";

const limited = (retryAfterSeconds: number | null) => {
  const failure = classifyStatus(429, []);
  if (failure === null) {
    throw new Error("429 is a failure");
  }
  return { ...failure, retryAfterSeconds };
};

describe("a pause that two customers vouch for", () => {
  const accounts = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n] as GatewayUserId[];
  const [attacker, accomplice, victim, fourth] = accounts as [
    GatewayUserId,
    GatewayUserId,
    GatewayUserId,
    GatewayUserId,
  ];
  const answer = (who: GatewayUserId) => {
    const use = loads.begin(plain, who);
    loads.answered(use);
    loads.end(use, good);
  };
  /** As the attempt loop reports a refusal. */
  const refuse = (who: GatewayUserId, seconds: number) => {
    const use = loads.begin(plain, who);
    loads.end(use, "none", "status_429");
    loads.coolDown(use, limited(seconds), () => 0);
  };
  const openFor = (who: readonly GatewayUserId[]) => who.filter((one) => loads.isOpen(plain, one));

  beforeEach(() => {
    nowMs = 1_000_000;
    loads = new ChannelLoads({ now: () => nowMs, tick: () => nowMs }, noMarks);
    refuse(attacker, 60);
    refuse(accomplice, 60);
  });

  test("lets one call of another customer through every five seconds, and none of those two", () => {
    expect(openFor(accounts)).toEqual([]);
    expect(loads.retryAfterSeconds([plain], victim)).toBe(5);
    expect(loads.retryAfterSeconds([plain], attacker)).toBe(60);
    for (let probe = 0; probe < 3; probe += 1) {
      nowMs += 4_999;
      expect(openFor(accounts)).toEqual([]);
      nowMs += 1;
      expect(openFor(accounts)).toEqual(accounts.slice(2));
      loads.begin(plain, victim);
      expect(openFor(accounts)).toEqual([]);
    }
    expect(loads.isBusy(plain, victim)).toBe(true);
  });

  test("is over when that call succeeds, except for those two", () => {
    nowMs += 5_000;
    answer(victim);
    expect(openFor(accounts)).toEqual(accounts.slice(2));
    nowMs += 55_000;
    expect(openFor(accounts)).toEqual(accounts);
  });

  test("is over as soon as that response begins", () => {
    nowMs += 5_000;
    loads.answered(loads.begin(plain, victim));
    expect(loads.isOpen(plain, fourth)).toBe(true);
  });

  test("is not caused again by those two for ten minutes, however often they try", () => {
    nowMs += 5_000;
    answer(victim);
    for (let turn = 0; turn < 9; turn += 1) {
      nowMs += 61_000;
      refuse(attacker, 60);
      refuse(accomplice, 60);
      expect(openFor(accounts)).toEqual(accounts.slice(2));
    }
    nowMs += 61_000;
    refuse(attacker, 60);
    refuse(accomplice, 60);
    expect(openFor(accounts)).toEqual([]);
  });

  test("is not caused by one of those two and a third, but is by two others", () => {
    nowMs += 5_000;
    answer(victim);
    refuse(attacker, 60);
    refuse(fourth, 60);
    expect(openFor(accounts)).toEqual([victim, ...accounts.slice(4)]);
    refuse(victim, 60);
    expect(openFor(accounts)).toEqual([]);
  });

  test("continues when that call meets the same, and has one more witness", () => {
    nowMs += 5_000;
    refuse(victim, 60);
    expect(openFor(accounts)).toEqual([]);
    nowMs += 5_000;
    expect(openFor(accounts)).toEqual(accounts.slice(3));
    nowMs += 54_999;
    expect(openFor([attacker])).toEqual([]);
    nowMs += 1;
    expect(openFor(accounts)).toEqual(accounts);
  });

  test("stays when that call reveals nothing about it, and the next one is sent five seconds later", () => {
    nowMs += 5_000;
    loads.end(loads.begin(plain, victim), "none", "status_400");
    expect(openFor(accounts)).toEqual([]);
    nowMs += 5_000;
    loads.release(loads.begin(plain, victim));
    expect(openFor(accounts)).toEqual([]);
    nowMs += 5_000;
    expect(loads.isOpen(plain, victim)).toBe(true);
  });

  test("is not extended by those who already vouch for it", () => {
    nowMs += 30_000;
    refuse(attacker, 60);
    nowMs += 30_000;
    expect(openFor(accounts)).toEqual(accounts.slice(1));
  });

  test("is not lifted by an earlier call", () => {
    const fresh = new ChannelLoads({ now: () => nowMs, tick: () => nowMs }, noMarks);
    const before = fresh.begin(plain, victim);
    fresh.coolDown(fresh.begin(plain, attacker), limited(60), () => 0);
    fresh.coolDown(fresh.begin(plain, accomplice), limited(60), () => 0);
    fresh.answered(before);
    fresh.end(before, good);
    expect(fresh.isOpen(plain, victim)).toBe(false);
  });

  test("differs from a certain pause, which lets nobody through", () => {
    loads.coolDown(loads.begin(plain, victim), { ...limited(20), blame: "certain" }, () => 0);
    nowMs += 19_999;
    expect(openFor(accounts)).toEqual([]);
    nowMs += 1;
    expect(openFor(accounts)).toEqual(accounts.slice(2));
  });

  test("is remembered for a limited number of customers", () => {
    const crowd = Array.from({ length: 10_000 }, (_, index) => BigInt(100 + index) as GatewayUserId);
    for (const who of crowd) {
      refuse(who, 60);
    }
    const last = crowd.slice(-64);
    nowMs += 5_000;
    expect(openFor(last)).toEqual([]);
    expect(openFor(crowd.slice(0, -64))).toHaveLength(crowd.length - 64);
  });
});

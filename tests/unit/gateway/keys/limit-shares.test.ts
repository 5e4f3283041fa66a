import { describe, expect, test } from "bun:test";
import type { ApiKeyId } from "@sluice/contracts/ids";
import { KeyLimits } from "@sluice/control-plane/gateway/keys/key-limits.ts";
import { LimitShares } from "@sluice/control-plane/gateway/keys/limit-shares.ts";
import type { Principal, RateLimits } from "@sluice/control-plane/gateway/model.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { defaultCallSettings } from "../../../support/calls/call-settings.ts";
import { testRandom } from "../../../support/values/test-seed.ts";

const random = testRandom();
const stepMs = 50;
const minuteMs = 60_000;

type Replica = {
  readonly limits: KeyLimits;
  /** When it reports, within each second. */
  readonly offsetMs: number;
  isDead: boolean;
  isDeaf: boolean;
};

/** Replicas that tell one another of their use as Postgres does: everybody hears everything in one order, a bit later. */
class Cluster {
  tick = 1_000_000;
  readonly replicas: Replica[];
  readonly admitted: number[] = [];
  reports = 0;
  #late: { readonly atTick: number; readonly text: string }[] = [];

  constructor(count: number) {
    const clock = { now: () => this.tick, tick: () => this.tick };
    this.replicas = Array.from({ length: count }, (_, index) => ({
      limits: new KeyLimits(clock, null, new LimitShares(`replica ${index}`, clock)),
      offsetMs: stepMs * Math.floor(random() * (1_000 / stepMs)),
      isDead: false,
      isDeaf: false,
    }));
    this.setLive(count);
  }

  setLive(count: number): void {
    for (const { limits } of this.replicas) {
      limits.shares.setReplicas(count);
    }
  }

  tryCall(at: number, key: Principal): boolean {
    const replica = this.replicas[at];
    try {
      replica?.limits.begin(key);
    } catch (error) {
      // Not by `expect`: most calls of a flood are refused.
      if (!(error instanceof AppError)) {
        throw error;
      }
      return false;
    }
    this.admitted.push(this.tick);
    return true;
  }

  /** Lets time pass. */
  run(milliseconds: number, each: () => void = () => undefined): void {
    for (const end = this.tick + milliseconds; this.tick < end; ) {
      this.tick += stepMs;
      for (const { atTick, text } of this.#late.splice(0)) {
        if (atTick > this.tick) {
          this.#late.push({ atTick, text });
          continue;
        }
        for (const { limits, isDead, isDeaf } of this.replicas) {
          if (!(isDead || isDeaf)) {
            limits.shares.hear(text);
          }
        }
      }
      for (const { limits, offsetMs, isDead, isDeaf } of this.replicas) {
        if (!isDead && this.tick % 1_000 === offsetMs) {
          const text = limits.shares.report(!isDeaf);
          if (text !== null) {
            this.reports += 1;
            this.#late.push({ atTick: this.tick + stepMs, text });
          }
        }
      }
      each();
    }
  }

  /** How many calls were let in within the busiest minute from this tick on, and within the quietest. */
  minutes(fromTick: number): { most: number; least: number } {
    const counts: number[] = [];
    for (let from = fromTick; from + minuteMs <= this.tick; from += 1_000) {
      counts.push(this.admitted.filter((at) => at >= from && at < from + minuteMs).length);
    }
    return { most: Math.max(...counts), least: Math.min(...counts) };
  }
}

const keyOf = (id: bigint, limits: Partial<RateLimits>): Principal =>
  ({
    apiKeyId: id,
    limitKeyId: id as ApiKeyId,
    ...defaultCallSettings,
    groupLimits: null,
    accountLimits: null,
    ...limits,
  }) as Principal;

/** Calls beside each other end at once, where only those in a minute are counted. */
function callAndEnd(cluster: Cluster, at: number, of: Principal): void {
  if (cluster.tryCall(at, of)) {
    cluster.replicas[at]?.limits.end(of, 0n);
  }
}

describe.each([
  [60, 3],
  [600, 3],
  [600, 12],
  [6_000, 50],
])("a limit of %d a minute on %d replicas", (perMinute, count) => {
  const wanted = { least: perMinute * 0.9, most: perMinute * 1.1 };
  const perStep = (perMinute / minuteMs) * stepMs * 3;

  /** Three times as many calls as are allowed, each at a replica of the client's choice. */
  function flood(cluster: Cluster, milliseconds: number, choose: () => number): void {
    const one = keyOf(1n, { requestsPerMinute: perMinute });
    let due = 0;
    cluster.run(milliseconds, () => {
      for (due += perStep; due >= 1; due -= 1) {
        callAndEnd(cluster, choose(), one);
      }
    });
  }

  test("is reached by a client that stays at one, and not exceeded", () => {
    const cluster = new Cluster(count);
    flood(cluster, 2 * minuteMs, () => 1);
    const began = cluster.tick - 2 * minuteMs;
    // The first minute begins with what its share had saved up.
    expect(cluster.admitted.filter((tick) => tick <= began + minuteMs).length).toBeWithin(
      wanted.least,
      perMinute * (1 + 1 / count) + 2,
    );
    const { least, most } = cluster.minutes(began + 20_000);
    expect(least).toBeGreaterThanOrEqual(wanted.least);
    expect(most).toBeLessThanOrEqual(wanted.most);
  });

  test("is reached by clients that are spread over all, and not exceeded", () => {
    const cluster = new Cluster(count);
    flood(cluster, 3 * minuteMs, () => Math.floor(random() * count));
    // What all had saved up is used in the first minute.
    const { least, most } = cluster.minutes(cluster.tick - 2 * minuteMs);
    expect(least).toBeGreaterThanOrEqual(wanted.least);
    expect(most).toBeLessThanOrEqual(wanted.most);
  });

  test("is reached by a client that moves from one to another, and not exceeded", () => {
    const cluster = new Cluster(count);
    flood(cluster, minuteMs, () => 0);
    const from = cluster.tick;
    for (let round = 0; round < 6; round += 1) {
      flood(cluster, 30_000, () => round % count);
    }
    const { least, most } = cluster.minutes(from);
    expect(least).toBeGreaterThanOrEqual(wanted.least * 0.85);
    expect(most).toBeLessThanOrEqual(wanted.most);
  });

  test("is the others' when a replica dies that had all of it", () => {
    const cluster = new Cluster(count);
    flood(cluster, minuteMs, () => 0);
    const [first] = cluster.replicas;
    if (first !== undefined) {
      first.isDead = true;
    }
    // It counts as alive for a while.
    flood(cluster, 15_000, () => 1);
    cluster.setLive(count - 1);
    flood(cluster, 5_000, () => 1);
    const from = cluster.tick;
    flood(cluster, 2 * minuteMs, () => 1);
    const { least, most } = cluster.minutes(from);
    expect(least).toBeGreaterThanOrEqual(wanted.least);
    expect(most).toBeLessThanOrEqual(wanted.most);
  });

  test("stays divided while a replica hears nothing, so that it is not exceeded", () => {
    const cluster = new Cluster(count);
    flood(cluster, minuteMs, () => 0);
    const last = cluster.replicas.at(-1);
    if (last !== undefined) {
      last.isDeaf = true;
    }
    const from = cluster.tick;
    flood(cluster, 2 * minuteMs, () => (random() < 0.5 ? 0 : count - 1));
    expect(cluster.minutes(from).most).toBeLessThanOrEqual(wanted.most);
  });
});

describe("calls at a time", () => {
  /** How many calls are open on each replica at the end, if so many wait on each and none ends. */
  function openCalls(cluster: Cluster, of: Principal, waiting: readonly number[]): number[] {
    const open = waiting.map(() => 0);
    cluster.run(20_000, () => {
      for (const [at, wanted] of waiting.entries()) {
        if ((open[at] ?? 0) < wanted && cluster.tryCall(at, of)) {
          open[at] = (open[at] ?? 0) + 1;
        }
      }
    });
    return open;
  }

  test("are all of one replica if only its clients call", () => {
    const one = keyOf(1n, { concurrencyMax: 6 });
    expect(openCalls(new Cluster(3), one, [0, 10, 0])).toEqual([0, 6, 0]);
  });

  test.each([
    [30, [40, 40, 40]],
    // Fractional parts.
    [6, [5, 4, 3]],
    [7, [9, 9, 9]],
    [10, [30, 2, 1]],
  ])("are as many as the limit of %d in sum where clients wait at all replicas: %j", (concurrencyMax, waiting) => {
    const one = keyOf(1n, { concurrencyMax });
    const sum = openCalls(new Cluster(3), one, waiting).reduce((all, each) => all + each, 0);
    expect(sum).toBe(concurrencyMax);
  });

  test("one is let in where another replica has them all, and no second", () => {
    const cluster = new Cluster(3);
    const one = keyOf(1n, { concurrencyMax: 20 });
    expect(openCalls(cluster, one, [30, 0, 0])).toEqual([20, 0, 0]);
    expect(openCalls(cluster, one, [0, 5, 0])).toEqual([0, 1, 0]);
  });
});

describe("what replicas tell one another", () => {
  test("is nothing while no share is short, or where there is one replica", () => {
    const cluster = new Cluster(3);
    cluster.run(2_000);
    const hellos = cluster.reports;
    expect(hellos).toBe(3);
    const one = keyOf(1n, { requestsPerMinute: 6_000 });
    cluster.run(minuteMs, () => callAndEnd(cluster, 0, one));
    expect(cluster.reports).toBe(hellos);
    const alone = new Cluster(1);
    const small = keyOf(2n, { requestsPerMinute: 10 });
    alone.run(minuteMs, () => callAndEnd(alone, 0, small));
    expect(alone.reports).toBe(0);
    expect(alone.minutes(alone.tick - minuteMs).most).toBeGreaterThanOrEqual(19);
  });

  test("is at most one report a second for each, however many keys are short, and fits a notification", () => {
    const clock = { now: () => 0, tick: () => 1_000_000 };
    const limits = new KeyLimits(clock, null, new LimitShares("one", clock));
    limits.shares.setReplicas(2);
    const told = new Set<string>();
    for (let id = 1n; id <= 1_000n; id += 1n) {
      const each = keyOf(id, { requestsPerMinute: 2 });
      limits.begin(each);
      expect(() => limits.begin(each)).toThrow(AppError);
    }
    for (let round = 0; round < 10; round += 1) {
      const report = limits.shares.report(true) ?? "";
      expect(Buffer.byteLength(report)).toBeLessThan(8_000);
      for (const [name] of (JSON.parse(report === "" ? '{"use":[]}' : report) as { use: [string][] }).use) {
        told.add(name);
      }
    }
    expect(told.size).toBe(1_000);
  });
});

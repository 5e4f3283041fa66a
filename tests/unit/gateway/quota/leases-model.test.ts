import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import type { Quota } from "@sluice/contracts/money";
import fc from "fast-check";
import { onlyBudget } from "../../../support/leases/lease-ledger.ts";
import { granted, type Replica, replicaNames, type Weather, World } from "../../../support/leases/lease-world.ts";
import { settlePromises } from "../../../support/values/fake-time.ts";

const { TEST_FULL } = process.env;
const runs = TEST_FULL === "1" ? 2_000 : 50;
/** One in a hundred of these went wrong while a recall was answered too early. */
const coveredRuns = TEST_FULL === "1" ? 10_000 : 1_000;
const timeoutMs = 300_000;
const q = (amount: bigint): Quota => amount as Quota;

type Step = (world: World) => void | Promise<void>;

const anyReplica = fc.nat(replicaNames.length - 1);
const on = (world: World, index: number): Replica => world.replicas[index] as Replica;
const ignore = (): undefined => undefined;
const often = (weight: number, arbitrary: fc.Arbitrary<Step & { toString(): string }>) => ({ weight, arbitrary });

/** Something that happens on one replica, after which a moment passes. */
function onReplica<Detail>(
  text: string,
  details: fc.Arbitrary<Detail>,
  run: (replica: Replica, detail: Detail) => unknown,
): fc.Arbitrary<Step & { toString(): string }> {
  return fc.tuple(anyReplica, details, fc.constantFrom(0, 5, 40)).map(([index, detail, ms]) => {
    const step: Step = async (world) => {
      await run(on(world, index), detail);
      await world.pass(ms, 5);
    };
    return Object.assign(step, { toString: () => `${text} ${index} (${detail}), ${ms} ms` });
  });
}

const nothing = fc.constant("");
const shares = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.boolean());
const weathers = fc.constantFrom<Weather>("good", "flaky", "flaky", "away");
const moments = fc.constantFrom(30, 200, 3_100);
const endCall = (replica: Replica, [quarters, isLater]: [number, boolean]) =>
  replica.settle((held) => (held * BigInt(quarters)) / 4n, isLater);
const wait = moments.map((ms) =>
  Object.assign((world: World) => world.pass(ms, ms > 500 ? 50 : 5), { toString: () => `${ms} ms` }),
);
const steps = fc.oneof(
  often(
    10,
    onReplica("hold", fc.integer({ min: 1, max: 120 }), (replica, amount) => replica.hold(BigInt(amount))),
  ),
  often(6, onReplica("end a call", shares, endCall)),
  often(
    5,
    onReplica("commit", nothing, (replica) => replica.commit()),
  ),
  often(
    2,
    onReplica("settle the rest", nothing, (replica) => replica.settleRest()),
  ),
  often(
    5,
    onReplica("sweep", nothing, (replica) => void replica.leases.sweep()),
  ),
  often(
    1,
    onReplica("reconcile", nothing, (replica) => void replica.leases.reconcile().catch(ignore)),
  ),
  often(
    3,
    onReplica("network", weathers, (replica, weather) => replica.setWeather(weather)),
  ),
  often(
    1,
    onReplica("kill", nothing, (replica) => replica.die()),
  ),
  often(
    6,
    onReplica("renew", nothing, (replica) => replica.renew()),
  ),
  often(
    1,
    onReplica("give up", nothing, (replica) => replica.giveUp()),
  ),
  often(5, wait),
);

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

test(
  "whatever goes wrong, no replica holds what it was not lent, and all end up consistent with the database",
  async () => {
    const seen = new Map<string, number>();
    let writeOffs = 0;
    const property = fc.asyncProperty(
      fc.integer(),
      fc.array(steps, { minLength: 5, maxLength: 120, size: "max" }),
      async (seed, script) => {
        const world = new World(seed);
        for (const step of script) {
          await step(world);
          await settlePromises();
          world.check();
        }
        await world.comeToRest();
        for (const { leases } of world.replicas) {
          expect(leases.totals()).toMatchObject({ leased: 0n, held: 0n, pending: 0n });
        }
        expect(world.ledger.leases.values().reduce((sum, { amount }) => sum + amount, 0n)).toBe(0n);
        expect(world.ledger.remaining).toBe(granted - world.ledger.used);
        await expectAllCanBeHeld(world);
        writeOffs += world.writeOffs;
        for (const [answer, count] of world.answers) {
          seen.set(answer, (seen.get(answer) ?? 0) + count);
        }
      },
    );
    await fc.assert(property, { numRuns: runs });
    // Otherwise the scripts tried nothing. Refusals are rare in them; each ends with one.
    expect(writeOffs).toBeGreaterThan(0);
    expect([...seen.keys()]).toEqual(expect.arrayContaining(["held", "unavailable"]));
  },
  timeoutMs,
);

const callsCovered = 10;
const callPrice = granted / BigInt(callsCovered);
const arrivals = fc.array(fc.tuple(anyReplica, fc.nat(60)), { minLength: callsCovered, maxLength: callsCovered });

test(
  "on a good network, calls that the budget covers together are all let through, on whichever replicas they come",
  async () => {
    const property = fc.asyncProperty(fc.integer(), arrivals, async (seed, calls) => {
      const world = new World(seed);
      for (const replica of world.replicas) {
        replica.setWeather("good");
      }
      for (const [index, atMs] of calls) {
        setTimeout(() => on(world, index).hold(callPrice), atMs);
      }
      await world.passUntilAnswered(callsCovered, 1_500);
      expect(Object.fromEntries(world.answers)).toEqual({ held: callsCovered });
    });
    await fc.assert(property, { numRuns: coveredRuns });
  },
  timeoutMs,
);

/** Once all is quiet, any one replica can hold everything that is left, and not one more. */
async function expectAllCanBeHeld(world: World): Promise<void> {
  const { remaining } = world.ledger;
  const [first, second] = world.replicas as readonly [Replica, Replica, Replica];
  const [free, more] = remaining > 0n ? [remaining, remaining + 1n] : [0n, 1n];
  const tooMuch = Promise.resolve(first.leases.hold(onlyBudget, q(more)));
  await world.passRenewed(1_000);
  expect(await tooMuch).toBe("insufficient");
  const all = Promise.resolve(second.leases.hold(onlyBudget, q(free)));
  await world.passRenewed(1_000);
  expect(await all).toBe("held");
}

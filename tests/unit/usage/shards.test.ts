import { expect, test } from "bun:test";
import { DatabaseUnavailableError } from "@sluice/control-plane/platform/db-errors.ts";
import { type ShardStep, workOnShards } from "@sluice/control-plane/usage/shards.ts";

const never = (): boolean => false;

test("every shard is worked on until it has nothing left, and the first step of each is marked", async () => {
  const steps = new Map<number, boolean[]>();
  const outcome = await workOnShards(async (shard, isFirst) => {
    const of = [...(steps.get(shard) ?? []), isFirst];
    steps.set(shard, of);
    return of.length <= shard % 3 ? "more" : "done";
  }, never);
  expect(outcome).toBe("caught_up");
  expect([...steps.keys()].toSorted((one, other) => one - other)).toEqual(Array.from({ length: 16 }, (_, at) => at));
  for (const [shard, of] of steps) {
    expect(of).toEqual([true, false, false].slice(0, (shard % 3) + 1));
  }
});

test("a shard with a long backlog lets the others have their turn", async () => {
  const order: number[] = [];
  let end = false;
  await workOnShards(
    async (shard) => {
      order.push(shard);
      end = order.length >= 40;
      return shard === order[0] ? "more" : "done";
    },
    () => end,
  );
  expect(new Set(order.slice(0, 18)).size).toBe(16);
});

test("two steps at most run at a time", async () => {
  let running = 0;
  let most = 0;
  await workOnShards(async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    return "done";
  }, never);
  expect(most).toBe(2);
});

test("says that another process is at work, or that the time was over", async () => {
  const busy = async (shard: number): Promise<ShardStep> => (shard === 3 ? "busy" : "done");
  expect(await workOnShards(busy, never)).toBe("busy");
  expect(await workOnShards(busy, () => true)).toBe("unfinished");
});

test("a shard that fails does not end the pass of the others, and is left for the next run", async () => {
  const steps = new Map<number, number>();
  const failing = workOnShards(async (shard) => {
    const count = (steps.get(shard) ?? 0) + 1;
    steps.set(shard, count);
    if (shard === 3) {
      throw new Error("shard 3 is bad");
    }
    return count < 3 ? "more" : "done";
  }, never);
  expect(await failing.catch((error: Error) => error.message)).toBe("shard 3 is bad");
  expect(steps.get(3)).toBe(1);
  expect([...steps].filter(([, count]) => count === 3)).toHaveLength(15);
});

test("what fails in several shards is reported together", async () => {
  const failing = workOnShards(async (shard) => {
    if (shard < 2) {
      throw new Error(`shard ${shard} is bad`);
    }
    return "done";
  }, never);
  const error = await failing.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AggregateError);
  const { errors, message } = error as AggregateError;
  expect(errors.map(String).sort()).toEqual(["Error: shard 0 is bad", "Error: shard 1 is bad"]);
  expect(message).toContain(String(errors[0]));
});

test("an outage of the database ends the pass when the steps under way have ended", async () => {
  let steps = 0;
  const failing = workOnShards(async () => {
    steps += 1;
    throw new DatabaseUnavailableError("away");
  }, never);
  expect(await failing.catch((error: Error) => error.message)).toContain("away");
  expect(steps).toBeLessThanOrEqual(2);
});

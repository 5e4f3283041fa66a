import { expect, test } from "bun:test";
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

test("an error ends the work when the step beside it has ended", async () => {
  let ended = 0;
  const failing = workOnShards(async (_shard) => {
    await Promise.resolve();
    ended += 1;
    if (ended === 1) {
      throw new Error("the first");
    }
    return "more";
  }, never);
  expect(await failing.catch((error: Error) => error.message)).toBe("the first");
  expect(ended).toBe(2);
});

import { isDatabaseOutage } from "../platform/db-errors.ts";

/** The users are divided into this many shards (`gateway_user_id & 15`), whose usage is settled and summed independently. */
const shardCount = 16;
/**
 * How many shards a process works on at a time. More would leave calls and pages too few connections of the pool; other
 * processes work on the other shards.
 */
const atOnceMax = 2;

export type ShardStep = "busy" | "more" | "done";
/** `busy`: another process is at work on a shard. */
export type ShardsOutcome = "caught_up" | "busy" | "unfinished";

/**
 * Works on all shards in turn, step by step, until each has nothing left or is in the hands of another process. It begins
 * anywhere, so that processes that begin together work on different shards.
 * @param step one transaction of a shard
 * @param isOver whether to leave the rest for later; each shard that is being worked on still ends its step
 * @throws the error of a step, or one that has all of them, when the other shards have had their turn. A shard that failed
 * gets none until the next run; an outage of the database ends the run, because it is not the fault of a shard
 */
export async function workOnShards(
  step: (shard: number, isFirst: boolean) => Promise<ShardStep>,
  isOver: () => boolean,
): Promise<ShardsOutcome> {
  const offset = Math.floor(Math.random() * shardCount);
  const waiting = Array.from({ length: shardCount }, (_, index) => ({
    shard: (offset + index) % shardCount,
    isFirst: true,
  }));
  const errors: unknown[] = [];
  let isBusy = false;
  const workOnNext = async (): Promise<void> => {
    while (!(errors.some(isDatabaseOutage) || isOver())) {
      const next = waiting.shift();
      if (next === undefined) {
        return;
      }
      try {
        const outcome = await step(next.shard, next.isFirst);
        isBusy ||= outcome === "busy";
        if (outcome === "more") {
          waiting.push({ shard: next.shard, isFirst: false });
        }
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnceMax }, workOnNext));
  if (errors.length > 1) {
    throw new AggregateError(errors, `${errors.length} shards failed; the first: ${errors[0]}`, { cause: errors[0] });
  }
  if (errors.length > 0) {
    throw errors[0];
  }
  return waiting.length > 0 ? "unfinished" : isBusy ? "busy" : "caught_up";
}

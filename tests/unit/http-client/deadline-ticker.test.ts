import { afterEach, expect, test } from "bun:test";
import { DeadlineTicker, type Timed, tickMs } from "@sluice/http-client/deadline-ticker";

const ticker = new DeadlineTicker();
const added: Watched[] = [];

/** Counts its ticks. */
class Watched implements Timed {
  tickerSlot = -1;
  readonly ticksMs: number[] = [];
  #next = Promise.withResolvers<void>();

  constructor() {
    ticker.add(this);
    added.push(this);
  }

  onTick(nowMs: number): void {
    this.ticksMs.push(nowMs);
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  async ticks(count: number): Promise<void> {
    for (const last = this.ticksMs.length + count; this.ticksMs.length < last; ) {
      await this.#next.promise;
    }
  }
}

afterEach(() => {
  for (const each of added.splice(0)) {
    ticker.remove(each);
  }
});

test("one that rests gets no tick until its time, and then each one", async () => {
  const other = new Watched();
  const resting = new Watched();
  await other.ticks(1);
  const beganMs = ticker.nowMs;
  resting.ticksMs.length = 0;
  ticker.rest(resting, 5 * tickMs);
  await resting.ticks(2);
  expect(resting.ticksMs[0]).toBeGreaterThanOrEqual(beganMs + 5 * tickMs);
  expect(other.ticksMs.slice(-2)).toEqual(resting.ticksMs);
  expect(other.ticksMs.filter((at) => at > beganMs && at < beganMs + 5 * tickMs).length).toBeGreaterThan(0);
});

test("one that rests goes on resting when another one leaves, and gets the next tick if its rest is over", async () => {
  const leaving = new Watched();
  const other = new Watched();
  const resting = new Watched();
  await other.ticks(1);
  resting.ticksMs.length = 0;
  ticker.rest(resting, 1_000_000);
  ticker.remove(leaving);
  await other.ticks(3);
  expect(resting.ticksMs).toEqual([]);
  ticker.rest(resting, 0);
  await resting.ticks(1);
  expect(resting.ticksMs).toEqual(other.ticksMs.slice(-1));
});

test("one that has left, and comes again, does not rest", async () => {
  const one = new Watched();
  ticker.rest(one, 1_000_000);
  ticker.remove(one);
  ticker.rest(one, 1_000_000);
  ticker.add(one);
  await one.ticks(2);
});

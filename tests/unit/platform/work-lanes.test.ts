import { expect, test } from "bun:test";
import { WorkLanes } from "@sluice/control-plane/platform/work-lanes.ts";

/** A queue whose pieces are done when the test says so. */
function openQueue(lanesMax: number) {
  const waiting: number[] = [];
  const underWay = new Map<number, { readonly finish: () => void; readonly fail: (error: Error) => void }>();
  const errors: unknown[] = [];
  const lanes = new WorkLanes({
    lanesMax,
    doNext: async (more) => {
      const piece = waiting.shift();
      if (piece === undefined) {
        return false;
      }
      more();
      const done = Promise.withResolvers<void>();
      underWay.set(piece, { finish: done.resolve, fail: done.reject });
      await done.promise.finally(() => underWay.delete(piece));
      return true;
    },
    onError: (error) => errors.push(error),
  });
  return { lanes, waiting, underWay, errors };
}

test("one wake-up takes all that is due, as many pieces at a time as there are lanes", async () => {
  const { lanes, waiting, underWay } = openQueue(2);
  waiting.push(1, 2, 3);
  const idle = lanes.runDue();
  expect([...underWay.keys()].sort()).toEqual([1, 2]);
  underWay.get(2)?.finish();
  await new Promise((resolve) => setImmediate(resolve));
  expect([...underWay.keys()].sort()).toEqual([1, 3]);
  underWay.get(1)?.finish();
  underWay.get(3)?.finish();
  await idle;
  expect([waiting, underWay.size]).toEqual([[], 0]);
});

test("a piece that fails ends its lane alone, and the next wake-up continues", async () => {
  const { lanes, waiting, underWay, errors } = openQueue(1);
  waiting.push(1, 2);
  const failed = lanes.runDue();
  const error = new Error("the database is away");
  underWay.get(1)?.fail(error);
  await failed;
  expect([errors, waiting]).toEqual([[error], [2]]);
  const idle = lanes.runDue();
  underWay.get(2)?.finish();
  await idle;
  expect(waiting).toEqual([]);
});

test("what became due while a search found nothing is not left for the next wake-up", async () => {
  const taken: string[] = [];
  const found: (string | null)[] = [null, "late", null];
  const lanes: WorkLanes = new WorkLanes({
    lanesMax: 1,
    doNext: async () => {
      const piece = found.shift() ?? null;
      if (taken.length === 0 && piece === null) {
        lanes.wake();
      }
      await Promise.resolve();
      taken.push(...(piece === null ? [] : [piece]));
      return piece !== null;
    },
    onError: (error) => {
      throw error;
    },
  });
  await lanes.runDue();
  expect(taken).toEqual(["late"]);
});

test("an end takes nothing more, and aborts what is under way when its time is over", async () => {
  const { lanes, waiting, underWay } = openQueue(1);
  waiting.push(1, 2);
  lanes.wake();
  lanes.cutOff.addEventListener("abort", () => underWay.get(1)?.finish());
  await lanes.stop(1);
  lanes.wake();
  expect([waiting, underWay.size]).toEqual([[2], 0]);
});

import { expect, test } from "bun:test";
import { withoutOverlap } from "@sluice/control-plane/platform/without-overlap.ts";
import { settlePromises } from "../../support/values/fake-time.ts";

test("work that is called for often runs once at a time, and once more for all calls meanwhile", async () => {
  const ends: (() => void)[] = [];
  const call = withoutOverlap(() => new Promise((resolve) => ends.push(resolve)));
  for (const runs of [1, 2]) {
    for (let calls = 0; calls < 100; calls += 1) {
      call();
    }
    await settlePromises();
    expect(ends).toHaveLength(runs);
    if (runs === 1) {
      ends[0]?.();
      await settlePromises();
      expect(ends).toHaveLength(2);
    }
  }
  ends[1]?.();
  await settlePromises();
  expect(ends).toHaveLength(3);
  ends[2]?.();
  await settlePromises();
  expect(ends).toHaveLength(3);
  call();
  expect(ends).toHaveLength(4);
});

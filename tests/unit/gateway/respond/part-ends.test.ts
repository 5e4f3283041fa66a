import { expect, test } from "bun:test";
import { PartEnds } from "@sluice/control-plane/gateway/respond/stream-events/part-ends.ts";

test("a response is whole when each part that has begun has ended, in whatever order parts come and are named", () => {
  const names = [0, 1, 2, "0", null, undefined];
  for (let order = 0; order < names.length ** 4 * 2 ** 4; order += 1) {
    const ends = new PartEnds();
    const begun = new Set<unknown>();
    const ended = new Set<unknown>();
    for (let step = 0, rest = order; step < 4; step += 1, rest = Math.floor(rest / (names.length * 2))) {
      const name = names[rest % names.length];
      const hasEnded = Math.floor(rest / names.length) % 2 === 1;
      ends.note(name, hasEnded);
      begun.add(name);
      if (hasEnded) {
        ended.add(name);
      }
      expect(ends.areAllEnded).toBe(ended.size > 0 && ended.size === begun.size);
    }
  }
});

test("a response without a part is not whole", () => {
  expect(new PartEnds().areAllEnded).toBe(false);
});

import { expect, test } from "bun:test";
import { inRounds } from "@sluice/control-plane/platform/in-rounds.ts";

const rest = (left: number): { readonly asked: number[]; readonly round: (most: number) => Promise<number> } => {
  const asked: number[] = [];
  let open = left;
  const round = (most: number): Promise<number> => {
    asked.push(most);
    const done = Math.min(most, open);
    open -= done;
    return Promise.resolve(done);
  };
  return { asked, round };
};

test("rounds end with the first that was not full, and their sum is returned", async () => {
  const { asked, round } = rest(25);
  expect(await inRounds({ atOnceMax: 10, roundsMax: 9 }, round)).toBe(25);
  expect(asked).toEqual([10, 10, 10]);
});

test("rounds end at their limit, however much is left", async () => {
  const { asked, round } = rest(1_000);
  expect(await inRounds({ atOnceMax: 10, roundsMax: 4 }, round)).toBe(40);
  expect(asked).toHaveLength(4);
});

import { expect, test } from "bun:test";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";

const statements = ["roll_usage_up", "add_user_sums", "add_performance", "add_label_sums"];

/** A database that has nothing to add, and remembers which function each step called. */
function databaseOf(called: string[], answer: (name: string) => void): Database {
  const sql = async (texts: readonly string[]): Promise<unknown[]> => {
    const name = statements.find((each) => texts.join("").includes(each)) ?? "unknown";
    called.push(name);
    answer(name);
    return [{ outcome: "done", rows_added: 0n }];
  };
  return { withTransaction: (work: (tx: unknown) => unknown) => work({ sql }) } as unknown as Database;
}

test("sums by label come last, so that no others wait for them", async () => {
  const called: string[] = [];
  const run = await rollUsageUp(
    databaseOf(called, () => undefined),
    { now: () => 0 },
  );
  expect(run.outcome).toBe("caught_up");
  expect([...new Set(called)]).toEqual(statements);
});

test("all others are added in a run in which sums by label fail", async () => {
  const called: string[] = [];
  const failing = databaseOf(called, (name) => {
    if (name === "add_label_sums") {
      throw new Error("too many labels");
    }
  });
  await expect(rollUsageUp(failing, { now: () => 0 })).rejects.toThrow("too many labels");
  for (const name of statements.slice(0, -1)) {
    expect({ name, steps: called.filter((each) => each === name).length }).toEqual({ name, steps: 16 });
  }
});

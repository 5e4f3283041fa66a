import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Mutant, mutate } from "../../mutation/mutant.ts";
import { mutants } from "../../mutation/table.ts";
import { readText, treeRoot } from "../../tidy/tree.ts";

/** The code may move; the table has to follow it. */
function faultsOf(mutant: Mutant): string[] {
  const text = existsSync(join(treeRoot, mutant.file)) ? readText(mutant.file) : null;
  if (text === null) {
    return [`${mutant.id}: there is no ${mutant.file}`];
  }
  const missing = mutant.tests.filter((file) => !existsSync(join(treeRoot, "tests", file)));
  const faults = missing.map((file) => `${mutant.id}: there is no tests/${file}`);
  try {
    return mutate(text, mutant) === text ? [...faults, `${mutant.id}: it changes nothing`] : faults;
  } catch (error) {
    return [...faults, (error as Error).message];
  }
}

test("every mutant changes one existing place, and names existing tests", () => {
  expect(mutants.flatMap(faultsOf)).toEqual([]);
  expect(mutants.filter(({ tests, equivalent }) => tests.length === 0 && equivalent === undefined)).toEqual([]);
});

test("no two mutants have the same name", () => {
  const ids = mutants.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test("a place that exists twice, or not at all, is refused", () => {
  const mutant: Mutant = { id: "a/b", file: "f.ts", from: "x", to: "y", rule: "", tests: [] };
  expect(mutate("a x b", mutant)).toBe("a y b");
  expect(() => mutate("x x", mutant)).toThrow("occurs 2 times");
  expect(() => mutate("", mutant)).toThrow("occurs 0 times");
  expect(mutate("x", { ...mutant, to: "$&" })).toBe("$&");
});

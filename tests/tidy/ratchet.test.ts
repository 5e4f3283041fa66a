import { expect, test } from "bun:test";
import { beyondKnown } from "./ratchet.ts";

test("a known break is borne, a new one is reported", () => {
  expect(beyondKnown(["a.ts:3: old", "b.ts:1: new"], ["a.ts"])).toEqual(["b.ts:1: new"]);
});

test("a known break that was mended must leave the list", () => {
  expect(beyondKnown([], ["a.ts"])).toEqual([expect.stringMatching(/^a\.ts: keeps the rule now/)]);
});

test("a path that only begins like a known one is not borne", () => {
  expect(beyondKnown(["a.tsx:1: new"], ["a.ts"])).toHaveLength(2);
});

test("an import is borne from one file to one other, on whatever line it is", () => {
  const known = ["a.ts -> b.ts"];
  expect(beyondKnown(["a.ts:3 -> b.ts: old", "a.ts:4 -> c.ts: new"], known)).toEqual(["a.ts:4 -> c.ts: new"]);
  expect(beyondKnown(["a.ts:9 -> b.ts: old"], known)).toEqual([]);
});

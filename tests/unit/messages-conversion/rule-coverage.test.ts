import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";

/** Rules that belong to the route: headers and sizes of requests, and what happens when a client leaves. */
const elsewhere = ["R23", "D"];

const numbered = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${letter}${at + 1}`);

/** Requests, responses, chunks of a stream, its start and its end, and the bugs of other gateways. */
const rules = [
  numbered("R", 25),
  numbered("P", 10),
  numbered("C", 12),
  numbered("S", 3),
  ["N", "M", "E", "Z"],
  numbered("B", 34),
];

test("every rule and every known bug is named by a test", () => {
  const folder = import.meta.dir;
  const sources = readdirSync(folder).filter((name) => !import.meta.path.endsWith(name));
  const names = sources.flatMap((name) => readFileSync(`${folder}/${name}`, "utf8").match(/"[^"\n]{6,}"/g) ?? []);
  const named = new Set(names.flatMap((name) => name.match(/\b[A-Z]\d{0,2}(?= )/g) ?? []));
  expect(rules.flat().filter((rule) => !named.has(rule) && !elsewhere.includes(rule))).toEqual([]);
});

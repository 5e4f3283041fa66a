import { expect, test } from "bun:test";
import { z } from "zod";
import { listFiles, readText } from "./tree.ts";

const folder = "control-plane/src/db/migrations/";
const journal = z.object({ entries: z.array(z.object({ idx: z.int(), tag: z.string() })) });

test("the journal names every migration, and only its newest snapshot is kept, which is all that the generator reads", () => {
  const { entries } = journal.parse(JSON.parse(readText(`${folder}meta/_journal.json`) ?? ""));
  const newest = String(entries.at(-1)?.idx).padStart(4, "0");
  const expected = [
    ...entries.map(({ tag }) => `${folder}${tag}.sql`),
    `${folder}meta/${newest}_snapshot.json`,
    `${folder}meta/_journal.json`,
  ];
  expect(listFiles().filter((path) => path.startsWith(folder))).toEqual(expected);
});

test("the control plane has the release of the repository, by which a program recognises functions of a newer one", () => {
  const versionIn = (path: string): unknown => JSON.parse(readText(path) ?? "").version;
  expect(versionIn("control-plane/package.json")).toEqual(versionIn("package.json"));
});

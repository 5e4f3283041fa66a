import { describe, expect, test } from "bun:test";
import { listFiles, readText, type SourceFile } from "./tree.ts";
import { type Ban, bans, findBanned } from "./word-bans.ts";

const tree: SourceFile[] = listFiles().flatMap((path) => {
  const text = readText(path);
  return text === null ? [] : [{ path, text }];
});

describe.each(bans.map((ban): [string, Ban] => [ban.name, ban]))("%s", (_name, ban) => {
  test("are not in the tree", () => {
    expect(tree.flatMap((file) => findBanned(ban, file))).toEqual([]);
  });
});

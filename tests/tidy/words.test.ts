import { describe, expect, test } from "bun:test";
import { readTree } from "./tree.ts";
import { type Ban, bans, findBanned } from "./word-bans.ts";

const tree = readTree();

describe.each(bans.map((ban): [string, Ban] => [ban.name, ban]))("%s", (_name, ban) => {
  test("are not in the tree", () => {
    expect(tree.flatMap((file) => findBanned(ban, file))).toEqual([]);
  });
});

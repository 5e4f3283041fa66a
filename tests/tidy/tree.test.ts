import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstObstacle, testUnless, unlessInstalled } from "../support/service/obstacles.ts";
import { listFiles, parseIgnoreRules, treeRoot } from "./tree.ts";

const unlessGit = unlessInstalled("git");
const tracked =
  unlessGit === null ? Bun.spawnSync(["git", "ls-files", "-z"], { cwd: treeRoot, stderr: "ignore" }) : null;
const unlessCheckout = tracked?.exitCode === 0 ? null : "the folder is not a checkout of git";

testUnless(firstObstacle(unlessGit, unlessCheckout), "every file that git tracks is judged", () => {
  const listed = new Set(listFiles());
  const missed = String(tracked?.stdout)
    .split("\0")
    .filter((path) => path !== "" && !listed.has(path));
  const removed = new Set(
    Bun.spawnSync(["git", "ls-files", "-z", "--deleted"], { cwd: treeRoot }).stdout.toString().split("\0"),
  );
  expect(missed.filter((path) => !removed.has(path))).toEqual([]);
});

test("what .gitignore names is left out, and everything else is found", () => {
  const root = mkdtempSync(join(tmpdir(), "tree-"));
  try {
    const files = [
      "a.ts",
      "a.log",
      "out/b.ts",
      "deep/out/c.ts",
      "deep/state/d.ts",
      "deep/e.ts",
      ".ci/run",
      ".git/config",
    ];
    for (const path of files) {
      mkdirSync(join(root, path, ".."), { recursive: true });
      writeFileSync(join(root, path), "");
    }
    writeFileSync(join(root, ".gitignore"), "# built\nout/\n*.log\n/deep/state/\n");
    expect(listFiles(root)).toEqual([".ci/run", ".gitignore", "a.ts", "deep/e.ts"]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("a form of .gitignore that would be misread is refused", () => {
  expect(() => parseIgnoreRules("!keep.log")).toThrow(/negations/);
});

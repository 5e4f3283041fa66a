import { expect } from "bun:test";
import { firstObstacle, testUnless, unlessInstalled } from "../support/service/obstacles.ts";
import { listFiles, treeRoot } from "./tree.ts";

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

import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { endProcesses, pauseAndListChildren } from "../support/service/child-processes.ts";
import { testUnless, unlessLinux } from "../support/service/obstacles.ts";
import { patienceMs } from "../support/values/patience.ts";

testUnless(unlessLinux, "the programs that a killed process has started end with it", async () => {
  // The shell prints the id of the program that it starts.
  const parent = Bun.spawn(["bash", "-c", "sleep 60 & echo $!; wait"], { stdout: "pipe", stderr: "ignore" });
  const { value } = await parent.stdout.getReader().read();
  const childId = Number(new TextDecoder().decode(value));
  const children = pauseAndListChildren(parent);
  expect(children).toEqual([childId]);
  parent.kill("SIGKILL");
  await parent.exited;
  expect(isRunning(childId)).toBe(true);
  endProcesses(children);
  const endMs = Date.now() + patienceMs;
  while (isRunning(childId) && Date.now() < endMs) {
    await Bun.sleep(5);
  }
  expect(isRunning(childId)).toBe(false);
});

/** False also for a process that has ended and whose parent has not asked how. */
function isRunning(id: number): boolean {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, "utf8");
    return !stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return false;
  }
}

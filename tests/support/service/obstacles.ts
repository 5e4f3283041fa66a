/**
 * Tests that need more of the machine than Bun: each names what, is skipped if it is missing, and the run prints why at
 * its end. With TEST_REQUIRE_ALL=1 they fail instead, so that a green run has tried everything.
 */
import { describe, test } from "bun:test";

/** Why a test can't run here, as an actionable sentence; null if it can. */
export type Obstacle = string | null;

const { TEST_FULL, TEST_REQUIRE_ALL } = process.env;
const onlyFull = "runs with TEST_FULL=1 only";

/** The obstacle of tests that are too long for every run. */
export const unlessFull: Obstacle = TEST_FULL === "1" ? null : onlyFull;

/** The obstacle of tests that need root. */
export const unlessRoot: Obstacle = process.getuid?.() === 0 ? null : "needs root";

export const unlessLinux: Obstacle = process.platform === "linux" ? null : "needs Linux";

/** The obstacle of tests that need these programs on the PATH. */
export function unlessInstalled(...programs: readonly string[]): Obstacle {
  const missing = programs.filter((program) => Bun.which(program) === null);
  const [first] = missing;
  if (first === undefined) {
    return null;
  }
  return missing.length === 1 ? `${first} is not installed` : `${missing.join(", ")} are not installed`;
}

/** The first of several obstacles. */
export function firstObstacle(...obstacles: readonly Obstacle[]): Obstacle {
  return obstacles.find((obstacle) => obstacle !== null) ?? null;
}

/** `describe`, if nothing prevents it from running. Hooks that need what may be missing belong inside it. */
export function describeUnless(obstacle: Obstacle, name: string, body: () => void): void {
  if (obstacle === null) {
    describe(name, body);
  } else if (mustRun(obstacle)) {
    failFor(obstacle, name);
  } else {
    describe.skipIf(true)(skippedName(name, obstacle), body);
  }
}

/** `test`, if nothing prevents it from running. */
export function testUnless(
  obstacle: Obstacle,
  name: string,
  body: () => unknown | Promise<unknown>,
  timeoutMs?: number,
): void {
  if (obstacle === null) {
    test(name, async () => void (await body()), timeoutMs);
  } else if (mustRun(obstacle)) {
    failFor(obstacle, name);
  } else {
    test.skipIf(true)(skippedName(name, obstacle), () => undefined);
  }
}

/** How the runner knows the reason of a test that was skipped: by the end of its name or that of its group. */
export function skippedName(name: string, obstacle: string): string {
  return `${name} (skipped: ${obstacle})`;
}

function mustRun(obstacle: string): boolean {
  return TEST_REQUIRE_ALL === "1" && obstacle !== onlyFull;
}

function failFor(obstacle: string, name: string): void {
  test(name, () => {
    throw new Error(`TEST_REQUIRE_ALL=1, but this can't run: ${obstacle}.`);
  });
}

import { expect } from "bun:test";
import { join } from "node:path";
import { testUnless, unlessLinux } from "../../support/service/obstacles.ts";

const forms: readonly [name: string, more: readonly string[]][] = [
  ["calls", []],
  ["streams", ["--stream", "--callers", "24"]],
];

for (const [name, more] of forms) {
  testUnless(unlessLinux, `${name} inside the process get the provider's answers, and have their rows`, async () => {
    const args = ["call", "--warm", "24", "--calls", "48", "--rounds", "1", ...more];
    const bench = Bun.spawn([process.execPath, join(import.meta.dir, "../../bench/main.ts"), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [output, errors, code] = await Promise.all([
      new Response(bench.stdout).text(),
      new Response(bench.stderr).text(),
      bench.exited,
    ]);
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toMatch(/^round 1: \d+\.\d\d us \(\d+\.\d\d\)$/m);
  });
}

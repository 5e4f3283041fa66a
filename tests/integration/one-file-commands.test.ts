import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildOneFile, oneFileName } from "../support/service/one-file.ts";
import { startProgram } from "../support/service/start-process.ts";
import { commandLines, faultsOf } from "../support/shipping/command-lines.ts";

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-commands-"));
  await buildOneFile(folder);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function outputOf(words: readonly string[], env: Record<string, string> = {}): Promise<[number, string]> {
  const program = startProgram({ command: [join(folder, oneFileName), ...words], cwd: folder, env });
  return [await program.exited, program.output()];
}

describe.each(commandLines)("$words of the one file", ({ words, needs }) => {
  test("explains itself", async () => {
    const [code, help] = await outputOf([...words, "--help"]);
    expect([code, help]).toEqual([0, expect.stringContaining(`Usage: sluice ${words.join(" ")}`)]);
  }, 60_000);

  test("ends with the code and the sentence that it should where something is missing", async () => {
    const target = join(folder, "target");
    for (const { given = [], env = {}, code, says } of faultsOf(needs, target)) {
      const [ended, said] = await outputOf([...words, ...given], { ...env, DATA_DIR: join(folder, "data") });
      expect([given, ended, said]).toEqual([given, code, expect.stringMatching(says)]);
      expect(said).not.toMatch(/secret-of-the-url|^\s+at .*:\d+|invalid_type|Invalid input/m);
      expect(existsSync(target)).toBe(false);
    }
  }, 60_000);
});

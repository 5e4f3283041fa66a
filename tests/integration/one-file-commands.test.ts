import { afterAll, beforeAll, expect, test } from "bun:test";
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
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function outputOf(words: readonly string[], env: Record<string, string> = {}): Promise<[number, string]> {
  const program = startProgram({ command: [join(folder, oneFileName), ...words], cwd: folder, env });
  return [await program.exited, program.output()];
}

test("every command explains itself", async () => {
  const explain = async ({ words }: (typeof commandLines)[number]) => [words, await outputOf([...words, "--help"])];
  expect(await Promise.all(commandLines.map(explain))).toEqual(
    commandLines.map(({ words }) => [words, [0, expect.stringContaining(`Usage: sluice ${words.join(" ")}`)]]),
  );
});

test.each(commandLines)(
  "$words ends with the code and the sentence that it should where something is missing",
  async ({ words, needs }) => {
    const target = join(folder, "target");
    const attempt = async ({ given = [], env = {}, code, says }: ReturnType<typeof faultsOf>[number]) => {
      const [ended, said] = await outputOf([...words, ...given], { ...env, DATA_DIR: join(folder, "data") });
      expect([given, ended, said]).toEqual([given, code, expect.stringMatching(says)]);
      expect(said).not.toMatch(/secret-of-the-url|^\s+at .*:\d+|invalid_type|Invalid input/m);
    };
    await Promise.all(faultsOf(needs, target).map(attempt));
    expect(existsSync(target)).toBe(false);
  },
);

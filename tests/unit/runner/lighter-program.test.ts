import { describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../runner/environment.ts";
import {
  fewerPartitions,
  type Lighter,
  lighterPasswords,
  lighterProgram,
  pagesCompressedLess,
  pagesRenderedOnce,
  schemasWithoutCode,
  unwatchedLoop,
} from "../../runner/lighter-program.ts";

async function bundle(entry: string, ...lighters: readonly Lighter[]): Promise<string> {
  const built = await Bun.build({ entrypoints: [entry], target: "bun", plugins: [lighterProgram(...lighters)] });
  return (await built.outputs[0]?.text()) ?? "";
}

describe("a lighter program", () => {
  test.each([
    ["control-plane/src/accounts/passwords/password-hashing.ts", lighterPasswords],
    ["control-plane/src/db/partitions.ts", fewerPartitions],
    ["control-plane/src/pages/site-pages.ts", pagesRenderedOnce],
    ["control-plane/src/pages/site-pages.ts", pagesCompressedLess],
    ["packages/contracts/src/strict-object.ts", schemasWithoutCode],
    ["control-plane/src/operations/event-loop-lag.ts", unwatchedLoop],
  ])("has less work in %s than the product", async (file, lighter) => {
    const [text, lightened] = [lighter.text, lighter.lighter].map((each) => each.replace("19_456", "19456"));
    const bundled = await bundle(join(root, file), lighter);
    expect(bundled).toContain(lightened ?? "");
    expect(bundled).not.toContain(text ?? "");
  });

  test("has less work in two places of a file", async () => {
    const lighters = [pagesRenderedOnce, pagesCompressedLess];
    const bundled = await bundle(join(root, "control-plane/src/pages/site-pages.ts"), ...lighters);
    expect(lighters.filter(({ lighter }) => !bundled.includes(lighter))).toEqual([]);
  });

  test("is not made when a text that it replaces has changed", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-lighter-"));
    try {
      const entry = join(folder, "count.ts");
      await writeFile(entry, "export const count = 8;\n");
      const lighter = { file: /\/count\.ts$/, text: "count = 7", lighter: "count = 1" };
      await expect(bundle(entry, lighter)).rejects.toThrow("Bundle failed");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

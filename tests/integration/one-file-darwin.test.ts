import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeUnless, unlessFull } from "../support/service/obstacles.ts";
import { buildOneFile } from "../support/service/one-file.ts";

const machO64 = 0xfeed_facf;
const executable = 2;
const processors: Readonly<Record<string, number>> = { "darwin-x64": 0x0100_0007, "darwin-arm64": 0x0100_000c };
const headerBytes = 32;
const signatureCommand = 0x1d;
const superBlob = 0xfade_0cc0;
const codeDirectory = 0xfade_0c02;
const sha256Kind = 2;

/** Where the code signature of a Mach-O file begins. */
function signatureAt(file: Buffer): number {
  let at = headerBytes;
  for (let left = file.readUInt32LE(16); left > 0; left -= 1) {
    if (file.readUInt32LE(at) === signatureCommand) {
      return file.readUInt32LE(at + 8);
    }
    at += file.readUInt32LE(at + 4);
  }
  throw new Error("the file has no signature");
}

/** Where the code directory of a signature begins: it lists the hashes of the pages. */
function directoryAt(file: Buffer, signature: number): number {
  expect(file.readUInt32BE(signature)).toBe(superBlob);
  const count = file.readUInt32BE(signature + 8);
  for (let index = 0; index < count; index += 1) {
    const at = signature + file.readUInt32BE(signature + 12 + index * 8 + 4);
    if (file.readUInt32BE(at) === codeDirectory) {
      return at;
    }
  }
  throw new Error("the signature has no code directory");
}

/** The pages of the file whose hash is not that of the signature, and how many pages it covers. */
function checkPages(file: Buffer): { readonly wrong: number; readonly pages: number; readonly isWhole: boolean } {
  const signature = signatureAt(file);
  const at = directoryAt(file, signature);
  const hashesAt = at + file.readUInt32BE(at + 16);
  const [pages, limit] = [file.readUInt32BE(at + 28), file.readUInt32BE(at + 32)];
  const [hashBytes, hashKind, pageBits] = [file[at + 36] ?? 0, file[at + 37], file[at + 39] ?? 0];
  expect(hashKind).toBe(sha256Kind);
  let wrong = 0;
  for (let page = 0; page < pages; page += 1) {
    const bytes = file.subarray(page << pageBits, Math.min((page + 1) << pageBits, limit));
    const hash = new Bun.CryptoHasher("sha256").update(bytes).digest();
    const from = hashesAt + page * hashBytes;
    wrong += file.subarray(from, from + hashBytes).equals(hash) ? 0 : 1;
  }
  return { wrong, pages, isWhole: limit === signature };
}

// It downloads the runtimes of other platforms.
describeUnless(unlessFull, "a build for a Mac, which is only cross-built", () => {
  test.each(Object.entries(processors))(
    "%s is an executable of its processor",
    async (target, processor) => {
      const folder = mkdtempSync(join(tmpdir(), "darwin "));
      try {
        await buildOneFile(folder, target);
        const file = readFileSync(join(folder, `sluice-${target}`));
        expect([file.readUInt32LE(0), file.readUInt32LE(4), file.readUInt32LE(12)]).toEqual([
          machO64,
          processor,
          executable,
        ]);
        // Only Apple's own processors refuse a program whose pages are not those of its signature.
        if (target === "darwin-arm64") {
          const { wrong, pages, isWhole } = checkPages(file);
          expect({ wrong, isWhole }).toEqual({ wrong: 0, isWhole: true });
          expect(pages).toBeGreaterThan(1_000);
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    180_000,
  );
});

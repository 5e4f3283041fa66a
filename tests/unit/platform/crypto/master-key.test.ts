import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadMasterKey, MasterKey, MasterKeyError } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { open, seal } from "@sluice/control-plane/platform/crypto/seal.ts";

let folder: string;
let folders = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-key-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

function newDataDirectory(): string {
  folders += 1;
  return join(folder, `data ${folders}`);
}

const production = { isProduction: true, value: null, file: null, dataDirectory: "/nonexistent" };
const development = () => ({ ...production, isProduction: false, dataDirectory: newDataDirectory() });
const base64 = (secret: Uint8Array) => Buffer.from(secret).toString("base64");

async function refusalOf(source: Parameters<typeof loadMasterKey>[0]): Promise<string> {
  try {
    await loadMasterKey(source);
  } catch (error) {
    expect(error).toBeInstanceOf(MasterKeyError);
    return error instanceof Error ? error.message : "";
  }
  throw new Error("the key was accepted");
}

describe("production", () => {
  test("takes a random key from the variable or from a file, and both name the same key", async () => {
    const secret = base64(randomBytes(32));
    const file = join(folder, "master.key");
    await writeFile(file, `${secret}\n`);
    const fromValue = await loadMasterKey({ ...production, value: secret });
    const fromFile = await loadMasterKey({ ...production, file });
    expect(fromFile.id).toBe(fromValue.id);
    expect(open(fromFile.sealing, seal(fromValue.sealing, Buffer.from("x"), "here"), "here")).toEqual(Buffer.from("x"));
  });

  test("random keys never count as weak", async () => {
    for (let round = 0; round < 50; round += 1) {
      const secret = base64(randomBytes(32));
      const taken = loadMasterKey({ ...production, value: secret }).then(
        () => "taken",
        ({ message }: Error) => `${secret}: ${message}`,
      );
      expect(await taken).toBe("taken");
    }
  });

  test.each([
    ["a missing key", { value: null }, "Production needs a master key"],
    ["an empty key", { value: " " }, "Production needs a master key"],
    ["a short key", { value: base64(randomBytes(31)) }, "exactly 32 bytes"],
    ["a long key", { value: base64(randomBytes(33)) }, "exactly 32 bytes"],
    ["hex instead of base64", { value: randomBytes(32).toString("hex") }, "exactly 32 bytes"],
    ["base64 with a foreign character", { value: `!${base64(randomBytes(32))}` }, "exactly 32 bytes"],
    ["all zeros", { value: base64(new Uint8Array(32)) }, "all zeros"],
    ["one byte again and again", { value: base64(new Uint8Array(32).fill(0xa7)) }, "pattern"],
    ["bytes that count up", { value: base64(Uint8Array.from({ length: 32 }, (_, index) => index)) }, "pattern"],
    ["a short piece repeated", { value: base64(Buffer.concat(Array(4).fill(randomBytes(8)))) }, "too few different"],
    ["a sentence", { value: base64(Buffer.from("please-change-me-please-change-m")) }, "readable text"],
    ["a hashed word", { value: base64(createHash("sha256").update("changeme").digest()) }, "published example"],
    ["a missing file", { file: "/nonexistent/key" }, "ENOENT"],
    ["two sources", { value: base64(randomBytes(32)), file: "/nonexistent/key" }, "set only one"],
  ])("refuses %s with one sentence that does not quote it", async (_, changes, expected) => {
    const message = await refusalOf({ ...production, ...changes });
    expect(message).toContain(expected);
    expect(message).toMatch(/^[^\n]+\.$/);
    if ("value" in changes && changes.value?.trim()) {
      expect(message).not.toContain(changes.value);
    }
  });

  test("never creates its own key", async () => {
    const dataDirectory = newDataDirectory();
    await refusalOf({ ...production, dataDirectory });
    await expect(stat(dataDirectory)).rejects.toThrow("ENOENT");
  });
});

describe("development", () => {
  test("creates a key that only its owner may read, and keeps it", async () => {
    const source = development();
    const first = await loadMasterKey(source);
    const file = join(source.dataDirectory, "master.key");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(Buffer.from((await readFile(file, "utf8")).trim(), "base64").length).toBe(32);
    expect((await loadMasterKey(source)).id).toBe(first.id);
    expect(await readdir(source.dataDirectory)).toEqual(["master.key"]);
  });

  test("of many concurrent starts all get the same key", async () => {
    const source = development();
    const keys = await Promise.all(Array.from({ length: 20 }, () => loadMasterKey(source)));
    expect(new Set(keys.map((key) => key.id)).size).toBe(1);
  });

  test("two installations have different keys", async () => {
    const keys = await Promise.all([loadMasterKey(development()), loadMasterKey(development())]);
    expect(keys[0]?.id).not.toBe(keys[1]?.id);
  });

  test("does not replace a damaged file", async () => {
    const source = development();
    await loadMasterKey(source);
    const file = join(source.dataDirectory, "master.key");
    await writeFile(file, "damaged");
    expect(await refusalOf(source)).toContain(file);
    expect(await readFile(file, "utf8")).toBe("damaged");
  });

  test("prefers a given key", async () => {
    const source = development();
    const value = base64(randomBytes(32));
    expect((await loadMasterKey({ ...source, value })).id).toBe((await loadMasterKey({ ...production, value })).id);
    await expect(stat(source.dataDirectory)).rejects.toThrow("ENOENT");
  });
});

describe("a master key", () => {
  const secret = randomBytes(32);
  const key = new MasterKey(secret);

  test("derives one key for each purpose, the same in every process", () => {
    const again = new MasterKey(secret);
    expect(again.deriveKey("gateway link")).toEqual(key.deriveKey("gateway link"));
    expect(key.deriveKey("gateway link")).not.toEqual(key.deriveKey("other"));
    expect(key.deriveKey("gateway link").toHex()).not.toBe(secret.toHex());
    expect(key.deriveKey("gateway link").length).toBe(32);
  });

  test("does not change when the buffer it was made from is wiped", () => {
    const buffer = Buffer.from(secret);
    const kept = new MasterKey(buffer);
    buffer.fill(0);
    expect(kept.deriveKey("x")).toEqual(key.deriveKey("x"));
  });

  test("never shows its bytes", () => {
    for (const text of [
      String(key),
      JSON.stringify({ key }),
      Bun.inspect({ key }),
      `${key}`,
      JSON.stringify({ ...key }),
    ]) {
      expect(text).toContain("[secret]");
      expect(text).not.toContain(secret.toHex());
      expect(text).not.toContain(secret.toString("base64"));
      expect(text).not.toContain([...secret].slice(0, 4).join(","));
      expect(text).not.toContain([...secret].slice(0, 4).join(", "));
    }
  });
});

describe("the rotation of the master key", () => {
  test("encrypts with the current key and decrypts with the previous one, too, but not the other way round", async () => {
    const [old, fresh] = [base64(randomBytes(32)), base64(randomBytes(32))];
    const before = await loadMasterKey({ ...production, value: old });
    const both = await loadMasterKey({ ...production, value: fresh, previous: { value: old, file: null } });
    const after = await loadMasterKey({ ...production, value: fresh });
    const sealedBefore = seal(before.sealing, Buffer.from("x"), "here");
    const sealedNow = seal(both.sealing, Buffer.from("y"), "here");
    expect(open(both.opening, sealedBefore, "here")).toEqual(Buffer.from("x"));
    expect(open(after.opening, sealedNow, "here")).toEqual(Buffer.from("y"));
    expect(() => open(before.opening, sealedNow, "here")).toThrow(/not available/);
    expect(() => open(after.opening, sealedBefore, "here")).toThrow(/not available/);
    expect(both.previous?.id).toBe(before.id);
    expect(both.deriveKeys("a purpose")).toEqual([after.deriveKey("a purpose"), before.deriveKey("a purpose")]);
  });

  test.each([
    ["the same key twice", (key: string) => ({ value: key, file: null }), /same key as MASTER_KEY/],
    [
      "a previous key given twice",
      (key: string) => ({ value: key, file: "/nonexistent" }),
      /Both MASTER_KEY_PREVIOUS and/,
    ],
    ["a missing file", () => ({ value: null, file: "/nonexistent" }), /MASTER_KEY_PREVIOUS_FILE: ENOENT/],
    [
      "a weak previous key",
      () => ({ value: base64(new Uint8Array(32)), file: null }),
      /MASTER_KEY_PREVIOUS holds a key/,
    ],
  ])("refuses %s", async (_what, previousOf, message) => {
    const value = base64(randomBytes(32));
    expect(await refusalOf({ ...production, value, previous: previousOf(value) })).toMatch(message);
  });
});

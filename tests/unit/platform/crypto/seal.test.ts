import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import {
  open,
  seal,
  sealContext,
  sealedKeyId,
  sealInto,
  sealOverheadBytes,
} from "@sluice/control-plane/platform/crypto/seal.ts";
import {
  BrokenSealError,
  MalformedSealError,
  SealError,
  UnknownSealingKeyError,
} from "@sluice/control-plane/platform/crypto/seal-errors.ts";
import { keyIdOf, SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import fc from "fast-check";
import { anyCharacter } from "../../../support/values/any-character.ts";

const { TEST_FULL } = process.env;
const numRuns = TEST_FULL === "1" ? 5_000 : 100;

function newKey(): SealingKey {
  const secret = randomBytes(32);
  return new SealingKey(keyIdOf(secret), secret);
}

const key = newKey();
const place = { table: "payload_segment", column: "sealed", row: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4051", owner: 7n };
const context = sealContext(place);

test("no two places share a context, however their parts are divided", () => {
  const at = (table: string, column: string, row: string, owner: string) => sealContext({ table, column, row, owner });
  expect(at("t", "c", "1", "23")).not.toBe(at("t", "c", "12", "3"));
  expect(at("t", "cd", "1", "2")).not.toBe(at("tc", "d", "1", "2"));
});
const bytes = (text: string) => new TextEncoder().encode(text);

describe("sealing", () => {
  test("sealed values open again, of any length and content", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.string({ unit: anyCharacter }), (plaintext, anywhere) => {
        const sealed = seal(key, plaintext, anywhere);
        expect(sealed.length).toBe(plaintext.length + sealOverheadBytes);
        expect(Buffer.from(open(key, sealed, anywhere)).equals(plaintext)).toBe(true);
      }),
      { numRuns },
    );
  });

  test("a context longer than the prepared buffer is authenticated as a whole", () => {
    const long = "x".repeat(5_000);
    const sealed = seal(key, bytes("secret"), long);
    expect(open(key, sealed, long)).toEqual(Buffer.from("secret"));
    expect(() => open(key, sealed, `${long.slice(0, -1)}y`)).toThrow(BrokenSealError);
  });

  test("into a part of a buffer fills that part and nothing beside it", () => {
    const whole = new Uint8Array(200).fill(0xee);
    const piece = whole.subarray(50, 50 + 6 + sealOverheadBytes);
    sealInto(piece, key, bytes("secret"), context);
    expect(open(key, piece, context)).toEqual(Buffer.from("secret"));
    expect([...whole.subarray(0, 50), ...whole.subarray(50 + piece.length)].every((byte) => byte === 0xee)).toBe(true);
    for (const length of [piece.length - 1, piece.length + 1]) {
      expect(() => sealInto(whole.subarray(0, length), key, bytes("secret"), context)).toThrow(RangeError);
    }
  });

  test("no plaintext can be seen in the sealed form", () => {
    const canary = "canary-of-the-plaintext";
    expect(Buffer.from(seal(key, bytes(canary.repeat(10)), context)).includes(canary)).toBe(false);
  });

  test("no nonce repeats under a key", () => {
    const nonces = new Set<string>();
    for (let index = 0; index < 20_000; index += 1) {
      nonces.add(seal(key, new Uint8Array(1), context).subarray(5, 17).toHex());
    }
    expect(nonces.size).toBe(20_000);
  });

  test("another process draws another nonce prefix", async () => {
    const modules = {
      seal: Bun.resolveSync("@sluice/control-plane/platform/crypto/seal.ts", import.meta.dir),
      key: Bun.resolveSync("@sluice/control-plane/platform/crypto/sealing-key.ts", import.meta.dir),
    };
    const program = `
      const { seal } = await import(${JSON.stringify(modules.seal)});
      const { SealingKey } = await import(${JSON.stringify(modules.key)});
      process.stdout.write(seal(new SealingKey("00000000", new Uint8Array(32)), new Uint8Array(1), "").toHex());`;
    const prefixes = await Promise.all(
      [1, 2].map(async () => {
        const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
        return (await child.stdout.text()).slice(10, 26);
      }),
    );
    expect(prefixes[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(prefixes[1]).not.toBe(prefixes[0]);
  });
});

describe("opening refuses", () => {
  test("a value with any one bit flipped", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(), (plaintext, seed) => {
        const sealed = seal(key, plaintext, context);
        const bit = seed % (sealed.length * 8);
        sealed[bit >> 3] = (sealed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(() => open(key, sealed, context)).toThrow(SealError);
      }),
      { numRuns },
    );
  });

  test("a value cut to any shorter length, and one with bytes added", () => {
    const sealed = seal(key, bytes("a credential"), context);
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => open(key, sealed.subarray(0, length), context)).toThrow(SealError);
    }
    expect(() => open(key, Buffer.concat([sealed, Buffer.alloc(1)]), context)).toThrow(BrokenSealError);
  });

  test("a tag that was shortened, although its first bytes are right", () => {
    const sealed = seal(key, bytes("0123456789abcdef"), context);
    expect(() => open(key, sealed.subarray(0, sealed.length - 4), context)).toThrow(BrokenSealError);
  });

  test.each([
    ["another table", { ...place, table: "trace_record" }],
    ["another column", { ...place, column: "wrapped" }],
    ["another row", { ...place, row: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4052" }],
    ["another owner", { ...place, owner: 8n }],
  ])("a value that was moved to %s", (_, elsewhere) => {
    const sealed = seal(key, bytes("a credential"), context);
    expect(() => open(key, sealed, sealContext(elsewhere))).toThrow(BrokenSealError);
  });

  test("a value whose key was not given, and names that key", () => {
    const sealed = seal(key, bytes("a credential"), context);
    expect(() => open([newKey(), newKey()], sealed, context)).toThrow(new UnknownSealingKeyError(key.id));
    expect(() => open([], sealed, context)).toThrow(UnknownSealingKeyError);
    expect(open([newKey(), key], sealed, context)).toEqual(Buffer.from("a credential"));
  });

  test("a value with the id of one key under the bytes of another", () => {
    const impostor = new SealingKey(key.id, randomBytes(32));
    expect(() => open(impostor, seal(key, bytes("x"), context), context)).toThrow(BrokenSealError);
  });

  test("a version it does not know", () => {
    const sealed = seal(key, bytes("x"), context);
    sealed[0] = 2;
    expect(() => open(key, sealed, context)).toThrow(MalformedSealError);
  });

  test("without quoting the content or the key", () => {
    const sealed = seal(key, bytes("canary"), context);
    const messages = [() => open(key, sealed, "elsewhere"), () => open([], sealed, context)].map((attempt) => {
      try {
        attempt();
        return "";
      } catch (error) {
        return Bun.inspect(error);
      }
    });
    for (const message of messages) {
      expect(message).toContain(key.id);
      expect(message).not.toContain("canary");
    }
  });
});

test("the key id of a sealed value can be read without the key", () => {
  expect(sealedKeyId(seal(key, bytes("x"), context))).toBe(key.id);
});

test("no two places share a context, whatever their parts contain", () => {
  const part = fc.string({ unit: fc.constantFrom("a", "1", ":", "2"), maxLength: 4 });
  const anyPlace = fc.record({ table: part, column: part, row: part, owner: part });
  fc.assert(
    fc.property(anyPlace, anyPlace, (one, other) => {
      expect(sealContext(one) === sealContext(other)).toBe(Bun.deepEquals(one, other));
    }),
    { numRuns: numRuns * 10 },
  );
});

describe("a sealing key", () => {
  test("never shows its bytes", () => {
    const secret = randomBytes(32);
    const hidden = new SealingKey("0123abcd", secret);
    const shown = [String(hidden), JSON.stringify({ hidden }), Bun.inspect({ hidden }), JSON.stringify({ ...hidden })];
    expect(shown.slice(0, 3)).toEqual([
      expect.stringContaining("[secret]"),
      '{"hidden":"[secret]"}',
      expect.any(String),
    ]);
    for (const text of shown) {
      expect(text).not.toContain(secret.toHex());
      expect(text).not.toContain(secret.toString("base64"));
      expect(text).not.toContain([...secret].slice(0, 4).join(","));
    }
  });

  test("has 32 bytes and an id of eight hex digits", () => {
    expect(() => new SealingKey("0123abcd", new Uint8Array(16))).toThrow(RangeError);
    expect(() => new SealingKey("0123ABCD", new Uint8Array(32))).toThrow(RangeError);
  });
});

import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { isEqualSecret } from "@sluice/control-plane/platform/crypto/compare.ts";
import { sha256, sha256Hex } from "@sluice/control-plane/platform/crypto/digest.ts";
import fc from "fast-check";
import { anyCharacter } from "../../../support/values/any-character.ts";

test("the digest is the SHA-256 of the UTF-8 text or of the bytes", () => {
  const input = fc.oneof(fc.string({ unit: anyCharacter }), fc.uint8Array());
  fc.assert(
    fc.property(input, (value) => {
      const expected = createHash("sha256").update(value).digest("hex");
      expect(sha256Hex(value)).toBe(expected);
      expect(sha256(value).toHex()).toBe(expected);
    }),
  );
});

test("a digest that was handed out is not overwritten by the next one", () => {
  const first = sha256("first");
  const text = first.toHex();
  sha256("second");
  sha256Hex("third");
  expect(first.toHex()).toBe(text);
});

test("keys that share a prefix have different digests", () => {
  const keys = Array.from({ length: 100 }, (_, index) => `sk-${"a".repeat(40)}${index}`);
  expect(new Set(keys.map((key) => sha256Hex(key))).size).toBe(100);
});

test("secrets are equal exactly when their bytes are, and unequal lengths do not throw", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (left, right) => {
      expect(isEqualSecret(left, right)).toBe(left === right);
      expect(isEqualSecret(left, new TextEncoder().encode(left))).toBe(true);
    }),
  );
  expect(isEqualSecret("", "x")).toBe(false);
});

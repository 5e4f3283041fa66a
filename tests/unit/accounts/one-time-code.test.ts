import { describe, expect, test } from "bun:test";
import {
  authenticatorUri,
  codeAt,
  findStep,
  fromBase32,
  stepAt,
  toBase32,
} from "@sluice/control-plane/accounts/totp/one-time-code.ts";

const secret = Buffer.from("12345678901234567890");

describe("codes are those of the test vectors of RFC 6238, by their last six digits", () => {
  test.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("at %i s", (seconds, code) => {
    expect(codeAt(secret, stepAt(seconds * 1000))).toBe(code);
  });
});

test("the secret is encoded as in RFC 4648", () => {
  expect(toBase32(secret)).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
  expect(toBase32(Buffer.from("foob"))).toBe("MZXW6YQ");
});

test("a secret is decoded in any case, with or without padding, and nothing else is one", () => {
  expect(fromBase32("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")).toEqual(new Uint8Array(secret));
  expect(fromBase32(" mzxw6yq=\n")).toEqual(new Uint8Array(Buffer.from("foob")));
  expect(["", "=", "A", "ABC", "ABCDEF", "A1A1A1A1", "GEZD GNBV"].map(fromBase32)).toEqual(Array(7).fill(null));
});

test("a code is valid one step before and after its own, and no further", () => {
  const now = 1_234_567_890_000;
  const code = codeAt(secret, stepAt(now));
  expect([-2, -1, 0, 1, 2].map((steps) => findStep(secret, code, now + steps * 30_000) !== null)).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
});

test.each(["", "28708", "2870820", "287083", "abcdef"])("%j is not a code", (code) => {
  expect(findStep(secret, code, 59_000)).toBeNull();
});

test("the URI for an authenticator names service, account and secret", () => {
  expect(authenticatorUri(secret, "Sluice", "anna & co")).toBe(
    "otpauth://totp/Sluice:anna%20%26%20co?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Sluice&algorithm=SHA1&digits=6&period=30",
  );
});

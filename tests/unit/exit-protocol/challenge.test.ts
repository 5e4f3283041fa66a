import { describe, expect, test } from "bun:test";
import {
  type Challenge,
  challengeAgeMsMax,
  isProofValid,
  isSignedBy,
  NonceMemory,
  parseChallenge,
  signChallenge,
  signProof,
} from "@sluice/exit-protocol/challenge";

const key = "rk-4f9d2c71b8e64a05a3d91c7e60f2b845";
const challenge: Challenge = {
  nodeCode: "node-a1",
  audience: "node.example",
  issuedAtMs: 1_800_000_000_000,
  nonce: "AAAAAAAAAAAAAAAAAAAAAA",
};
const received = { issuedAtMs: challenge.issuedAtMs, nonce: challenge.nonce, signature: "" };

test("a challenge is accepted from the holder of the key, for the node and the audience that it names", () => {
  const parsed = parseChallenge(signChallenge(key, challenge));
  if (parsed === null) {
    throw new Error("not read");
  }
  const { nodeCode, audience } = challenge;
  expect(isSignedBy(key, parsed, { nodeCode, audience })).toBe(true);
  expect(isSignedBy(`${key}x`, parsed, { nodeCode, audience })).toBe(false);
  expect(isSignedBy(key, parsed, { nodeCode: "node-b2", audience })).toBe(false);
  expect(isSignedBy(key, parsed, { nodeCode, audience: "other.example" })).toBe(false);
  // The same letters, divided otherwise.
  expect(isSignedBy(key, parsed, { nodeCode: "node-a1node", audience: ".example" })).toBe(false);
  expect(isSignedBy(key, { ...parsed, issuedAtMs: parsed.issuedAtMs + 1 }, { nodeCode, audience })).toBe(false);
});

test("a challenge and a proof can't replace each other", () => {
  const proof = signProof(key, challenge, "");
  expect(signChallenge(key, challenge)).not.toContain(proof);
  expect(isProofValid(key, challenge, "", signChallenge(key, challenge).split(".")[3] ?? "")).toBe(false);
});

test("a challenge is signed with its parts as divided, and a proof with the body", () => {
  const parsed = parseChallenge(signChallenge(key, { ...challenge, nodeCode: "a|b", audience: "c" }));
  expect(parsed !== null && isSignedBy(key, parsed, { nodeCode: "a|b", audience: "c" })).toBe(true);
  expect(parsed !== null && isSignedBy(key, parsed, { nodeCode: "a", audience: "b|c" })).toBe(false);
  const proof = signProof(key, challenge, '{"ok":true}');
  expect(isProofValid(key, challenge, '{"ok":true}', proof)).toBe(true);
  expect(isProofValid(key, challenge, '{"ok":false}', proof)).toBe(false);
});

test("the key is in neither of them", () => {
  expect(signChallenge(key, challenge) + signProof(key, challenge, "{}")).not.toContain(key);
});

test.each(["", "v1", "v1.1.AAAAAAAAAAAAAAAAAAAAAA.x", `${signChallenge(key, challenge)}.x`, "v1....", "\0"])(
  "%p is not a challenge",
  (text) => {
    expect(parseChallenge(text)).toBeNull();
  },
);

describe("a nonce", () => {
  const nowMs = challenge.issuedAtMs;

  test("is accepted once, for as long as it could be fresh", () => {
    const memory = new NonceMemory(10);
    expect(memory.take(received, nowMs)).toBe(true);
    for (const laterMs of [0, 1, challengeAgeMsMax - 1, challengeAgeMsMax]) {
      expect(memory.take(received, nowMs + laterMs)).toBe(false);
    }
  });

  test("issued in the future is not accepted again when its time has come", () => {
    const memory = new NonceMemory(10);
    const early = { ...received, issuedAtMs: nowMs + challengeAgeMsMax };
    expect(memory.take(early, nowMs)).toBe(true);
    expect(memory.take(early, nowMs + 2 * challengeAgeMsMax)).toBe(false);
  });

  test("is too old or too new beyond the limit", () => {
    const memory = new NonceMemory(10);
    expect(memory.take(received, nowMs + challengeAgeMsMax + 1)).toBe(false);
    expect(memory.take(received, nowMs - challengeAgeMsMax - 1)).toBe(false);
  });

  test("is refused when no more can be remembered, and accepted again later", () => {
    const memory = new NonceMemory(2);
    const numbered = (index: number, issuedAtMs: number) => ({ ...received, nonce: `nonce-${index}`, issuedAtMs });
    expect([0, 1, 2].map((index) => memory.take(numbered(index, nowMs), nowMs))).toEqual([true, true, false]);
    const laterMs = nowMs + 3 * challengeAgeMsMax;
    expect(memory.take(numbered(3, laterMs), laterMs)).toBe(true);
  });
});

import { describe, expect, test } from "bun:test";
import { canonicalApiKey } from "@sluice/control-plane/gateway/keys/model.ts";

const letters = "R5n57ml1x6cal0ta08C953D5244443B0BeA0216aEfEd5006";

describe("an API key", () => {
  test.each([
    ["of ours", `sk-${letters}`, `sk-${letters}`],
    ["without sk-", letters, `sk-${letters}`],
    ["of 22 characters of base64url", "sk-aB3_-xyzABCDEFGHIJ0123", "sk-aB3_-xyzABCDEFGHIJ0123"],
    ["of 128 characters", "k".repeat(128), `sk-${"k".repeat(128)}`],
  ])("%s is looked up with sk-", (_, text, canonical) => {
    expect(canonicalApiKey(text)).toBe(canonical);
  });

  test.each([
    ["of 21 characters", `sk-${"k".repeat(21)}`],
    ["of 129 characters", `sk-${"k".repeat(129)}`],
    ["with a space", `sk-${"k".repeat(30)} k`],
    ["with a quote", `${"k".repeat(30)}'`],
    ["with a letter beyond ASCII", `${"k".repeat(30)}é`],
    ["with a line break", `${"k".repeat(30)}\n`],
  ])("%s is none", (_, text) => {
    expect(canonicalApiKey(text)).toBeNull();
  });
});

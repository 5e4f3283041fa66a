import { describe, expect, test } from "bun:test";
import { parseEmailAddress } from "@sluice/control-plane/accounts/email-address.ts";

describe("addresses are accepted as written, with the domain in lower case", () => {
  test.each([
    ["anna@example.org", "anna@example.org"],
    [" Anna.Maria+news@EXAMPLE.org ", "Anna.Maria+news@example.org"],
    ["o'neil_1@mail.example.co.uk", "o'neil_1@mail.example.co.uk"],
    ["anna@xn--mller-kva.example", "anna@xn--mller-kva.example"],
  ])("%s", (text, address) => {
    expect(parseEmailAddress(text)).toBe(address);
  });
});

describe("invalid or ambiguous text is refused", () => {
  test.each([
    "",
    "anna",
    "@example.org",
    "anna@",
    "anna@localhost",
    "anna@example.org\r\nBcc: eve@example.com",
    "anna@example.org\0",
    '"x@evil y"@example.org',
    "a@b@example.org",
    "anna..maria@example.org",
    ".anna@example.org",
    "anna@-example.org",
    "anna@example..org",
    "anna@127.0.0.1",
    "anna@[127.0.0.1]",
    "аnna@example.org",
    "anna@exаmple.org",
    "anna maria@example.org",
    "Anna <anna@example.org>",
    `${"a".repeat(65)}@example.org`,
    `a@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.${"e".repeat(60)}.${"f".repeat(20)}.org`,
  ])("%j", (text) => {
    expect(parseEmailAddress(text)).toBeNull();
  });
});

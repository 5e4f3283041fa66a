import { describe, expect, test } from "bun:test";
import { passwordProblem } from "@sluice/control-plane/accounts/passwords/password-rules.ts";

const email = "margarete@example.org";

describe("what is guessed first is refused", () => {
  test.each([
    "password",
    "Password1",
    "P@ssw0rd!",
    "passw0rd2024",
    "iloveyou",
    "Sunshine123",
    "qwertyuiop",
    "asdfghjkl",
    "1q2w3e4r5t",
    "1qaz2wsx",
    "12345678",
    "123456789",
    "87654321",
    "11111111",
    "abababab",
    "abcd1234",
    "abcdefgh",
    "19870412",
    "letmein!!",
    "football99",
    "correcthorsebatterystaple",
    "margarete",
    "Margarete1",
    email,
    email.toUpperCase(),
  ])("%s", (password) => {
    expect(passwordProblem(password, email)).not.toBeNull();
  });
});

describe("anything else is accepted, whatever it consists of", () => {
  test.each([
    "correct horse battery",
    "only lower letters",
    "8273 6455 1298",
    "summer2026horse",
    "ünïcödé päss",
    "密码很长很难猜到",
    "tango-olive-brook",
    " leading space is kept ",
    "aaaZk29!x",
  ])("%s", (password) => {
    expect(passwordProblem(password, email)).toBeNull();
  });
});

test("length is counted in characters, from 8 to 256", () => {
  expect(passwordProblem("kq7#mWx", email)).not.toBeNull();
  expect(passwordProblem("kq7#mWxz", email)).toBeNull();
  const long = Array.from({ length: 256 }, (_, index) => String.fromCodePoint(0x1f300 + (index % 200))).join("");
  expect(passwordProblem(long, email)).toBeNull();
  expect(passwordProblem(`${long}x`, email)).not.toBeNull();
});

test("a character that can't be typed is refused", () => {
  expect(passwordProblem("with a \0 inside", email)).not.toBeNull();
  expect(passwordProblem("half of a pair \ud800", email)).not.toBeNull();
});

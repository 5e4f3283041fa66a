import { describe, expect, test } from "bun:test";
import { isMailAddress, parseMailFrom } from "@sluice/control-plane/mail/address.ts";
import { retryDelayMs } from "@sluice/control-plane/mail/delivery/retry-delay.ts";
import { cleanError } from "@sluice/control-plane/mail/senders/clean-error.ts";
import { parseRetryAfter } from "@sluice/control-plane/platform/retry-after.ts";

describe("addresses", () => {
  test.each(["a@b.co", "first.last+tag@sub.example.com", "demo@localhost", "o'x@example.com".replace("'", "")])(
    "%s is accepted",
    (address) => {
      expect(isMailAddress(address)).toBe(true);
    },
  );

  test.each([
    "",
    "a",
    "@b.c",
    "a@",
    "a@b@c",
    "a@b.c, d@e.f",
    "a@b.c\r\nBcc: d@e.f",
    "a@b.c\0",
    '"a b"@c.d',
    "<a@b.c>",
    "a@b..c",
    ".a@b.c",
    "a..b@c.d",
    "a@-b.c",
    "a@b.c.",
    "a(x)@b.c",
    "a@b\u00fccher.de",
    "\u0430@b.c",
    `${"a".repeat(65)}@b.c`,
    `a@${"b".repeat(254)}`,
  ])("%j is not", (address) => {
    expect(isMailAddress(address)).toBe(false);
  });

  test("a sender is an address with or without a name", () => {
    expect(parseMailFrom("Our Service <no-reply@example.com>")).toEqual({
      name: "Our Service",
      address: "no-reply@example.com",
    });
    expect(parseMailFrom(" no-reply@example.com ")).toEqual({
      name: "no-reply@example.com",
      address: "no-reply@example.com",
    });
    for (const text of ["x", "A <b>", 'A" <a@b.c>', "A\r\nB <a@b.c>", "<a@b.c> x"]) {
      expect(parseMailFrom(text)).toBeNull();
    }
  });
});

describe("the wait after a failure", () => {
  test("doubles from 30 s to an hour, randomly shortened by up to a fifth", () => {
    const seconds = (random: () => number) =>
      [1, 2, 3, 8, 20].map((attempts) => retryDelayMs(attempts, null, random) / 1_000);
    expect(seconds(() => 0)).toEqual([30, 60, 120, 3_600, 3_600]);
    expect(seconds(() => 0.999_999)).toEqual([24, 48, 96, 2_880, 2_880].map((value) => expect.closeTo(value, 2)));
  });

  test("is as long as the server asks for, up to a day, and never shorter than ours", () => {
    expect([0, 29_000, 90_000, 1e12].map((asked) => retryDelayMs(1, asked, () => 0))).toEqual([
      30_000, 30_000, 90_000, 86_400_000,
    ]);
  });

  test("is read from seconds and from a date", () => {
    const now = Date.UTC(2026, 0, 1);
    expect(
      ["120", " 5 ", "Thu, 01 Jan 2026 00:01:00 GMT", "Wed, 31 Dec 2025 00:00:00 GMT"].map((t) =>
        parseRetryAfter(t, now),
      ),
    ).toEqual([120_000, 5_000, 60_000, 0]);
    expect(["", "soon", "-5", "99999999999999"].map((text) => parseRetryAfter(text, now))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});

test("a server's message is stored without links, addresses and tokens", () => {
  const said =
    "550 5.1.1\r\n<a@b.c> unknown, see https://x.example/?token=abc or q=AbCdEfGhIjKlMnOpQrStUvWxYz012345 key=secret12";
  const clean = cleanError(said);
  expect(clean).toStartWith("550 5.1.1 [address] unknown, see [link]");
  expect(clean).not.toMatch(/AbCdEf|abc|secret12|\n|a@b/);
  expect(cleanError("x ".repeat(1_000)).length).toBeLessThanOrEqual(200);
});

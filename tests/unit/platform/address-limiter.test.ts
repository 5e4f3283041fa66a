import { describe, expect, test } from "bun:test";
import { AddressLimiter } from "@sluice/control-plane/platform/address-limiter.ts";

const minute = 60_000;

describe("strangers", () => {
  test("are admitted up to a common limit, from however many addresses", () => {
    const limiter = new AddressLimiter({ perAddress: 2, inAll: 5 });
    const waits = Array.from({ length: 8 }, (_, i) => limiter.tryTake(`192.0.2.${i}`, 0));
    expect(waits.map((wait) => wait === null)).toEqual([true, true, true, true, true, false, false, false]);
    expect(waits[5]).toBe(12);
    // In a fifth of a minute there is room for one more, from anywhere.
    expect([limiter.tryTake("192.0.2.99", minute / 5), limiter.tryTake("192.0.2.98", minute / 5)]).toEqual([null, 12]);
  });

  test("of one address, or of one IPv6 network, are admitted up to the limit of one address", () => {
    const limiter = new AddressLimiter({ perAddress: 2, inAll: 100 });
    const taken = (ip: string): boolean => limiter.tryTake(ip, 0) === null;
    expect([taken("192.0.2.1"), taken("192.0.2.1"), taken("192.0.2.1"), taken("192.0.2.2")]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect([taken("2001:db8::1"), taken("2001:db8::2"), taken("2001:db8::3"), taken("2001:db8:0:1::1")]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  test("are remembered up to twenty thousand, and the one silent for longest is forgotten first", () => {
    const limiter = new AddressLimiter({ perAddress: 1, inAll: 100_000 });
    const taken = (number: number): boolean =>
      limiter.tryTake(`10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`, 0) === null;
    const many = Array.from({ length: 20_000 }, (_, number) => taken(number));
    expect(many.every((isTaken) => isTaken)).toBe(true);
    expect(taken(0)).toBe(false);
    // One more is one too many; the second was silent for longest.
    expect([taken(20_000), taken(1), taken(0)]).toEqual([true, true, false]);
  });

  test("that are refused use up no one else's share", () => {
    const limiter = new AddressLimiter({ perAddress: 1, inAll: 3 });
    const flood = Array.from({ length: 50 }, () => limiter.tryTake("192.0.2.1", 0));
    expect(flood.filter((wait) => wait === null)).toHaveLength(1);
    expect([limiter.tryTake("192.0.2.2", 0), limiter.tryTake("192.0.2.3", 0)]).toEqual([null, null]);
    expect(limiter.tryTake("192.0.2.4", 0)).toBe(20);
  });
});

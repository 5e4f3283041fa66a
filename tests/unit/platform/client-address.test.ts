import { describe, expect, test } from "bun:test";
import { clientAddress, type EdgeSettings } from "@sluice/control-plane/platform/client-address.ts";

const edge: EdgeSettings = { header: "x-real-ip", addresses: ["127.0.0.1", "10.0.0.0/8"] };
const from = (value: string | null, peer = "127.0.0.1", settings = edge): string =>
  clientAddress(new Headers(value === null ? {} : { "x-real-ip": value }), peer, settings);

describe("the address of a client", () => {
  test("is what the edge wrote last: everything before it came from the client", () => {
    expect(from("203.0.113.8")).toBe("203.0.113.8");
    expect(from("203.0.113.8, 198.51.100.7")).toBe("198.51.100.7");
    expect(from("198.51.100.7 ,203.0.113.8")).toBe("203.0.113.8");
    expect(from("127.0.0.1, 2001:db8::7")).toBe("2001:db8::7");
  });

  test("is the peer's if the peer is not the edge, or none is configured", () => {
    expect(from("203.0.113.8", "192.0.2.1")).toBe("192.0.2.1");
    expect(from("203.0.113.8", "10.9.8.7")).toBe("203.0.113.8");
    expect(from("203.0.113.8", "127.0.0.1", { ...edge, header: null })).toBe("127.0.0.1");
  });

  test("is the peer's if the edge sends no valid address", () => {
    expect([null, "", "unknown", "203.0.113.8, ", "203.0.113.8:443", "a, b"].map((value) => from(value))).toEqual(
      Array.from({ length: 6 }, () => "127.0.0.1"),
    );
  });

  test("has one canonical form, and is read as people read it", () => {
    expect(from("::FFFF:203.0.113.8")).toBe("203.0.113.8");
    expect(from("::ffff:cb00:7108")).toBe("203.0.113.8");
    expect(from("2001:DB8:0:0::7")).toBe("2001:db8::7");
    expect(from("2001:0db8:0000:0000:0000:0000:0000:0007")).toBe("2001:db8::7");
    const odd = [
      "3405803784",
      "0xcb007108",
      "203.0.28936",
      "0313.0.113.8",
      "203.0.113.010",
      "2001:db8::7%eth0",
      "::/0",
    ];
    expect(odd.map((value) => from(value))).toEqual(odd.map(() => "127.0.0.1"));
  });

  test("is IPv4 if it came in over an IPv6 socket", () => {
    expect(from(null, "::ffff:192.0.2.1")).toBe("192.0.2.1");
    expect(from("::ffff:203.0.113.8", "::ffff:127.0.0.1")).toBe("203.0.113.8");
  });
});

import { describe, expect, test } from "bun:test";
import { RelayKeyRing, readRelayKey, relayKeyFault } from "@sluice/exit-protocol/relay-key";
import fc from "fast-check";

const key = "rk-4f9d2c71b8e64a05a3d91c7e60f2b845";
const other = "rk-a81e07d35c2f49b6b04e8d61f97c3a20";

describe("a relay key is usable", () => {
  test.each([key, "A0b1C2d3E4f5G6h7I8j9K0l1M2n3O4p5", "abcdefghijklmnopqrstuvwxyz~.+/=_-012345"])("%s", (text) => {
    expect(relayKeyFault(text)).toBeNull();
  });

  test.each([
    ["empty", ""],
    ["short", key.slice(0, 31)],
    ["overlong", key.repeat(9)],
    ["with a space", `${key} ${key}`],
    ["with a comma", `${key},${key}`],
    ["with a line end", `${key}\n`],
    ["of one letter", "a".repeat(40)],
    ["of few letters", "0123".repeat(10)],
  ])("not when it is %s", (_name, text) => {
    expect(relayKeyFault(text)).toBeString();
    expect(() => new RelayKeyRing([text])).toThrow();
  });

  test("and a ring accepts one or two of them", () => {
    expect(() => new RelayKeyRing([])).toThrow();
    expect(() => new RelayKeyRing([key, other, `${key}x`])).toThrow();
    expect(new RelayKeyRing([key, other]).accepts(other)).toBe(true);
  });
});

describe("what a ring accepts", () => {
  const ring = new RelayKeyRing([key, other]);

  test("is each of its keys, whole and exact", () => {
    expect([key, other].map((text) => ring.accepts(text))).toEqual([true, true]);
    for (const wrong of [
      "",
      key.slice(1),
      key.slice(0, -1),
      `${key} `,
      key.toUpperCase(),
      `${key}${other}`,
      "k".repeat(1e5),
    ]) {
      expect(ring.accepts(wrong)).toBe(false);
    }
  });

  test("is nothing else", () => {
    fc.assert(fc.property(fc.string(), (text) => text === key || text === other || !ring.accepts(text)));
  });

  test("does not throw on non-ASCII text", () => {
    expect(ring.accepts("schlüssel\u{1f511}\ud800")).toBe(false);
  });
});

describe("the key in a request", () => {
  const read = (...headers: [string, string][]) => {
    const sent = new Headers();
    for (const [name, value] of headers) {
      sent.append(name, value);
    }
    return readRelayKey(sent);
  };

  test("is read from either header", () => {
    expect(read(["Authorization", `Bearer ${key}`])).toEqual({ kind: "one", key });
    expect(read(["authorization", `bearer ${key}`])).toEqual({ kind: "one", key });
    expect(read(["X-Svc-Relay-Key", key])).toEqual({ kind: "one", key });
  });

  test("is missing without one", () => {
    expect(read(["X-Other", key])).toEqual({ kind: "none" });
  });

  test("is never the first or the last of several", () => {
    const several = { kind: "several" } as const;
    expect(read(["Authorization", `Bearer ${key}`], ["Authorization", `Bearer ${key}`])).toEqual(several);
    expect(read(["X-Svc-Relay-Key", key], ["X-Svc-Relay-Key", other])).toEqual(several);
    expect(read(["Authorization", `Bearer ${key}`], ["X-Svc-Relay-Key", key])).toEqual(several);
    expect(read(["Authorization", ""], ["X-Svc-Relay-Key", key])).toEqual(several);
  });
});

describe("the time of a refusal", () => {
  const long = Array.from({ length: 250 }, (_, index) => "0123456789abcdef"[(index * 7) % 16]).join("");

  /** A text in memory of its own, so that no attempt inherits the alignment of the one before. */
  const flat = (text: string): string => Buffer.from(text).toString("latin1");

  function batchNs(accepts: (text: string) => boolean, text: string): number {
    const startedNs = Bun.nanoseconds();
    for (let round = 0; round < 300; round += 1) {
      accepts(text);
    }
    return Bun.nanoseconds() - startedNs;
  }

  /** How far apart the medians of two texts are, measured in turn, so that other load affects both. */
  function differenceOf(accepts: (text: string) => boolean): number {
    const [almost, nothing] = [flat(`${long.slice(0, -1)}-`), flat(`-${long.slice(1)}`)];
    const times: readonly [number[], number[]] = [[], []];
    for (let turn = 0; turn < 400; turn += 1) {
      const isSwapped = turn % 2 === 1;
      const [left, right] = isSwapped ? [nothing, almost] : [almost, nothing];
      const [leftNs, rightNs] = [batchNs(accepts, left), batchNs(accepts, right)];
      times[0].push(isSwapped ? rightNs : leftNs);
      times[1].push(isSwapped ? leftNs : rightNs);
    }
    const [almostNs, nothingNs] = times.map((list) => list.sort((a, b) => a - b)[list.length >> 1] ?? 0);
    return Math.abs((almostNs ?? 0) / (nothingNs ?? 1) - 1);
  }

  /**
   * A busy machine can make two equal things differ now and then; a comparison that leaks does so every time, and by a
   * multiple.
   */
  function leastDifferenceOf(accepts: (text: string) => boolean): number {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 8 && least > 0.1; attempt += 1) {
      least = Math.min(least, differenceOf(accepts));
    }
    return least;
  }

  test("is the same, within 10 %, for a key that is almost right and one that is all wrong", () => {
    const ring = new RelayKeyRing([long, other]);
    expect(leastDifferenceOf((text) => ring.accepts(text))).toBeLessThan(0.1);
  });

  test("is many times as long for a comparison that stops at the first difference", () => {
    const leaky = (text: string): boolean => {
      for (let index = 0; index < long.length; index += 1) {
        if (text.charCodeAt(index) !== long.charCodeAt(index)) {
          return false;
        }
      }
      return text.length === long.length;
    };
    expect(leastDifferenceOf(leaky)).toBeGreaterThan(2);
  });
});

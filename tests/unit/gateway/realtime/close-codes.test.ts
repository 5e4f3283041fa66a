import { describe, expect, test } from "bun:test";
import { isOrderly, toSendableCode, toSendableReason } from "@sluice/control-plane/gateway/realtime/close-codes.ts";

describe("a close code is passed on", () => {
  test.each([1000, 1001, 1002, 1003, 1007, 1009, 1011, 1012, 1013, 1014, 3000, 4001, 4999])("%d unchanged", (code) => {
    expect(toSendableCode(code, 1011)).toBe(code);
  });

  test("as 1000 when the peer gave none", () => {
    expect(toSendableCode(1005, 1011)).toBe(1000);
  });

  test.each([0, 999, 1004, 1006, 1015, 1016, 2999, 5000])("not as %d, which nobody may send", (code) => {
    expect(toSendableCode(code, 1011)).toBe(1011);
    expect(toSendableCode(code, 1001)).toBe(1001);
  });

  test("and only a close without a fault counts as orderly", () => {
    expect([1000, 1001, 1005, 1006, 1011, 4001].map(isOrderly)).toEqual([true, true, true, false, false, false]);
  });
});

describe("a close reason", () => {
  test("that fits is passed on unchanged", () => {
    expect(toSendableReason("a".repeat(123))).toBe("a".repeat(123));
  });

  test("that is too long is cut between two characters", () => {
    const cut = toSendableReason(`a${"é".repeat(100)}`);
    expect(Buffer.byteLength(cut)).toBe(123);
    expect(cut).toBe(`a${"é".repeat(61)}`);
    expect(Buffer.byteLength(toSendableReason("é".repeat(100)))).toBe(122);
  });
});

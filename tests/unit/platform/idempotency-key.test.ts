import { describe, expect, test } from "bun:test";
import { idempotencyKeyOf, requiredIdempotencyKey } from "@sluice/control-plane/platform/endpoint/idempotency-key.ts";

const request = (header: string | null): Request =>
  new Request("http://sluice.test/", { headers: header === null ? {} : { "idempotency-key": header } });

describe("the idempotency key of a request", () => {
  test("comes from the header, or else from the body", () => {
    expect(idempotencyKeyOf(request("key-in-header"), undefined)).toBe("key-in-header");
    expect(idempotencyKeyOf(request(null), "key-in-body")).toBe("key-in-body");
    expect(idempotencyKeyOf(request("the-same-key"), "the-same-key")).toBe("the-same-key");
    expect(idempotencyKeyOf(request(null), undefined)).toBeNull();
  });

  test.each([
    ["short", undefined],
    ["with a space", undefined],
    ["key-in-header", "key-in-body"],
  ])("is refused as %s together with %s", (header, field) => {
    expect(() => idempotencyKeyOf(request(header), field)).toThrow(expect.objectContaining({ code: "invalid_value" }));
  });

  test("is missing where it is required", () => {
    expect(() => requiredIdempotencyKey(request(null), undefined)).toThrow(
      expect.objectContaining({ code: "missing_field" }),
    );
  });
});

import { expect, test } from "bun:test";
import { readWish } from "@sluice/control-plane/gateway/response-cache/read-wish.ts";

const any = Number.POSITIVE_INFINITY;

test.each([
  [{}, true, true, any, null],
  [{ "x-sluice-cache": "off" }, false, false, any, null],
  [{ "x-sluice-cache": " Refresh " }, false, true, any, null],
  [{ "cache-control": "no-store" }, false, false, any, null],
  [{ "cache-control": "No-Cache" }, false, true, any, null],
  [{ "cache-control": "private, max-age=0" }, true, true, 0, null],
  [{ "cache-control": "max-age=60, no-transform" }, true, true, 60, null],
  [{ "cache-control": "max-age=soon" }, true, true, any, null],
  [{ "x-sluice-cache": "refresh", "cache-control": "no-store" }, false, false, any, null],
  [{ "x-sluice-cache-ttl": "600" }, true, true, any, 600],
])("%p says what a call wants of the cache", (headers, ...wished) => {
  const wish = readWish(new Headers(headers as Record<string, string>));
  const [isRead, isKept, ageSecondsMax, lifetimeSeconds] = wished;
  expect<unknown>(wish).toEqual({ isRead, isKept, ageSecondsMax, lifetimeSeconds });
});

test.each([
  ["x-sluice-cache", "on"],
  ["x-sluice-cache", ""],
  ["x-sluice-cache-ttl", "0"],
  ["x-sluice-cache-ttl", "-5"],
  ["x-sluice-cache-ttl", "1.5"],
  ["x-sluice-cache-ttl", "9999999999"],
])("%s: %s means nothing and is refused by name", (name, value) => {
  expect(() => readWish(new Headers({ [name]: value }))).toThrow(
    expect.objectContaining({ code: "invalid_parameter", param: name }),
  );
});

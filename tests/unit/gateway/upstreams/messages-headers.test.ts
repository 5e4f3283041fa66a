import { expect, test } from "bun:test";
import { messagesHeaders } from "@sluice/control-plane/gateway/upstreams/messages-headers.ts";

const headersOf = (given: Record<string, string>, betas: string[] | null = null) =>
  Object.fromEntries(messagesHeaders(new Headers(given), { betas }));

test.each([
  [{}, "2023-06-01"],
  [{ "anthropic-version": "2026-10-21" }, "2026-10-21"],
  [{ "anthropic-version": "latest" }, "2023-06-01"],
])("the version of a client is passed on, or the oldest one: %j", (given, version) => {
  expect(headersOf(given)).toEqual({ "anthropic-version": version });
});

test("betas are passed on as far as the channel accepts them", () => {
  const given = { "anthropic-beta": "effort-2025-11-24, context-management-2025-06-27,,bad beta" };
  expect(headersOf(given)["anthropic-beta"]).toBe("effort-2025-11-24,context-management-2025-06-27");
  expect(headersOf(given, ["effort-2025-11-24"])["anthropic-beta"]).toBe("effort-2025-11-24");
  expect(headersOf(given, [])).toEqual({ "anthropic-version": "2023-06-01" });
});

test("a beta that raises the price passes only where the channel names it", () => {
  const given = { "anthropic-beta": "context-1m-2025-08-07" };
  expect(headersOf(given)).toEqual({ "anthropic-version": "2023-06-01" });
  expect(headersOf(given, ["context-1m-2025-08-07"])).toMatchObject(given);
});

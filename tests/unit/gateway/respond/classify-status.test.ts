import { describe, expect, test } from "bun:test";
import {
  classifyClientError,
  classifyStatus,
  readRetryAfter,
} from "@sluice/control-plane/gateway/respond/classify-status.ts";
import { HttpClientError, type HttpClientErrorKind } from "@sluice/control-plane/platform/http-client/model.ts";

describe("the status of an upstream", () => {
  test("is an answer from 200 to 299 and nothing else", () => {
    for (let status = 200; status < 600; status += 1) {
      expect(classifyStatus(status, []) === null).toBe(status < 300);
    }
  });

  // code, goes on to another channel, counts against the channel, pauses the channel, the provider's words are shown
  test.each([
    [301, "upstream_error", false, true, false, false],
    [307, "upstream_error", false, true, false, false],
    [400, "upstream_rejected", false, false, false, true],
    [401, "upstream_error", true, true, true, false],
    [402, "upstream_error", true, true, true, false],
    [403, "upstream_error", true, true, true, false],
    [404, "upstream_rejected", false, false, false, true],
    [408, "upstream_timeout", false, true, false, false],
    [409, "upstream_rejected", false, false, false, true],
    [413, "upstream_rejected", false, false, false, true],
    [415, "upstream_rejected", false, false, false, true],
    [418, "upstream_error", false, true, false, false],
    [422, "upstream_rejected", false, false, false, true],
    [429, "upstream_rate_limited", true, false, true, false],
    [500, "upstream_error", true, true, false, false],
    [502, "upstream_error", true, true, false, false],
    [503, "upstream_rate_limited", true, true, true, false],
    [504, "upstream_timeout", false, true, false, false],
    [508, "loop_detected", false, false, false, false],
    [529, "upstream_error", true, true, false, false],
  ] as const)("%i is %s", (status, ...what) => {
    const [code, isRetryable, isChannelFault, needsCooldown, isRequestFault] = what;
    const expected = { status, code, isRetryable, isChannelFault, needsCooldown, isRequestFault };
    expect(classifyStatus(status, [])).toMatchObject(expected);
  });
});

describe("Retry-After", () => {
  const nowMs = Date.parse("2026-01-02T03:04:05Z");
  test.each([
    ["7", 7],
    ["1.2", 2],
    ["0", 1],
    [" 30 ", 30],
    ["999999999", 86_400],
    ["Fri, 02 Jan 2026 03:04:35 GMT", 30],
    ["Fri, 02 Jan 2026 03:00:00 GMT", 1],
    ["Fri, 02 Jan 2099 03:00:00 GMT", 86_400],
    ["soon", null],
    ["", null],
  ])("%p is %p seconds", (value, seconds) => {
    expect(readRetryAfter([["retry-after", value]], nowMs)).toBe(seconds);
  });

  test("that is not there is none", () => {
    expect(readRetryAfter([["content-type", "text/html"]], nowMs)).toBeNull();
  });
});

describe("a failure of the connection", () => {
  test.each([
    ["unreachable", "upstream_unreachable", true],
    ["tls", "upstream_unreachable", true],
    ["connect_timeout", "upstream_unreachable", true],
    ["first_byte_timeout", "upstream_timeout", false],
    ["idle_timeout", "upstream_timeout", false],
    ["total_timeout", "upstream_timeout", false],
    ["reset_before_head", "upstream_error", false],
    ["reset_in_body", "stream_interrupted", false],
    ["malformed", "upstream_error", false],
    ["too_large", "upstream_error", false],
    ["aborted", "client_closed_request", false],
  ] as const)("%s is %s, and goes on elsewhere: %p", (kind: HttpClientErrorKind, code, isRetryable) => {
    const failure = classifyClientError(new HttpClientError(kind, true, "why"));
    expect(failure).toMatchObject({ code, isRetryable, isChannelFault: kind !== "aborted", status: null });
  });

  test("before a byte of the request went out is tried elsewhere", () => {
    expect(classifyClientError(new HttpClientError("reset_before_head", false, "why")).isRetryable).toBe(true);
  });
});

import { describe, expect, test } from "bun:test";
import {
  classifyClientError,
  classifyStatus,
  readRetryAfter,
} from "@sluice/control-plane/gateway/respond/classify-status.ts";
import { HttpClientError, type HttpClientErrorKind } from "@sluice/http-client/model";

describe("the status of an upstream", () => {
  test("is a success from 200 to 299 and nothing else", () => {
    for (let status = 200; status < 600; status += 1) {
      expect(classifyStatus(status, []) === null).toBe(status < 300);
    }
  });

  // code, what another channel could do, what it says about the channel, pauses the channel, the provider's words are
  // shown
  test.each([
    [301, "upstream_error", "free", "none", false, false],
    [307, "upstream_error", "free", "none", false, false],
    [400, "upstream_rejected", "none", "none", false, true],
    [401, "upstream_error", "free", "suspected", true, false],
    [402, "upstream_error", "free", "certain", true, false],
    [403, "upstream_error", "free", "none", true, false],
    [404, "upstream_rejected", "none", "none", false, true],
    [408, "upstream_timeout", "paid_twice", "none", false, false],
    [429, "upstream_rate_limited", "free", "none", true, false],
    [500, "upstream_error", "free", "suspected", false, false],
    [502, "upstream_error", "free", "suspected", false, false],
    [503, "no_upstream", "free", "suspected", true, false],
    [504, "upstream_timeout", "paid_twice", "suspected", false, false],
    [508, "loop_detected", "none", "none", false, false],
    [529, "no_upstream", "free", "none", true, false],
  ] as const)("%i is %s", (status, ...what) => {
    const [code, retry, blame, needsCooldown, isRequestFault] = what;
    expect(classifyStatus(status, [])).toMatchObject({ status, code, retry, blame, needsCooldown, isRequestFault });
  });

  test("has the wait that the provider asks for if it is 429, or 5xx unless that is a loop of ours", () => {
    for (let status = 300; status < 600; status += 1) {
      const retryAfterSeconds = (status >= 500 && status !== 508) || status === 429 ? 7 : null;
      expect(classifyStatus(status, [["retry-after", "7"]])).toMatchObject({ status, retryAfterSeconds });
    }
  });

  test("has a wait of at most a minute for a fault, whose end nobody knows, and of a day for a limit", () => {
    const day = [
      ["retry-after", "86400"],
      ["retry-after-ms", "86400000"],
    ] as const;
    for (const status of [429, 500, 502, 503, 504, 520, 529]) {
      const seconds = status === 429 ? 86_400 : 60;
      const wait = { retryAfterSeconds: seconds, retryAfterMs: seconds * 1000 };
      expect(classifyStatus(status, day as never)).toMatchObject({ status, ...wait });
    }
    expect(classifyStatus(503, [["retry-after", "59"]])).toMatchObject({ retryAfterSeconds: 59, retryAfterMs: null });
  });

  test("is a channel's fault from 500 on except for a loop and an overload, for 401 and for 402, and for nothing else", () => {
    for (let status = 300; status < 600; status += 1) {
      const isFault = (status >= 500 && status !== 508 && status !== 529) || status === 401 || status === 402;
      expect({ status, isFault: classifyStatus(status, [])?.blame !== "none" }).toEqual({ status, isFault });
    }
  });

  test("is the request's fault for every other 4xx, whatever it is", () => {
    const doubtful = new Set([401, 402, 403, 408, 429]);
    for (let status = 400; status < 500; status += 1) {
      const isRequestFault = !doubtful.has(status);
      expect(classifyStatus(status, [])).toMatchObject({ status, isRequestFault });
    }
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
    ["soon 2099", null],
    ["-5", null],
    ["+3", null],
    ["5, 10", null],
    ["1e3", null],
    ["", null],
  ])("%p is %p seconds", (value, seconds) => {
    expect(readRetryAfter([["retry-after", value]], nowMs)).toEqual({ retryAfterSeconds: seconds, retryAfterMs: null });
  });

  test.each([
    [[["retry-after-ms", "700"]], 1, 700],
    [[["retry-after-ms", "1500.2"]], 2, 1_501],
    [[["retry-after-ms", "0"]], 1, 0],
    [[["retry-after-ms", "999999999999"]], 86_400, 86_400_000],
    [[["retry-after-ms", "soon"]], null, null],
    [
      [
        ["retry-after", "2"],
        ["retry-after-ms", "1700"],
      ],
      2,
      1_700,
    ],
    [
      [
        ["retry-after", "soon"],
        ["retry-after-ms", "1700"],
      ],
      2,
      1_700,
    ],
  ] as const)("in milliseconds, %j", (headers, retryAfterSeconds, retryAfterMs) => {
    expect(readRetryAfter(headers as never, nowMs)).toEqual({ retryAfterSeconds, retryAfterMs });
  });

  test("as a date is counted from the date of the response, whatever the clocks here say", () => {
    const headers = [
      ["date", "Fri, 02 Jan 2026 05:00:00 GMT"],
      ["retry-after", "Fri, 02 Jan 2026 05:00:20 GMT"],
    ] as const;
    expect(readRetryAfter(headers as never, nowMs).retryAfterSeconds).toBe(20);
  });

  test("is null when missing", () => {
    expect(readRetryAfter([["content-type", "text/html"]], nowMs)).toEqual({
      retryAfterSeconds: null,
      retryAfterMs: null,
    });
  });
});

describe("a connection failure", () => {
  test.each([
    ["no_connection", "temporarily_unavailable", "free", "none"],
    ["unreachable", "upstream_unreachable", "free", "certain"],
    ["tls", "upstream_unreachable", "free", "certain"],
    ["connect_timeout", "upstream_unreachable", "free", "certain"],
    ["first_byte_timeout", "upstream_timeout", "paid_twice", "suspected"],
    ["idle_timeout", "upstream_timeout", "paid_twice", "suspected"],
    ["total_timeout", "upstream_timeout", "none", "suspected"],
    ["reset_before_head", "upstream_error", "paid_twice", "suspected"],
    ["reset_in_body", "stream_interrupted", "paid_twice", "suspected"],
    ["malformed", "upstream_error", "paid_twice", "suspected"],
    ["too_large", "upstream_error", "none", "suspected"],
    ["aborted", "client_closed_request", "none", "none"],
  ] as const)("%s is %s, and what another channel could do is %s", (kind: HttpClientErrorKind, ...what) => {
    const [code, retry, blame] = what;
    const failure = classifyClientError(new HttpClientError(kind, true, "why"));
    expect(failure).toMatchObject({ code, retry, blame, status: null });
  });

  test("before a byte of the request went out costs nobody anything", () => {
    expect(classifyClientError(new HttpClientError("reset_before_head", false, "why")).retry).toBe("free");
  });
});

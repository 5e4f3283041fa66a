import { describe, expect, test } from "bun:test";
import { addLimitHeaders, durationText } from "@sluice/control-plane/gateway/limit-headers.ts";
import type { LimitGauges } from "@sluice/control-plane/gateway/model.ts";

const gauges = {
  requests: { limit: 60, left: 59, fullInMs: 1_000 },
  tokens: { limit: 5_000, left: 0, fullInMs: 60_000 },
};
const headersOf = (limits: LimitGauges, call: ReturnType<typeof calledAt>, nowMs: number) => {
  const headers = {};
  addLimitHeaders(headers, limits, call, { now: () => nowMs });
  return headers;
};
const calledAt = (path: string) => ({ path, headers: new Headers({ authorization: "Bearer x" }) });

test.each([
  [0, "0s"],
  [6, "6ms"],
  [1_000, "1s"],
  [1_500, "1.5s"],
  [60_000, "1m0s"],
  [361_250, "6m1.25s"],
])("%d ms is written as %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

describe("the limits of a call", () => {
  test("are in the headers that OpenAI's clients read", () => {
    expect(headersOf(gauges, calledAt("/v1/chat/completions"), 0)).toEqual({
      "x-ratelimit-limit-requests": "60",
      "x-ratelimit-remaining-requests": "59",
      "x-ratelimit-reset-requests": "1s",
      "x-ratelimit-limit-tokens": "5000",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "1m0s",
    });
  });

  test("are in those of the Messages API, with a time in UTC", () => {
    const at = Date.UTC(2026, 10, 23, 12, 0, 0, 250);
    expect(headersOf(gauges, calledAt("/v1/messages"), at)).toEqual({
      "anthropic-ratelimit-requests-limit": "60",
      "anthropic-ratelimit-requests-remaining": "59",
      "anthropic-ratelimit-requests-reset": "2026-11-23T12:00:02Z",
      "anthropic-ratelimit-tokens-limit": "5000",
      "anthropic-ratelimit-tokens-remaining": "0",
      "anthropic-ratelimit-tokens-reset": "2026-11-23T12:01:01Z",
    });
  });

  test("are their own, whatever those of the calls before were", () => {
    for (const left of [0, 1_024, 0, 5, 1_029, 2_053, 5, 2_000_000_000, 4_294_967_301, 5]) {
      const limits = { requests: { limit: 1_029, left, fullInMs: 0 }, tokens: { limit: 5, left, fullInMs: 0 } };
      const headers = headersOf(limits, calledAt("/v1/chat/completions"), 0);
      expect(headers).toMatchObject({
        "x-ratelimit-limit-requests": "1029",
        "x-ratelimit-remaining-requests": String(left),
        "x-ratelimit-limit-tokens": "5",
        "x-ratelimit-remaining-tokens": String(left),
      });
    }
  });

  test("leave out what has no limit, and are nothing to clients of the Gemini API", () => {
    expect(headersOf({ requests: null, tokens: null }, calledAt("/v1/responses"), 0)).toEqual({});
    expect(headersOf(gauges, calledAt("/v1beta/models/m:generateContent"), 0)).toEqual({});
  });
});

import { describe, expect, test } from "bun:test";
import {
  attemptMsMax,
  attemptsMax,
  mayRetry,
  type RetryRule,
} from "@sluice/control-plane/gateway/dispatch/retry-policy.ts";

const rule: RetryRule = { attemptMs: 25_000, callMs: 55_000, isSentRetried: true };
const free = { retry: "free" } as const;
const paidTwice = { retry: "paid_twice" } as const;

describe("another channel is tried", () => {
  test("after the first and the second attempt, and not after the third", () => {
    const tried = [1, 2, 3, 4].map((attempts) => mayRetry(free, { attempts, elapsedMs: 0 }, rule));
    expect(tried).toEqual([true, true, false, false]);
    expect(attemptsMax).toBe(3);
  });

  test("while half the time of an attempt is left, and not later", () => {
    const tried = [0, 25_000, 42_500, 42_501, 1_000_000].map((elapsedMs) =>
      mayRetry(free, { attempts: 1, elapsedMs }, rule),
    );
    expect(tried).toEqual([true, true, true, false, false]);
  });

  test("not when no other channel would do better", () => {
    expect(mayRetry({ retry: "none" }, { attempts: 1, elapsedMs: 0 }, rule)).toBe(false);
  });

  test("after a provider may have worked on the request, unless the operator does not want to pay twice", () => {
    const isTried = (failure: typeof free | typeof paidTwice, isSentRetried: boolean) =>
      mayRetry(failure, { attempts: 1, elapsedMs: 0 }, { ...rule, isSentRetried });
    expect([isTried(paidTwice, true), isTried(paidTwice, false), isTried(free, false)]).toEqual([true, false, true]);
  });
});

describe("an attempt may be silent", () => {
  test("for its share while there is another channel, else for all the remaining time", () => {
    expect(attemptMsMax({ attempts: 0, elapsedMs: 0 }, true, rule)).toBe(25_000);
    expect(attemptMsMax({ attempts: 0, elapsedMs: 0 }, false, rule)).toBe(55_000);
    expect(attemptMsMax({ attempts: 1, elapsedMs: 5_000 }, true, rule)).toBe(25_000);
  });

  test("for all the remaining time when no attempt could follow, by number, by time or by the operator's choice", () => {
    expect(attemptMsMax({ attempts: 2, elapsedMs: 0 }, true, rule)).toBe(55_000);
    expect(attemptMsMax({ attempts: 1, elapsedMs: 25_000 }, true, rule)).toBe(30_000);
    expect(attemptMsMax({ attempts: 0, elapsedMs: 0 }, true, { ...rule, isSentRetried: false })).toBe(55_000);
  });

  test("so that all of them together stay within the time of the call", () => {
    for (const channels of [1, 2, 3, 10]) {
      let elapsedMs = 0;
      for (let attempts = 0; attempts < channels; attempts += 1) {
        elapsedMs += attemptMsMax({ attempts, elapsedMs }, attempts + 1 < channels, rule);
        if (!mayRetry(paidTwice, { attempts: attempts + 1, elapsedMs }, rule)) {
          break;
        }
      }
      expect(elapsedMs).toBe(55_000);
    }
  });
});

import { describe, expect, test } from "bun:test";
import { boundSilence, patienceFor } from "@sluice/control-plane/gateway/dispatch/bound-silence.ts";
import { mayRetry } from "@sluice/control-plane/gateway/dispatch/retry-policy.ts";
import type { RequestBounds } from "@sluice/control-plane/gateway/model.ts";
import { loadConfig } from "@sluice/control-plane/platform/config.ts";
import { operationOf } from "../../../support/calls/operations.ts";

describe("patience with a call", () => {
  const config = loadConfig({ DATABASE_URL: "postgres://user@127.0.0.1/any" });
  const limits = {
    firstTokenTimeoutMs: config.UPSTREAM_FIRST_TOKEN_TIMEOUT_MS,
    firstByteTimeoutMs: config.UPSTREAM_FIRST_BYTE_TIMEOUT_MS,
  };
  const rest = {
    connectTimeoutMs: 5_000,
    idleTimeoutMs: config.UPSTREAM_IDLE_TIMEOUT_MS,
    totalTimeoutMs: config.UPSTREAM_TOTAL_TIMEOUT_MS,
    responseBytesMax: config.UPSTREAM_RESPONSE_BYTES_MAX,
    afterAbort: { timeoutMs: 0, bytesMax: 0 },
  };
  const model = { outputTokensMax: 16_384 };
  const bounds: RequestBounds = {
    inputTokensMax: 100,
    isOneContext: true,
    inputImages: 0,
    inputPages: 0,
    fileLetters: 0,
    outputTokensMax: null,
    choices: 1,
    outputImages: 0,
    audioMs: 0,
    characters: 0,
  };
  const of = (isStream: boolean, more: Partial<RequestBounds> = {}, inputBytes = 100) =>
    patienceFor({ isStream, inputBytes, bounds: { ...bounds, ...more } }, model, limits);

  test("is within a minute for a stream of a short prompt, and for a short response that comes whole, by default", () => {
    expect(config.UPSTREAM_IDLE_TIMEOUT_MS).toBeLessThan(60_000);
    expect(of(true).attemptMs).toBeWithin(24_000, 25_000);
    for (const patience of [of(true), of(false, { outputTokensMax: 100 })]) {
      expect(patience.callMs).toBeLessThan(60_000);
      expect(patience.attemptMs).toBeLessThan(patience.callMs / 2);
    }
  });

  test("grows with what a whole response may contain, up to the limit of all responses", () => {
    expect(of(false, { outputTokensMax: 4_000 }).attemptMs).toBeGreaterThan(160_000);
    expect(of(false)).toEqual({ attemptMs: 270_000, callMs: 600_000 });
    expect(of(false, { outputTokensMax: 0, outputImages: 2 }).attemptMs).toBeGreaterThan(120_000);
  });

  test("grows with a prompt that has to be read, for streams too", () => {
    expect(of(true, {}, 800_000).attemptMs).toBeGreaterThan(100_000);
  });

  test("leaves time for another channel, however long a response may take", () => {
    for (const outputTokensMax of [0, 100, 10_000, 16_384]) {
      for (const inputBytes of [100, 1_000_000, 30_000_000]) {
        const { attemptMs, callMs } = of(false, { outputTokensMax }, inputBytes);
        expect(mayRetry({ retry: "paid_twice" }, { attempts: 1, elapsedMs: attemptMs }, rule(attemptMs, callMs))).toBe(
          true,
        );
      }
    }
  });

  const rule = (attemptMs: number, callMs: number) => ({ attemptMs, callMs, isSentRetried: true });

  test("in the middle of a response that comes whole is not longer than at its beginning", () => {
    const silence = (isStream: boolean, silenceMsMax: number, idleTimeoutMs: number | null = null) =>
      boundSilence(
        { isStream, request: { isStream, inputBytes: 100, bounds }, model, readOn: null },
        operationOf("chat"),
        { firstByteTimeoutMs: null, idleTimeoutMs },
        { silenceMsMax, upstreamLimits: { ...limits, ...rest } },
      ).idleTimeoutMs;
    expect(silence(false, 24_000)).toBe(24_000);
    expect(silence(false, 270_000)).toBe(45_000);
    expect(silence(true, 24_000)).toBe(45_000);
    expect(silence(false, 24_000, 40_000)).toBe(40_000);
  });
});

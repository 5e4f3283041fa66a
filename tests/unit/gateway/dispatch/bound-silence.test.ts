import { describe, expect, test } from "bun:test";
import { patienceFor } from "@sluice/control-plane/gateway/dispatch/bound-silence.ts";
import type { RequestBounds } from "@sluice/control-plane/gateway/model.ts";
import { loadConfig } from "@sluice/control-plane/platform/config.ts";

describe("the patience with a call", () => {
  const config = loadConfig({ DATABASE_URL: "postgres://user@127.0.0.1/any" });
  const limits = {
    firstTokenTimeoutMs: config.UPSTREAM_FIRST_TOKEN_TIMEOUT_MS,
    firstByteTimeoutMs: config.UPSTREAM_FIRST_BYTE_TIMEOUT_MS,
  };
  const model = { outputTokensMax: 16_384 };
  const bounds: RequestBounds = {
    inputTokensMax: 100,
    isOneContext: true,
    inputImages: 0,
    outputTokensMax: null,
    choices: 1,
    outputImages: 0,
    audioMs: 0n,
    characters: 0,
  };
  const of = (isStream: boolean, more: Partial<RequestBounds> = {}, inputBytes = 100) =>
    patienceFor({ isStream, inputBytes, bounds: { ...bounds, ...more } }, model, limits);

  test("is within a minute for a stream of a short prompt, and for a short answer that comes whole, by default", () => {
    expect(config.UPSTREAM_IDLE_TIMEOUT_MS).toBeLessThan(60_000);
    expect(of(true).attemptMs).toBeWithin(24_000, 25_000);
    for (const patience of [of(true), of(false, { outputTokensMax: 100 })]) {
      expect(patience.callMs).toBeLessThan(60_000);
      expect(patience.attemptMs).toBeLessThan(patience.callMs / 2);
    }
  });

  test("grows with what a whole answer may hold, up to the limit of all answers", () => {
    expect(of(false, { outputTokensMax: 4_000 }).attemptMs).toBeGreaterThan(160_000);
    expect(of(false)).toEqual({ attemptMs: 600_000, callMs: 600_000 });
    expect(of(false, { outputTokensMax: 0, outputImages: 2 }).attemptMs).toBeGreaterThan(120_000);
  });

  test("grows with a prompt that has to be read, for streams too", () => {
    expect(of(true, {}, 800_000).attemptMs).toBeGreaterThan(100_000);
  });
});

import { describe, expect, test } from "bun:test";
import type { ApiKeyId } from "@sluice/contracts/ids";
import { KeyLimits } from "@sluice/control-plane/gateway/keys/key-limits.ts";
import type { Principal } from "@sluice/control-plane/gateway/model.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";

const clock = { now: () => 0, tick: () => 1_000 };

const principal = (apiKeyId: bigint, limits: Partial<Principal> = {}): Principal =>
  ({
    apiKeyId,
    limitKeyId: apiKeyId,
    requestsPerMinute: null,
    tokensPerMinute: null,
    concurrencyMax: null,
    ...limits,
  }) as Principal;

const isLetIn = (limits: KeyLimits, of: Principal): boolean => {
  try {
    limits.begin(of);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    return false;
  }
};

describe("keys that followed each other by rotation", () => {
  const limitKeyId = 1n as ApiKeyId;

  test("share one number of requests a minute", () => {
    const limits = new KeyLimits(clock);
    const [first, second] = [1n, 2n].map((id) => principal(id, { limitKeyId, requestsPerMinute: 3 }));
    const seen = [first, second, second, first, second].map((each) => isLetIn(limits, each as Principal));
    expect(seen).toEqual([true, true, true, false, false]);
  });

  test("share one number of calls at a time", () => {
    const limits = new KeyLimits(clock);
    const first = principal(1n, { limitKeyId, concurrencyMax: 1 });
    const second = principal(2n, { limitKeyId, concurrencyMax: 1 });
    expect([isLetIn(limits, first), isLetIn(limits, second)]).toEqual([true, false]);
    limits.end(first, 0n);
    expect(isLetIn(limits, second)).toBe(true);
  });
});

test("keys of which a call was let in are told once", () => {
  const limits = new KeyLimits(clock);
  const refused = principal(3n, { requestsPerMinute: 1 });
  for (const each of [principal(1n), principal(1n), principal(2n), refused]) {
    limits.begin(each);
  }
  expect(limits.takeUsed()).toEqual([1n, 2n, 3n] as ApiKeyId[]);
  expect(isLetIn(limits, refused)).toBe(false);
  expect(limits.takeUsed()).toEqual([]);
});

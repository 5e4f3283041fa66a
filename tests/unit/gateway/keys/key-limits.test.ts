import { describe, expect, test } from "bun:test";
import type { ApiKeyId, GatewayUserId } from "@sluice/contracts/ids";
import { KeyLimits } from "@sluice/control-plane/gateway/keys/key-limits.ts";
import type { Principal } from "@sluice/control-plane/gateway/model.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { defaultCallSettings } from "../../../support/calls/call-settings.ts";

const clock = { now: () => 0, tick: () => 1_000 };

const principal = (apiKeyId: bigint, limits: Partial<Principal> = {}): Principal =>
  ({
    apiKeyId,
    limitKeyId: apiKeyId,
    ...defaultCallSettings,
    groupLimits: null,
    accountLimits: null,
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

describe("keys rotated from one another", () => {
  const limitKeyId = 1n as ApiKeyId;

  test("share one number of requests a minute", () => {
    const limits = new KeyLimits(clock, null);
    const [first, second] = [1n, 2n].map((id) => principal(id, { limitKeyId, requestsPerMinute: 3 }));
    const seen = [first, second, second, first, second].map((each) => isLetIn(limits, each as Principal));
    expect(seen).toEqual([true, true, true, false, false]);
  });

  test("share one number of calls at a time", () => {
    const limits = new KeyLimits(clock, null);
    const first = principal(1n, { limitKeyId, concurrencyMax: 1 });
    const second = principal(2n, { limitKeyId, concurrencyMax: 1 });
    expect([isLetIn(limits, first), isLetIn(limits, second)]).toEqual([true, false]);
    limits.end(first, 0n);
    expect(isLetIn(limits, second)).toBe(true);
  });
});

test("a call that began under other limits returns nothing to the new ones at its end", () => {
  const limits = new KeyLimits(clock, null);
  const before = principal(1n, { requestsPerMinute: 9, tokensPerMinute: 9 });
  const after = principal(1n, { requestsPerMinute: 2, tokensPerMinute: 9 });
  limits.begin(before);
  limits.begin(before);
  expect([isLetIn(limits, after), isLetIn(limits, after)]).toEqual([true, true]);
  limits.use(before, 0n);
  limits.end(before, 0n);
  expect(isLetIn(limits, after)).toBe(false);
});

test("further responses of a running call are requests, and those that can't be refused count", () => {
  const limits = new KeyLimits(clock, null);
  const one = principal(1n, { requestsPerMinute: 3 });
  limits.begin(one);
  limits.beginResponse(one);
  limits.noteResponse(one);
  expect(() => limits.beginResponse(one)).toThrow(AppError);
  expect(isLetIn(limits, one)).toBe(false);
});

test("keys with an admitted call are reported once", () => {
  const limits = new KeyLimits(clock, null);
  const refused = principal(3n, { requestsPerMinute: 1 });
  for (const each of [principal(1n), principal(1n), principal(2n), refused]) {
    limits.begin(each);
  }
  expect(limits.takeUsed()).toEqual([1n, 2n, 3n] as ApiKeyId[]);
  expect(isLetIn(limits, refused)).toBe(false);
  expect(limits.takeUsed()).toEqual([]);
});

describe("abandoned calls", () => {
  const ticking = (unpaidPerHour: number | null) => {
    let tick = 0;
    const limits = new KeyLimits({ now: () => 0, tick: () => tick }, unpaidPerHour);
    const leave = (of: Principal) => {
      limits.begin(of);
      limits.noteUnpaid(of);
      limits.end(of, 0n);
    };
    return {
      limits,
      leave,
      pass: (ms: number) => {
        tick += ms;
        limits.forgetIdle();
      },
    };
  };

  test("are limited per hour for all keys of a user, even those created meanwhile", () => {
    const { limits, leave } = ticking(10);
    for (let key = 1n; key <= 10n; key += 1n) {
      leave(principal(key, { gatewayUserId: 7n as GatewayUserId }));
    }
    expect(isLetIn(limits, principal(11n, { gatewayUserId: 7n as GatewayUserId }))).toBe(false);
    expect(isLetIn(limits, principal(12n, { gatewayUserId: 8n as GatewayUserId }))).toBe(true);
  });

  test("are refused with how long to wait", () => {
    const { limits, leave, pass } = ticking(60);
    for (let count = 0; count < 60; count += 1) {
      leave(principal(1n));
    }
    try {
      limits.begin(principal(1n));
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: "rate_limit_exceeded", retryAfterSeconds: 60 });
    }
    pass(59_000);
    expect(isLetIn(limits, principal(1n))).toBe(false);
    pass(1_000);
    expect(isLetIn(limits, principal(1n))).toBe(true);
  });

  test("are remembered for as long as they count, however quiet the key is meanwhile", () => {
    const { limits, leave, pass } = ticking(10);
    for (let round = 0; round < 10; round += 1) {
      leave(principal(1n));
    }
    pass(200_000);
    expect(isLetIn(limits, principal(1n))).toBe(false);
    pass(3_400_000);
    expect(isLetIn(limits, principal(1n))).toBe(true);
  });

  test("are shared by the replicas, and unlimited without a limit", () => {
    const shared = ticking(10);
    shared.limits.shares.setReplicas(5);
    shared.leave(principal(1n));
    shared.leave(principal(1n));
    expect(isLetIn(shared.limits, principal(1n))).toBe(false);
    const free = ticking(null);
    for (let count = 0; count < 1_000; count += 1) {
      free.leave(principal(1n));
    }
  });
});

test("what a call used beyond the tokens of a minute blocks the next ones until it is made up for", () => {
  let tick = 0;
  const limits = new KeyLimits({ now: () => 0, tick: () => tick }, null);
  const key = principal(1n, { tokensPerMinute: 60 });
  expect(isLetIn(limits, key)).toBe(true);
  limits.end(key, 90n);
  expect(isLetIn(limits, key)).toBe(false);
  tick += 30_000;
  expect(isLetIn(limits, key)).toBe(false);
  tick += 1_000;
  expect(isLetIn(limits, key)).toBe(true);
});

describe("the limits that an operator sets for an account", () => {
  const gatewayUserId = 5n as GatewayUserId;
  const free = { requestsPerMinute: null, tokensPerMinute: null, concurrencyMax: null };
  const of = (apiKeyId: bigint, more: Partial<Principal>): Principal =>
    principal(apiKeyId, { gatewayUserId, groupName: "default", ...more });
  const refusalOf = (limits: KeyLimits, by: Principal): string => {
    try {
      limits.begin(by);
      return "";
    } catch (error) {
      return (error as AppError).message;
    }
  };

  test("count all its keys together, and the strictest limit refuses", () => {
    const limits = new KeyLimits(clock, null);
    const accountLimits = { ...free, requestsPerMinute: 3 };
    const [one, other] = [of(1n, { accountLimits }), of(2n, { accountLimits, requestsPerMinute: 1 })];
    expect([one, other, other, one].map((each) => isLetIn(limits, each))).toEqual([true, true, false, true]);
    expect(refusalOf(limits, other)).toBe("This API key is limited to 1 requests per minute.");
    expect(refusalOf(limits, one)).toBe("Your account is limited to 3 requests per minute.");
  });

  test("count each group of an account by itself where they are the group's", () => {
    const limits = new KeyLimits(clock, null);
    const groupLimits = { ...free, requestsPerMinute: 1 };
    const inDefault = of(1n, { groupLimits });
    const inBatch = of(1n, { groupLimits, groupName: "batch" });
    const stranger = of(2n, { groupLimits, gatewayUserId: 6n as GatewayUserId });
    expect([inDefault, inDefault, inBatch, stranger].map((each) => isLetIn(limits, each))).toEqual([
      ...[true, false, true, true],
    ]);
    expect(refusalOf(limits, inBatch)).toBe("Your account in the group 'batch' is limited to 1 requests per minute.");
  });

  test("bound concurrent calls and tokens, which a call gives back and uses at its end", () => {
    const limits = new KeyLimits(clock, null);
    const busy = of(1n, { accountLimits: { ...free, concurrencyMax: 1 } });
    expect([isLetIn(limits, busy), isLetIn(limits, busy)]).toEqual([true, false]);
    limits.end(busy, 0n);
    expect(isLetIn(limits, busy)).toBeTrue();
    const reader = of(1n, { groupLimits: { ...free, tokensPerMinute: 100 } });
    expect(isLetIn(limits, reader)).toBeTrue();
    limits.end(reader, 100n);
    expect(refusalOf(limits, of(9n, { groupLimits: { ...free, tokensPerMinute: 100 } }))).toContain("100 tokens");
  });

  test("a refused call counts nowhere", () => {
    const limits = new KeyLimits(clock, null);
    const both = { groupLimits: { ...free, requestsPerMinute: 2 }, accountLimits: { ...free, requestsPerMinute: 1 } };
    expect([of(1n, both), of(1n, both)].map((each) => isLetIn(limits, each))).toEqual([true, false]);
    const grouped = of(1n, { groupLimits: both.groupLimits });
    expect([isLetIn(limits, grouped), isLetIn(limits, grouped)]).toEqual([true, false]);
  });

  test("asks for a pause of a minute at most, because some clients ignore a longer one", () => {
    const limits = new KeyLimits(clock, null);
    const reader = of(1n, { accountLimits: { ...free, tokensPerMinute: 1 } });
    limits.begin(reader);
    limits.end(reader, 1_000_000n);
    expect(() => limits.begin(reader)).toThrow(expect.objectContaining({ retryAfterSeconds: 60 }));
  });
});

describe("what responses say of limits", () => {
  const groupLimits = { requestsPerMinute: 9, tokensPerMinute: null, concurrencyMax: null };
  const accountLimits = { requestsPerMinute: 60, tokensPerMinute: 1_000, concurrencyMax: null };

  test("is nothing for a key and an account without any", () => {
    const limits = new KeyLimits(clock, null);
    limits.begin(principal(1n));
    expect(limits.gauges(principal(1n))).toBeNull();
  });

  test("is the one with the least left, and when all of it will be back", () => {
    const limits = new KeyLimits(clock, null);
    const gatewayUserId = 7n as GatewayUserId;
    const first = principal(1n, { gatewayUserId, groupName: "g", requestsPerMinute: 6, groupLimits, accountLimits });
    const second = principal(2n, { gatewayUserId, groupName: "g", groupLimits, accountLimits });
    limits.begin(first);
    limits.end(first, 400n);
    expect(limits.gauges(first)).toEqual({
      requests: { limit: 6, left: 5, fullInMs: 10_000 },
      tokens: { limit: 1_000, left: 600, fullInMs: 24_000 },
    });
    expect(limits.gauges(second)?.requests).toEqual({ limit: 9, left: 8, fullInMs: 6_667 });
  });

  test("is never that of another key", () => {
    const limits = new KeyLimits(clock, null);
    const first = principal(1n, { requestsPerMinute: 6, tokensPerMinute: 100 });
    const second = principal(2n, { requestsPerMinute: 9 });
    limits.begin(first);
    limits.begin(second);
    expect(limits.gauges(first)?.tokens).toEqual({ limit: 100, left: 100, fullInMs: 0 });
    expect(limits.gauges(second)).toEqual({ requests: { limit: 9, left: 8, fullInMs: 6_667 }, tokens: null });
  });

  test("counts the shares of all replicas, and never less than nothing", () => {
    const limits = new KeyLimits(clock, null);
    limits.shares.setReplicas(2);
    const key = principal(1n, { requestsPerMinute: 60, tokensPerMinute: 100 });
    limits.begin(key);
    limits.end(key, 500n);
    expect(limits.gauges(key)).toMatchObject({ requests: { limit: 60, left: 58 }, tokens: { limit: 100, left: 0 } });
  });
});

import { describe, expect, test } from "bun:test";
import {
  afterHealth,
  afterHostCheck,
  afterSwitch,
  type DnsResult,
  type HealthFailure,
  type HealthResult,
  isSecretOf,
  maySwitch,
  type NodeHealth,
  relayKeySecretOf,
  slotsOf,
  unknownHealth,
} from "@sluice/control-plane/exit-nodes/model.ts";

const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1000);

function result(failure: HealthFailure | null, seconds = 0): HealthResult {
  const ok = failure === null;
  return { url: "https://a.b", httpStatus: 200, ok, latencyMs: 1, failure, report: null, checkedAt: at(seconds) };
}

function dns(matched: boolean, failure: DnsResult["failure"] = null): DnsResult {
  return { resolved: [], matched, failure, checkedAt: at(0) };
}

const run = (failures: readonly (HealthFailure | null)[], from: NodeHealth = unknownHealth): NodeHealth =>
  failures.reduce((health, failure) => afterHealth(health, result(failure)), from);

describe("a node serves", () => {
  test("with its first proof", () => {
    expect(run([null])).toMatchObject({ isServing: true, provenAt: at(0) });
  });

  test("not before it, however many checks there are", () => {
    expect(run(["unreachable", "http_status", "not_ok"])).toMatchObject({ isServing: false, provenAt: null });
  });

  test("through two failed checks, and not through three", () => {
    expect(run([null, "timeout", "timeout"]).isServing).toBe(true);
    expect(run([null, "timeout", "timeout", "timeout"])).toMatchObject({ isServing: false, provenAt: at(0) });
  });

  test("again after two good checks, and not after one", () => {
    const down = run([null, "timeout", "timeout", "timeout"]);
    expect(run([null], down).isServing).toBe(false);
    expect(run([null, null], down).isServing).toBe(true);
    expect(run([null, "timeout", null], down).isServing).toBe(false);
  });

  test.each(["not_proven", "wrong_node"] as const)("no longer at once when the response is %s", (failure) => {
    expect(run([null, null, failure])).toMatchObject({ isServing: false, provenAt: null });
  });
});

describe("the count towards the switch", () => {
  const good = { dns: dns(true), health: result(null, 100) };
  const counted = { ...unknownHealth, switchStreak: 2, switchStreakAt: at(95) };

  test("grows with a successful check that comes long enough after the previous one", () => {
    expect(afterHostCheck(counted, good, 5_000)).toMatchObject({ switchStreak: 3, switchStreakAt: at(100) });
  });

  test("stays with one that comes too soon", () => {
    expect(afterHostCheck(counted, good, 5_001)).toBe(counted);
  });

  test("starts over with a name that resolves elsewhere, whatever the node says", () => {
    expect(afterHostCheck(counted, { ...good, dns: dns(false) }, 0).switchStreak).toBe(0);
  });

  test("starts over with a failed check", () => {
    expect(afterHostCheck(counted, { ...good, health: result("not_ok") }, 0).switchStreak).toBe(0);
    expect(afterHostCheck(counted, { ...good, health: null }, 0).switchStreak).toBe(0);
  });

  test("stays when the resolver does not respond", () => {
    expect(afterHostCheck(counted, { dns: dns(false, "timeout"), health: null }, 0)).toBe(counted);
  });
});

describe("the switch", () => {
  const policy = { successes: 3, spacingMs: 0, pauseMs: 60_000 };

  test("waits for the given number of healthy responses", () => {
    expect(maySwitch({ ...unknownHealth, switchStreak: 2 }, policy, at(0))).toBe(false);
    expect(maySwitch({ ...unknownHealth, switchStreak: 3 }, policy, at(0))).toBe(true);
  });

  test("waits for a while after the previous one", () => {
    const health = { ...unknownHealth, switchStreak: 3, switchedAt: at(0) };
    expect(maySwitch(health, policy, at(59))).toBe(false);
    expect(maySwitch(health, policy, at(60))).toBe(true);
  });

  test("leaves a node that is proven, serves, and counts from zero", () => {
    expect(afterSwitch({ ...unknownHealth, switchStreak: 3 }, at(7))).toMatchObject({
      provenAt: at(7),
      isServing: true,
      switchStreak: 0,
      switchedAt: at(7),
    });
  });
});

describe("the name of a node's secret", () => {
  test("differs for each code", () => {
    const codes = ["a-b", "a_b", "ab", "a-b-c", "a-b_c", "a_b-c", "a_b_c"];
    expect(new Set(codes.map(relayKeySecretOf)).size).toBe(codes.length);
  });

  test.each([
    ["exit_node.a__b.relay_key", true],
    ["exit_node.a__b.relay_key.next", true],
    ["exit_node.a_b.relay_key", false],
    ["exit_nodeXa__bXrelay_key", false],
    ["cardpay.secret_key", false],
    ["exit_node.a__b.relay_key.", false],
  ])("%s belongs to node a-b: %p", (name, expected) => {
    expect(isSecretOf("a-b", name)).toBe(expected);
  });
});

test("a node has one slot for a key, and three that wait for refresh tokens", () => {
  const slots = slotsOf("n1").map(({ provider, authType, status }) => `${provider} ${authType} ${status}`);
  expect(slots).toEqual([
    "openai api_key testing",
    "openai oauth_refresh_token standby",
    "google oauth_refresh_token standby",
    "github oauth_refresh_token standby",
  ]);
});

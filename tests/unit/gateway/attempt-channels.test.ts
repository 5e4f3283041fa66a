import { beforeEach, describe, expect, test } from "bun:test";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { type AttemptDeps, attemptChannels, ChannelAttempts } from "@sluice/control-plane/gateway/attempt-channels.ts";
import { Affinities } from "@sluice/control-plane/gateway/channels/affinities.ts";
import { ChannelLoads } from "@sluice/control-plane/gateway/channels/channel-load.ts";
import type { AttemptFailure, CallState, FailedAttempt, Principal } from "@sluice/control-plane/gateway/model.ts";
import { classifyStatus, failedBy } from "@sluice/control-plane/gateway/respond/classify-status.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import type { Attempt } from "@sluice/control-plane/usage/log/model.ts";
import { HttpClientError } from "@sluice/http-client/model";
import { abilityOf, channelOf, credentialOf } from "../../support/calls/channel-fixtures.ts";

const customer = 1n as GatewayUserId;
const rule = { attemptMs: 1_000, callMs: 10_000, isSentRetried: true };
const abilities = [1, 2, 3, 4].map((id) => abilityOf(channelOf(id), { priority: id }));
const [first, second] = abilities.map(({ channel }) => channel) as [
  ReturnType<typeof channelOf>,
  ReturnType<typeof channelOf>,
];
let tick: number;
let loads: ChannelLoads;
let leaving: AbortController;
let marks: string[];
let affinities: Affinities;
let random: number;

beforeEach(() => {
  tick = 0;
  loads = new ChannelLoads(
    { now: () => tick, tick: () => tick },
    {
      onRefused: (id, reason) => marks.push(`${id} ${reason}`),
      onAccepted: (id) => marks.push(`${id} accepted`),
    },
  );
  marks = [];
  affinities = new Affinities();
  random = 0;
  leaving = new AbortController();
});

const failedWith = (status: number): FailedAttempt => ({
  failure: classifyStatus(status, []) as AttemptFailure,
  upstreamError: null,
  note: null,
});

function callOf() {
  const call = { requestId: "r", startedTick: 0, signal: leaving.signal };
  const principal = { gatewayUserId: customer } as Principal;
  const attempts: readonly Attempt[] = [];
  const state = { call, attempts, askedModel: null, principal } as unknown as CallState & { principal: Principal };
  const deps = {
    ...{ loads, affinities, random: () => random, log: createLog("error", () => undefined) },
    ...{ clock: { now: () => tick, tick: () => tick }, observer: { onAttempt: () => undefined } },
  } as unknown as AttemptDeps;
  return { state, deps };
}

/** The channels that were tried, and the outcome. */
async function run(
  answer: (turn: number) => FailedAttempt | { readonly text: string },
  choice = abilities,
  conversation: string | null = null,
) {
  const tried: string[] = [];
  const keys: (string | undefined)[] = [];
  const { state, deps } = callOf();
  const outcome = await attemptChannels(
    deps,
    state,
    { abilities: choice, rule, dialect: "chat", conversation },
    {
      try: (attempt) => {
        const { use } = attempt;
        tried.push(use.channel.name);
        keys.push(use.credential?.label);
        attempt.resolve(answer(tried.length));
      },
    },
  ).catch((error: unknown) => (error instanceof AppError ? error.code : "thrown"));
  return { tried, keys, outcome, results: state.attempts.map(({ result }) => result) };
}

test("an exception ends the call, but not before its first attempt has begun, and frees the channel", async () => {
  const capped = channelOf(90, { concurrencyMax: 1 });
  const { state, deps } = callOf();
  const ended = Promise.withResolvers<unknown>();
  let isOver = false;
  const trial = {
    try: () => {
      throw new RangeError("odd");
    },
  };
  const ending = {
    resolve: ended.resolve,
    reject: (thrown: unknown) => {
      isOver = true;
      ended.reject(thrown);
    },
  };
  const choice = { abilities: [abilityOf(capped)], rule, dialect: "chat", conversation: null } as const;
  new ChannelAttempts<{ text: string }>(deps, state, trial, ending).begin(choice);
  expect(isOver).toBe(false);
  expect(loads.isOpen(capped, customer)).toBe(false);
  await expect(ended.promise).rejects.toThrow("odd");
  expect(loads.isOpen(capped, customer)).toBe(true);
});

describe("a conversation", () => {
  const keys = [credentialOf(81), credentialOf(82)];
  const near = [70, 71].map((id) => abilityOf(channelOf(id, { credentials: id === 70 ? keys : [] })));
  const far = abilityOf(channelOf(72), { priority: 1 });
  const say = (choice = [...near, far], failing = 0) =>
    run((turn) => (turn <= failing ? failedWith(500) : { text: "hi" }), choice, "one");

  test("stays at the channel and the credential that answered it", async () => {
    random = 0.3;
    expect(await say()).toMatchObject({ tried: ["channel 70"], keys: ["key 81"] });
    random = 0.9;
    expect(await say()).toMatchObject({ tried: ["channel 70"], keys: ["key 81"] });
    expect((await run(() => ({ text: "hi" }), [...near, far], "another")).tried).toEqual(["channel 71"]);
    expect((await run(() => ({ text: "hi" }), [...near, far])).tried).toEqual(["channel 71"]);
  });

  test("moves with the first failure, and then stays where it went", async () => {
    random = 0;
    await say();
    expect((await say([...near, far], 1)).tried).toEqual(["channel 70", "channel 71"]);
    expect((await say()).tried).toEqual(["channel 71"]);
  });

  test("goes back to a channel of a higher priority once that is open", async () => {
    random = 0;
    expect((await say([far])).tried).toEqual(["channel 72"]);
    expect((await say()).tried).toEqual(["channel 70"]);
  });
});

describe("a channel with several credentials", () => {
  const credentials = [credentialOf(1), credentialOf(2), credentialOf(3)];
  const shared = channelOf(60, { credentials });
  const choice = [abilityOf(shared), abilityOf(channelOf(61), { priority: 1 })];

  test("is tried with another one after a limit, and rests only for the first", async () => {
    const { tried, keys, outcome } = await run((turn) => (turn === 2 ? { text: "hi" } : failedWith(429)), choice);
    expect({ tried, keys, outcome }).toEqual({
      tried: ["channel 60", "channel 60"],
      keys: ["key 1", "key 2"],
      outcome: { text: "hi" },
    });
    expect(loads.isOpen(shared, customer)).toBe(true);
    expect(loads.chooseCredential(shared, customer, { tried: new Set(), preferred: null }, () => 0)?.label).toBe(
      "key 2",
    );
  });

  test("is not tried with another one after a failure of its own", async () => {
    const { tried } = await run((turn) => (turn === 2 ? { text: "hi" } : failedWith(500)), choice);
    expect(tried).toEqual(["channel 60", "channel 61"]);
  });

  test("leaves out one that is refused, which rests, is marked once, and is tested by a single call", async () => {
    const broke = channelOf(62, { credentials: [credentialOf(4)] });
    const paying = [abilityOf(broke)];
    expect((await run(() => failedWith(402), paying)).keys).toEqual(["key 4"]);
    expect(marks).toEqual(["4 credential_refused"]);
    expect(loads.isOpen(broke, customer)).toBe(false);
    tick += 15_000;
    const probe = loads.begin(broke, customer);
    expect(loads.isOpen(broke, customer)).toBe(false);
    loads.answered(probe);
    loads.end(probe, "none");
    expect(loads.isOpen(broke, customer)).toBe(true);
    expect(marks).toEqual(["4 credential_refused", "4 accepted"]);
  });

  test("rests longer each time that the test fails, and is open at once with a new secret", async () => {
    const broke = channelOf(63, { credentials: [credentialOf(5)] });
    await run(() => failedWith(402), [abilityOf(broke)]);
    tick += 15_000;
    await run(() => failedWith(402), [abilityOf(broke)]);
    tick += 15_000;
    expect(loads.isOpen(broke, customer)).toBe(false);
    tick += 15_000;
    expect(loads.isOpen(broke, customer)).toBe(true);
    await run(() => failedWith(402), [abilityOf(broke)]);
    const renewed = channelOf(63, { credentials: [credentialOf(5, { secret: "new" })] });
    expect(loads.isOpen(renewed, customer)).toBe(true);
  });

  test("divides its calls by weight, and keeps to the limits of each", async () => {
    const divided = channelOf(64, {
      credentials: [credentialOf(6, { weight: 3 }), credentialOf(7, { concurrencyMax: 1 })],
    });
    const choose = (picked: number) =>
      loads.chooseCredential(divided, customer, { tried: new Set(), preferred: null }, () => picked)?.label;
    expect([choose(0), choose(0.74), choose(0.76)]).toEqual(["key 6", "key 6", "key 7"]);
    loads.begin(divided, customer, divided.credentials[1] ?? null);
    expect(choose(0.76)).toBe("key 6");
  });
});

/** As for a request that can't be converted for the channel. */
const unasked: FailedAttempt = {
  ...failedWith(400),
  failure: { ...(classifyStatus(400, []) as AttemptFailure), status: null, retry: "free", blame: "unasked" },
};

describe("a request that no channel was asked for", () => {
  test("uses up nothing of a limit of requests", async () => {
    const credentials = [credentialOf(91, { requestsPerMinute: 1 })];
    for (const capped of [channelOf(9, { requestsPerMinute: 1 }), channelOf(10, { credentials })]) {
      await run(() => unasked, [abilityOf(capped)]);
      expect(loads.isOpen(capped, customer)).toBe(true);
    }
  });

  test("does not close a circuit that is open", async () => {
    for (let turn = 0; turn < 30; turn += 1) {
      loads.end(loads.begin(first, customer), "certain");
    }
    tick += 6_000;
    await run(() => unasked, [abilityOf(first)]);
    const probe = loads.begin(first, customer);
    expect(probe.isProbe).toBe(true);
  });
});

describe("a call", () => {
  test("moves on to the next channel until one responds", async () => {
    const { tried, outcome, results } = await run((turn) => (turn === 2 ? { text: "hi" } : failedWith(500)));
    expect(tried).toEqual(["channel 1", "channel 2"]);
    expect(outcome).toEqual({ text: "hi" });
    expect(results).toEqual(["status_500"]);
  });

  test("is tried at three channels at most, and at each of them once", async () => {
    const { tried, outcome } = await run(() => failedWith(500));
    expect(tried).toEqual(["channel 1", "channel 2", "channel 3"]);
    expect(outcome).toBe("upstream_error");
  });

  test("is tried again at the only channel, once, after a failure that may pass", async () => {
    const only = [abilityOf(channelOf(20))];
    const passed = await run((turn) => (turn === 2 ? { text: "hi" } : failedWith(500)), only);
    expect(passed).toMatchObject({
      tried: ["channel 20", "channel 20"],
      outcome: { text: "hi" },
      results: ["status_500"],
    });
    expect((await run(() => failedWith(502), [abilityOf(channelOf(21))])).tried).toHaveLength(2);
  });

  test("is tried again at the last of several channels, and at no more than three places in all", async () => {
    const two = [30, 31].map((id) => abilityOf(channelOf(id), { priority: id }));
    expect((await run(() => failedWith(500), two)).tried).toEqual(["channel 30", "channel 31", "channel 31"]);
  });

  test.each([
    ["a limit", 429],
    ["a time-out of the provider", 504],
    ["a refused credential", 401],
    ["a status that the provider does not implement", 501],
  ])("is not tried again at the only channel after %s", async (_what, status) => {
    expect((await run(() => failedWith(status), [abilityOf(channelOf(40 + status))])).tried).toHaveLength(1);
  });

  test("moves on to the next channel although the first may be silent for longer than the call, by its own setting", async () => {
    const patient = channelOf(50, { firstByteTimeoutMs: 60_000 });
    const choice = [abilityOf(patient), abilityOf(channelOf(51), { priority: 1 })];
    const timedOut = failedBy(new HttpClientError("first_byte_timeout", true, "silent"));
    const { tried, outcome } = await run((turn) => {
      tick += turn === 1 ? 60_000 : 0;
      return turn === 1 ? timedOut : { text: "hi" };
    }, choice);
    expect({ tried, outcome }).toEqual({ tried: ["channel 50", "channel 51"], outcome: { text: "hi" } });
  });

  test("is not retried once its client has left, or if its request is at fault", async () => {
    expect((await run(() => failedWith(400))).tried).toEqual(["channel 1"]);
    const left = await run(() => {
      leaving.abort();
      return failedWith(500);
    });
    expect(left.tried).toEqual(["channel 1"]);
  });

  test("pauses a channel that needs it, and no other", async () => {
    await run((turn) => (turn === 1 ? failedWith(401) : failedWith(500)));
    expect([loads.isOpen(first, customer), loads.isOpen(second, customer)]).toEqual([false, true]);
  });

  test("for which we have no connection moves on, is reported as our own failure, and counts against no channel", async () => {
    const noConnection = () => failedBy(new HttpClientError("no_connection", false, "all connections are in use"));
    expect((await run((turn) => (turn === 2 ? { text: "hi" } : noConnection()))).outcome).toEqual({ text: "hi" });
    for (let call = 0; call < 30; call += 1) {
      const { tried, outcome } = await run(noConnection);
      expect({ tried: tried.length, outcome }).toEqual({ tried: 3, outcome: "temporarily_unavailable" });
    }
    expect([first, second].map((channel) => loads.isOpen(channel, customer))).toEqual([true, true]);
  });

  test("that a channel can't even be asked for leaves its slot free", async () => {
    const capped = channelOf(9, { concurrencyMax: 1 });
    const answer = () => {
      throw new Error("out of order");
    };
    const thrown = await run(answer, [abilityOf(capped)]);
    expect(thrown).toMatchObject({ tried: ["channel 9"], outcome: "thrown" });
    expect(loads.isOpen(capped, customer)).toBe(true);
  });
});

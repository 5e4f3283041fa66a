import { afterAll, beforeAll, expect, test } from "bun:test";
import { nowMs } from "@sluice/sandbox-provider/record/request-record";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { consoleClient } from "../support/accounts/console-client.ts";
import { loginUser } from "../support/accounts/logins.ts";
import { makeKey } from "../support/calls/key-scene.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { patienceMs } from "../support/values/patience.ts";

const requestsPerMinute = 120;
const tokensPerMinute = 3_000;
const callsMax = 6;
/** How many calls at a time its client tries to have. */
const callers = 12;
/** After a refusal. */
const restMs = 200;
/** Over how long a pace is measured, at least. */
const spanMs = 7_000;
/** How often it is measured again, because a busy machine takes longer to divide a limit. */
const repeatsMax = 4;

let provider: ReturnType<typeof startSandboxProvider>;
let rig: SluiceRig;
let replicas: SluiceProcess[];
let keys: Readonly<Record<"requests" | "tokens" | "calls", string>>;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  await rig.addFlatPriceModel("flat", 1_000n);
  await rig.addFlatPriceModel("slow", 1_000n);
  provider.script({ chunks: 6, chunkDelayMs: 100 }, { match: { model: "slow" }, times: "always" });
  replicas = await Promise.all([rig.startProcess(), rig.startProcess(), rig.startProcess()]);
  const { cookie } = await loginUser(rig, { quota: 1_000_000_000n });
  const as = consoleClient(replicas[0]?.url ?? "", cookie);
  const limited = async (limits: Record<string, number>) => (await makeKey(as, limits)).secret;
  keys = {
    requests: await limited({ requests_per_minute: requestsPerMinute }),
    tokens: await limited({ tokens_per_minute: tokensPerMinute }),
    calls: await limited({ concurrency_max: callsMax }),
  };
  // The first of them learns of the others when it renews its term.
  await Bun.sleep(6_000);
});

afterAll(async () => {
  await rig?.close();
  await provider?.stop();
});

type Choose = (index: number) => number;
type Answer = {
  readonly isRefused: boolean;
  readonly tokens: number;
  readonly sentMs: number;
  readonly seenMs: number;
};

async function call(apiKey: string, model: "flat" | "slow", replica: number): Promise<Answer> {
  const sentMs = nowMs();
  const response = await fetch(`${replicas[replica]?.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }], stream: model === "slow" }),
  });
  const text = await response.text();
  const seenMs = nowMs();
  const isRefused = response.status === 429;
  if (response.status !== 200) {
    await Bun.sleep(restMs);
    return { isRefused, tokens: 0, sentMs, seenMs };
  }
  const tokens = model === "flat" ? (JSON.parse(text) as { usage: { total_tokens: number } }).usage.total_tokens : 0;
  return { isRefused, tokens, sentMs, seenMs };
}

/**
 * What a client had of a limit at one replica between two refusals. At both of them nothing was left, so what it had is what
 * the replica has let accumulate between them, however fast calls are.
 */
class Part {
  #first: Answer | null = null;
  #last: Answer | null = null;
  #had = 0;
  #sinceLast = 0;

  refuse(answer: Answer): void {
    this.#had += this.#first === null ? 0 : this.#sinceLast;
    this.#sinceLast = 0;
    this.#first ??= answer;
    this.#last = answer;
  }

  add(amount: number): void {
    this.#sinceLast += amount;
  }

  /** At least how long it was between the refusals. */
  get leastMs(): number {
    return Math.max(0, (this.#last?.sentMs ?? 0) - (this.#first?.seenMs ?? 0));
  }

  /** The pace by minute lies between these two: a replica has refused at some time between the request and the response. */
  get paces(): { readonly least: number; readonly most: number } {
    const longestMs = (this.#last?.seenMs ?? 0) - (this.#first?.sentMs ?? 0);
    return { least: (this.#had * 60_000) / longestMs, most: (this.#had * 60_000) / this.leastMs };
  }
}

/** Calls without a break until every replica that is called has refused some over a while. Returns the sum of what they let through. */
async function paceOf(apiKey: string, of: "calls" | "tokens", choose: Choose): Promise<Part["paces"]> {
  const parts = new Map<number, Part>();
  const deadline = nowMs() + patienceMs;
  const isMeasured = (): boolean => [...parts.values()].every(({ leastMs }) => leastMs >= spanMs);
  for (let index = 0; (index < replicas.length || !isMeasured()) && nowMs() < deadline; index += 1) {
    const replica = choose(index);
    const part = parts.get(replica) ?? new Part();
    parts.set(replica, part);
    const answer = await call(apiKey, "flat", replica);
    if (answer.isRefused) {
      part.refuse(answer);
    } else {
      part.add(of === "tokens" ? answer.tokens : 1);
    }
  }
  expect(isMeasured()).toBe(true);
  const paces = [...parts.values()].map((part) => part.paces);
  return {
    least: paces.reduce((sum, { least }) => sum + least, 0),
    most: paces.reduce((sum, { most }) => sum + most, 0),
  };
}

/** The same with a key for each limit at the same time. */
async function measure(choose: Choose) {
  const began = nowMs();
  let isOver = false;
  const caller = async (first: number): Promise<void> => {
    for (let index = first; !isOver; index += 1) {
      await call(keys.calls, "slow", choose(index));
    }
  };
  const calling = Promise.all(Array.from({ length: callers }, (_, index) => caller(index)));
  try {
    const paces = [paceOf(keys.requests, "calls", choose), paceOf(keys.tokens, "tokens", choose)] as const;
    const [requests, tokens] = await Promise.all(paces);
    return { requests, tokens, calls: mostAtProvider(began, nowMs()) };
  } finally {
    isOver = true;
    await calling;
  }
}

/** How many streams the provider had open at a time in a span, at most. */
function mostAtProvider(fromMs: number, toMs: number): number {
  const spans = provider.requests
    .filter(({ model }) => model === "slow")
    .map(({ receivedAtMs, endedAtMs }) => ({ from: Math.max(receivedAtMs, fromMs), to: endedAtMs ?? toMs }))
    .filter(({ from, to }) => from < to);
  return Math.max(...spans.map(({ from: at }) => spans.filter(({ from, to }) => from <= at && at < to).length));
}

/** A replica that keeps to its own part gives a third. */
const leastShare = 0.5;

async function expectLimits(choose: Choose): Promise<void> {
  // The limits are divided by use first.
  await measure(choose);
  let found = await measure(choose);
  const isDivided = (): boolean =>
    found.requests.most >= requestsPerMinute * leastShare &&
    found.tokens.most >= tokensPerMinute * leastShare &&
    found.calls >= callsMax * leastShare;
  for (let repeats = 0; repeats < repeatsMax && !isDivided(); repeats += 1) {
    found = await measure(choose);
  }
  expect([isDivided(), found]).toEqual([true, found]);
  expect(found.requests.least).toBeLessThan(requestsPerMinute * 1.1 + 4);
  expect(found.tokens.least).toBeLessThan(tokensPerMinute * 1.2);
  // A part that moves to another replica may be used twice until its calls end.
  expect(found.calls).toBeLessThanOrEqual(callsMax + 2);
}

test("a client that stays at one of three replicas gets its limits there", async () => {
  await expectLimits(() => 0);
});

test("a client that calls all three gets as much in sum", async () => {
  await expectLimits((index) => index % 3);
});

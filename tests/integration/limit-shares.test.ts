import { afterAll, beforeAll, expect, test } from "bun:test";
import { nowMs } from "@sluice/sandbox-provider/record/request-record";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { consoleClient } from "../support/accounts/console-client.ts";
import { loginUser } from "../support/accounts/logins.ts";
import { makeKey } from "../support/calls/key-scene.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

const requestsPerMinute = 120;
const tokensPerMinute = 3_000;
const callsMax = 6;
/** How many calls at a time its client tries to have. */
const callers = 12;
/** After a refusal. */
const restMs = 200;

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
type Sums = { admitted: number; tokens: number };

/** One call; what it had of each limit is added to the sums if it was let in. */
async function call(apiKey: string, model: "flat" | "slow", replica: number, sums: Sums): Promise<void> {
  const response = await fetch(`${replicas[replica]?.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }], stream: model === "slow" }),
  });
  const text = await response.text();
  if (response.status !== 200) {
    await Bun.sleep(restMs);
    return;
  }
  sums.admitted += 1;
  sums.tokens += model === "flat" ? (JSON.parse(text) as { usage: { total_tokens: number } }).usage.total_tokens : 0;
}

/** Calls without a break for a while, with a key for each limit. Returns what they had per minute, and at a time. */
async function paceOf(milliseconds: number, choose: Choose) {
  const began = nowMs();
  const caller = async (apiKey: string, model: "flat" | "slow", first = 0): Promise<Sums> => {
    const sums: Sums = { admitted: 0, tokens: 0 };
    for (let index = first; nowMs() - began < milliseconds; index += 1) {
      await call(apiKey, model, choose(index), sums);
    }
    return sums;
  };
  const [requests, tokens] = await Promise.all([
    caller(keys.requests, "flat"),
    caller(keys.tokens, "flat"),
    ...Array.from({ length: callers }, (_, index) => caller(keys.calls, "slow", index)),
  ]);
  const elapsed = nowMs() - began;
  return {
    requests: (requests.admitted * 60_000) / elapsed,
    tokens: (tokens.tokens * 60_000) / elapsed,
    calls: openAtProvider(began, began + milliseconds),
  };
}

/** How many streams the provider had open at a time in a span: on average, and at most. */
function openAtProvider(fromMs: number, toMs: number): { readonly average: number; readonly most: number } {
  const spans = provider.requests
    .filter(({ model }) => model === "slow")
    .map(({ receivedAtMs, endedAtMs }) => ({
      from: Math.max(receivedAtMs, fromMs),
      to: Math.min(endedAtMs ?? toMs, toMs),
    }))
    .filter(({ from, to }) => from < to);
  const most = Math.max(...spans.map(({ from: at }) => spans.filter(({ from, to }) => from <= at && at < to).length));
  return { average: spans.reduce((sum, { from, to }) => sum + to - from, 0) / (toMs - fromMs), most };
}

async function expectLimits(choose: Choose): Promise<void> {
  // What the share has saved up comes first, then the division by use.
  await paceOf(6_000, choose);
  const pace = await paceOf(10_000, choose);
  // At least half on a machine that is too busy for more: a replica that keeps to its own part gives a third.
  expect(pace.requests).toBeWithin(requestsPerMinute * 0.5, requestsPerMinute * 1.1 + 4);
  expect(pace.tokens).toBeWithin(tokensPerMinute * 0.5, tokensPerMinute * 1.2);
  expect(pace.calls.average).toBeWithin(callsMax * 0.5, callsMax * 1.1);
  // A part that moves to another replica may be used twice until its calls end.
  expect(pace.calls.most).toBeLessThanOrEqual(callsMax + 2);
}

test("a client that stays at one of three replicas gets its limits there", async () => {
  await expectLimits(() => 0);
});

test("a client that calls all three gets as much in sum", async () => {
  await expectLimits((index) => index % 3);
});

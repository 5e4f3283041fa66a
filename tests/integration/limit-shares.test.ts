import { afterAll, beforeAll, expect, test } from "bun:test";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { consoleClient } from "../support/accounts/console-client.ts";
import { loginUser } from "../support/accounts/logins.ts";
import { chat } from "../support/calls/chat-call.ts";
import { makeKey } from "../support/calls/key-scene.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

const perMinute = 120;
const body = { model: "flat", messages: [{ role: "user", content: "Hello" }] };

let provider: ReturnType<typeof startSandboxProvider>;
let rig: SluiceRig;
let replicas: SluiceProcess[];
let apiKey: string;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  await rig.addFlatPriceModel("flat", 1_000n);
  replicas = await Promise.all([rig.startProcess(), rig.startProcess(), rig.startProcess()]);
  const { cookie } = await loginUser(rig, { quota: 1_000_000_000n });
  const as = consoleClient(replicas[0]?.url ?? "", cookie);
  ({ secret: apiKey } = await makeKey(as, { requests_per_minute: perMinute }));
  // The first of them learns of the others when it renews its term.
  await Bun.sleep(6_000);
});

afterAll(async () => {
  await rig?.close();
  await provider?.stop();
});

/** Calls without a break, and returns how many were let in per minute. */
async function paceOf(milliseconds: number, choose: (index: number) => number): Promise<number> {
  const began = performance.now();
  let admitted = 0;
  for (let index = 0; performance.now() - began < milliseconds; index += 1) {
    const { status } = await chat({ url: replicas[choose(index)]?.url ?? "", apiKey }, body);
    admitted += status === 200 ? 1 : 0;
    await Bun.sleep(status === 200 ? 0 : 30);
  }
  return (admitted * 60_000) / (performance.now() - began);
}

test("a client that stays at one of three replicas gets its limit there", async () => {
  // What the share has saved up comes first, then the division by use.
  await paceOf(6_000, () => 0);
  expect(await paceOf(10_000, () => 0)).toBeWithin(perMinute * 0.9 - 4, perMinute * 1.1 + 4);
});

test("a client that calls all three gets as much in sum", async () => {
  await paceOf(6_000, (index) => index % 3);
  expect(await paceOf(10_000, (index) => index % 3)).toBeWithin(perMinute * 0.9 - 4, perMinute * 1.1 + 4);
});

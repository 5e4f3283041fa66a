import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { chat } from "../support/calls/chat-call.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";

/* docs/operating/scaling.md says these numbers, so that operators can size their server. */
const quietMax = 6;
const busyMax = 13;

let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;
let user: TestUser;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  sluice = await rig.startProcess();
  user = await rig.addUser(1_000_000_000n);
});

afterAll(async () => {
  await rig?.close();
  await provider?.stop();
});

async function connections(): Promise<number> {
  const [row] = await rig.db.sql<{ open: number }>`
    select count(*)::integer as open from pg_stat_activity
    where datname = current_database() and application_name like 'sluice%'`;
  return row?.open ?? 0;
}

test("a process with all roles has as many connections as documented, and gives back those of a burst", async () => {
  const seen: number[] = [];
  let isOver = false;
  const load = Array.from({ length: 40 }, async () => {
    while (!isOver) {
      await chat({ url: sluice.url, apiKey: user.apiKey }, { model: "gpt-4o-mini" });
    }
  });
  for (let count = 0; count < 40; count += 1) {
    await Bun.sleep(100);
    seen.push(await connections());
  }
  isOver = true;
  await Promise.all(load);
  expect(Math.max(...seen)).toBeWithin(3, busyMax + 1);
  await waitUntil(async () => (await connections()) <= quietMax, 120_000);
}, 150_000);

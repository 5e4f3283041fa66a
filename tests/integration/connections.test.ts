import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { chat } from "../support/calls/chat-call.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";

/* docs/operating/scaling.md says these numbers, so that operators can size their server: for few processes, and for fifty. */
const busyMax = 13;
/** How often the connections are counted while calls run, ten times a second. */
const looks = process.env["TEST_FULL"] === "1" ? 30 : 5;
const small = { poolMax: 5, busyMax: 8 };

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

type Connection = {
  readonly name: string;
  /** Since when it does what it does. */
  readonly since: Date;
  /** What it is, for the message of a failure. */
  readonly shown: string;
};

/** What the service has open, the least recently used first. */
async function connections(): Promise<readonly Connection[]> {
  return await rig.db.sql<Connection>`
    select application_name as name, state_change as since,
      concat_ws(', ', application_name, state, extract(epoch from now() - state_change)::integer || ' s', left(query, 80)) as shown
    from pg_stat_activity where datname = current_database() and application_name like 'sluice%' order by state_change`;
}

/** Those that nothing has used since then; each pool keeps one for its next statement. */
function leftOver(open: readonly Connection[], since: Date): readonly Connection[] {
  const unused = open.filter((each) => each.since <= since);
  return unused.filter(({ name }, index) => unused.findIndex((each) => each.name === name) !== index);
}

/** The most connections that were open at a moment while forty clients called without a break. */
async function mostUnderLoad(at: SluiceProcess): Promise<number> {
  const seen: number[] = [];
  let isOver = false;
  const load = Array.from({ length: 40 }, async () => {
    while (!isOver) {
      await chat({ url: at.url, apiKey: user.apiKey }, { model: "gpt-4o-mini" });
    }
  });
  for (let count = 0; count < looks; count += 1) {
    await Bun.sleep(100);
    seen.push((await connections()).length);
  }
  isOver = true;
  await Promise.all(load);
  return Math.max(...seen);
}

test("a process with all roles has as many connections as documented, and gives back those of a burst", async () => {
  expect(await mostUnderLoad(sluice)).toBeWithin(3, busyMax + 1);
  const [burst] = await rig.db.sql<{ end: Date }>`select clock_timestamp() as end`;
  const end = burst?.end ?? new Date(0);
  let open = await connections();
  await waitUntil(async () => {
    open = await connections();
    // Fewer are open on a quiet machine than on a busy one, where jobs take so long that several run at once.
    return leftOver(open, end).length === 0 && open.length <= busyMax;
  }).catch((error: Error) => {
    throw new Error(`${error.message}:\n${open.map(({ shown }) => shown).join("\n")}`);
  });
});

test("a process with a small pool has as many as documented, and serves", async () => {
  await sluice.stop();
  sluice = await rig.startProcess({ DATABASE_POOL_MAX: String(small.poolMax) });
  expect(await mostUnderLoad(sluice)).toBeWithin(3, small.busyMax + 1);
  expect((await chat({ url: sluice.url, apiKey: user.apiKey }, { model: "gpt-4o-mini" })).isWhole).toBe(true);
});

/**
 * `bun run bench books`: so many calls through the service, over real sockets and with kills, and then whether every
 * whole response has its row, its charge, its settlement and its part of the ledger.
 */
import { parseArgs } from "node:util";
import { arrayLiteral } from "@sluice/control-plane/platform/db-array-literal.ts";
import { startTestCluster } from "../../support/postgres/test-cluster.ts";
import { createDatabaseOn } from "../../support/postgres/test-database.ts";
import { MortalProcess } from "../../support/service/mortal-process.ts";
import { SluiceRig } from "../../support/service/sluice.ts";
import { FakeProvider } from "../relay/load/provider.ts";
import { auditBooks, moneyFaults } from "./audit.ts";
import { Callers } from "./callers.ts";

const usage = `usage: bun run bench books [options]
  --calls <n>         calls (default 200000)
  --users <n>         users who make them, with different multipliers (default 40)
  --connections <n>   calls at a time (default 64)
  --stream-every <n>  one call of so many is a stream (default 20, 0 for none)
  --kills <n>         times that the service is killed with SIGKILL, spread over the calls (default 4)
  --bodies <0|1>      1 keeps the bodies of calls, too (default 0)`;

const granted = 10n ** 15n;
const multipliers = ["1", "0.5", "1.1", "2.75"];
const reportEveryMs = 10_000;
const pollMs = 500;
/** Without any progress, settlement hangs. */
const settleMsMax = 600_000;

type Load = Readonly<Record<"calls" | "users" | "connections" | "stream-every" | "kills" | "bodies", number>>;

export async function runBooksBench(args: string[]): Promise<number> {
  const text = (value: string) => ({ type: "string", default: value }) as const;
  const { values } = parseArgs({
    args,
    options: {
      calls: text("200000"),
      users: text("40"),
      connections: text("64"),
      "stream-every": text("20"),
      kills: text("4"),
      bodies: text("0"),
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const { help, ...numbers } = values;
  const load = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)])) as Load;
  const cluster = await startTestCluster({ isDurable: true });
  const provider = new FakeProvider();
  try {
    const rig = await SluiceRig.create(`http://127.0.0.1:${provider.port}`, await createDatabaseOn(cluster.url));
    try {
      return await measure(rig, load);
    } finally {
      await rig.close();
    }
  } finally {
    provider.stop();
    await cluster.destroy();
  }
}

async function measure(rig: SluiceRig, load: Load): Promise<number> {
  for (let index = 0; index < load.users; index++) {
    await rig.addUser(granted);
  }
  await rig.db.sql`
    update gateway_user set rate_multiplier = (${arrayLiteral(multipliers)}::numeric[])[1 + id % ${multipliers.length}::int8]`;
  await rig.db.sql`update api_key set is_payload_traced = ${load.bodies > 0}`;
  const service = await MortalProcess.born(rig, { CHAT_FRONT: "on" });
  let rising = Promise.resolve();
  const callers = new Callers({
    port: Number(new URL(service.current.url).port),
    apiKeys: rig.users.map(({ apiKey }) => apiKey),
    connections: load.connections,
    streamEvery: load["stream-every"],
    callsMax: load.calls,
    untilServed: () => rising,
  });
  const start = performance.now();
  const seconds = (): string => `${((performance.now() - start) / 1000).toFixed(1).padStart(7)} s`;
  const progress = setInterval(() => console.log(`[${seconds()}] ${callers.begun} calls`), reportEveryMs);
  let kills = 0;
  const killing = setInterval(() => {
    if (kills < load.kills && callers.begun >= ((kills + 1) * load.calls) / (load.kills + 1)) {
      kills += 1;
      rising = service.dieAndRise();
      rising.catch(() => undefined);
    }
  }, 20);
  try {
    await callers.run();
  } finally {
    clearInterval(progress);
    clearInterval(killing);
  }
  const sum = (count: (seen: (typeof callers.seen)[number]) => number): number =>
    callers.seen.reduce((total, seen) => total + count(seen), 0);
  const whole = sum(({ answered }) => answered.whole);
  const streams = sum(({ answered }) => answered.stream);
  const cut = sum((seen) => seen.cut);
  const refused = sum((seen) => seen.refused);
  console.log(
    `[${seconds()}] ${whole} whole responses, ${streams} streams, ${cut} cut off by ${kills} kills, ${refused} refused`,
  );
  await rising;
  await untilSettled(rig, seconds);
  await service.current.stop();
  const { faults, totals } = await auditBooks(rig.db, rig.users, callers.seen);
  console.log(
    `[${seconds()}] ${totals.rows} rows, ${totals.quota} quota, ${totals.settled} settled, of ${load.users} users`,
  );
  console.log(
    faults.length === 0 ? "rows, charges, settlement, sums, traces and ledger are equal by user" : faults.join("\n"),
  );
  const violations = await moneyFaults(rig.db);
  console.log(`[${seconds()}] ${violations.length === 0 ? "check_money() finds nothing" : violations.join("\n")}`);
  return faults.length + violations.length === 0 ? 0 : 1;
}

/** Waits until all rows are settled and in the sums. @throws Error when nothing has moved for too long */
async function untilSettled(rig: SluiceRig, seconds: () => string): Promise<void> {
  let last = "";
  let movedAt = performance.now();
  let reportedAt = movedAt;
  for (;;) {
    const [state] = await rig.db.sql<Record<"charged" | "settled" | "summed" | "leased", bigint>>`
      select (select coalesce(sum(used), 0)::int8 from budget) as charged,
        (select coalesce(sum(base_quota), 0)::int8 from settlement_batch) as settled,
        (select coalesce(sum(quota), 0)::int8 from usage_rollup where slice = 'user') as summed,
        (select coalesce(sum(leased + reserved), 0)::int8 from budget) as leased`;
    const { charged, settled, summed, leased } = state ?? { charged: 0n, settled: 1n, summed: 1n, leased: 0n };
    if (charged > 0n && charged === settled && charged === summed && leased === 0n) {
      return;
    }
    const now = [charged, settled, summed, leased].join(" ");
    const time = performance.now();
    movedAt = now === last ? movedAt : time;
    last = now;
    if (time - movedAt > settleMsMax) {
      throw new Error(`settlement hangs: ${now}`);
    }
    if (time - reportedAt > reportEveryMs) {
      reportedAt = time;
      console.log(`[${seconds()}] charged ${charged}, settled ${settled}, in the sums ${summed}`);
    }
    await Bun.sleep(pollMs);
  }
}

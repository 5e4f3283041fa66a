/** `bun run bench overview`: how long the first admin page takes with millions of usage rows. */
import { parseArgs } from "node:util";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { readDashboard, readOverview } from "@sluice/control-plane/usage/reports/overview.ts";
import { openAgedService } from "../aged-service/open.ts";
import { type AgedSizes, sizesOf } from "../aged-service/sizes.ts";

const usage = `usage: bun run bench overview [options]
  --calls <n>     usage rows (default 10000000)
  --days <n>      over which they are spread, the last of them today (default 30)
  --reads <n>     how often each page is read (default 30)
  --data <folder> keeps the filled data there, or uses what is there; the same for \`bench lists\`
  --resum         makes all sums of the usage again, because how they are made has changed`;

const dayMs = 86_400_000;

export async function runOverviewBench(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      calls: { type: "string", default: "10000000" },
      days: { type: "string", default: "30" },
      reads: { type: "string", default: "30" },
      data: { type: "string" },
      resum: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const sizes = sizesOf(Number(values.calls), Number(values.days));
  const service = await openAgedService({
    sizes,
    keptIn: values.data ?? null,
    isResummed: values.resum,
    tell: (line) => console.error(line),
  });
  try {
    const db = openDatabase({ url: service.url, poolMax: 4, applicationName: "bench", role: "sluice_app" });
    await tellCounts(service.owner);
    await measure({ db, reads: Number(values.reads), cpuMs: service.cpuMs }, sizes);
    await db.close(1_000);
    return 0;
  } finally {
    await service.close();
  }
}

const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

async function tellCounts(owner: Database): Promise<void> {
  const [counts] = await owner.sql<{ rows: bigint; sums: bigint }>`
    select (select count(*) from usage_log) as rows, (select count(*) from usage_rollup) as sums`;
  console.log(`\n${counts?.rows} usage rows, ${counts?.sums} sums of them; ms, warm\n`);
}

type Bench = { readonly db: Database; readonly reads: number; readonly cpuMs: () => number };

async function measure(bench: Bench, { days }: AgedSizes): Promise<void> {
  console.log("| page | CPU | best | p50 | p99 | most |\n| --- | --- | --- | --- | --- | --- |");
  const { db } = bench;
  const clock = { now: () => Date.now() };
  const ofDays = (count: number, zone: string) => {
    const now = Date.now();
    return { from_day: dayText(now - (count - 1) * dayMs), to_day: dayText(now), zone };
  };
  for (const zone of ["UTC", "Asia/Shanghai", "Asia/Kolkata"]) {
    for (const count of [1, 7, Math.ceil(days / 2)]) {
      await show(`overview, ${count} days of ${zone}`, bench, () => readOverview(db, clock, ofDays(count, zone)));
    }
  }
  const input = ofDays(Math.ceil(days / 2), "UTC");
  await show(`dashboard, ${Math.ceil(days / 2)} days of UTC`, bench, () => readDashboard(db, clock, input));
}

async function show(name: string, { reads, cpuMs }: Bench, read: () => Promise<unknown>): Promise<void> {
  await read();
  const cpuBefore = cpuMs();
  const takenMs: number[] = [];
  for (let each = 0; each < reads; each += 1) {
    const started = performance.now();
    await read();
    takenMs.push(performance.now() - started);
  }
  const cpu = ((cpuMs() - cpuBefore) / reads).toFixed(1);
  const sorted = takenMs.toSorted((left, right) => left - right);
  const at = (share: number): string => (sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0).toFixed(1);
  console.log(`| ${name} | ${cpu} | ${at(0)} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`);
}

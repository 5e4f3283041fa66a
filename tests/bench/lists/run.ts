/**
 * `bun run bench lists`: how long a page of a list takes, the first one and one deep inside, on a database of some age.
 */
import { parseArgs } from "node:util";
import { listPlaces } from "@sluice/control-plane/admin/lists/list-places.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { writeCursor } from "@sluice/control-plane/platform/list-query/cursor.ts";
import { type ListDeps, readListRequest, readPage } from "@sluice/control-plane/platform/list-query/endpoints.ts";
import { pageStatement } from "@sluice/control-plane/platform/list-query/list-store.ts";
import type { AnyListSource } from "@sluice/control-plane/platform/list-query/model.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { declaredEndpoints } from "../../support/admin/declared-endpoints.ts";
import { type AgedService, openAgedService } from "../aged-service/open.ts";
import { longSizesOf, sizesOf } from "../aged-service/sizes.ts";
import { listRequests } from "./list-requests.ts";
import { type MeasuredList, measuredLists } from "./measured-endpoints.ts";
import { otherReads } from "./other-reads.ts";

const usage = `usage: bun run bench lists [options]
  --calls <n>      calls (default 10000000)
  --log <n>        rows of the usage log (default all): the newest 40 days, at the same rate; older calls are in sums only
  --runs <n>       how often each page is asked for (default 30)
  --data <folder>  keeps the filled data there, or uses what is there; the same for \`bench overview\``;

const days = 30;
const pageRows = 50;
const msMax = 50;

export async function runListsBench(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      calls: { type: "string", default: "10000000" },
      log: { type: "string" },
      runs: { type: "string", default: "30" },
      data: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const sizes =
    values.log === undefined
      ? sizesOf(Number(values.calls), days)
      : longSizesOf(Number(values.calls), Number(values.log));
  const tell = (line: string): void => console.error(line);
  const service = await openAgedService({ sizes, keptIn: values.data ?? null, isResummed: false, tell });
  try {
    const { calls, users, orders } = sizes;
    console.log(`${calls} calls, ${users} users, ${orders} orders; pages of ${pageRows}; ms\n`);
    console.log("| list | request | first: best | median | worst | deep: best | median | worst | reads |");
    console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    const isSlow = await measureAll(service.owner, Number(values.runs));
    console.log(
      "\n| other lists | request | for | rows | first: best | median | worst | deep: best | median | worst |",
    );
    console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    const areOthersSlow = await measureEndpoints(service, Number(values.runs));
    console.log("\n| other reads | best | median | worst |");
    console.log("| --- | --- | --- | --- |");
    const areReadsSlow = await measureOthers(service.owner, Number(values.runs));
    return isSlow || areOthersSlow || areReadsSlow ? 1 : 0;
  } finally {
    await service.close();
  }
}

async function measureAll(db: Database, runs: number): Promise<boolean> {
  const log = createLog("error", () => undefined);
  const deps: ListDeps = { db, clock: systemClock, log, recordExport: () => Promise.resolve() };
  let isSlow = false;
  for (const { source } of listPlaces) {
    for (const request of [...(listRequests[source.contract.name] ?? [""]), ...(await namedRow(deps, source))]) {
      const query = source.contract.input.parse(Object.fromEntries(new URLSearchParams(request)));
      const asked = { ...query, limit: pageRows } as Parameters<typeof readPage>[2];
      const first = await times(runs, () => readPage(deps, source, asked));
      const cursor = await deepCursor(db, source, asked);
      const deep = cursor === null ? null : await times(runs, () => readPage(deps, source, { ...asked, cursor }));
      const reads = await plan(db, source, asked);
      isSlow ||= Math.max(first.median, deep?.median ?? 0) > msMax;
      const shown = [source.contract.name, request, first.text, deep?.text ?? "- | - | -", reads];
      console.log(`| ${shown.join(" | ")} |`);
    }
  }
  return isSlow;
}

async function measureEndpoints(service: AgedService, runs: number): Promise<boolean> {
  const endpoints = await declaredEndpoints({ db: service.owner, database: service });
  let isSlow = false;
  for (const list of await measuredLists(service.owner, endpoints)) {
    const first = await times(runs, () => list.read(null));
    const cursor = await cursorAfter(list);
    const deep = cursor === null ? null : await times(runs, () => list.read(cursor));
    isSlow ||= Math.max(first.median, deep?.median ?? 0) > msMax;
    const { rows } = await list.read(null);
    console.log(`| ${[list.path, list.request, list.who, rows, first.text, deep?.text ?? "- | - | -"].join(" | ")} |`);
  }
  return isSlow;
}

/** The cursor after twenty pages, or of the last page; null if there is only one. */
async function cursorAfter(list: MeasuredList): Promise<string | null> {
  let cursor: string | null = null;
  for (let page = 0; page < 20; page += 1) {
    const { nextCursor } = await list.read(cursor);
    if (nextCursor === null) {
      break;
    }
    cursor = nextCursor;
  }
  return cursor;
}

async function measureOthers(db: Database, runs: number): Promise<boolean> {
  let isSlow = false;
  for (const [name, read] of otherReads) {
    const { median, text } = await times(runs, () => read(db));
    isSlow ||= median > msMax;
    console.log(`| ${name} | ${text} |`);
  }
  return isSlow;
}

/** The request for a row by its id, as a link makes it. */
async function namedRow(deps: ListDeps, source: AnyListSource): Promise<string[]> {
  const { rowId, input } = source.contract;
  const asked = input.parse({}) as Parameters<typeof readPage>[2];
  const row = rowId === null ? undefined : (await readPage(deps, source, asked)).rows.at(-1);
  return rowId === null || row === undefined ? [] : [`rows=${encodeURIComponent(String(row[rowId]))}`];
}

async function times(runs: number, work: () => Promise<unknown>): Promise<{ median: number; text: string }> {
  const found: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const started = performance.now();
    await work();
    found.push(performance.now() - started);
  }
  found.sort((a, b) => a - b);
  const median = found[Math.floor(found.length / 2)] ?? 0;
  const text = [found[0], median, found.at(-1)].map((ms = 0) => ms.toFixed(1)).join(" | ");
  return { median, text };
}

type Query = Parameters<typeof readPage>[2];

/** To find what is deeper takes longer than all the rest. */
const foundMax = 200_000;

/** A cursor in the middle of what the request finds, or of its first 200,000 rows; null when it is all on one page. */
async function deepCursor(db: Database, source: AnyListSource, query: Query): Promise<string | null> {
  const request = readListRequest(source, query, Date.now());
  const { text, values } = pageStatement(source, request, { after: null, limit: 1 });
  const [counted] = await db.query<{ rows: bigint }>(
    `select count(*) as rows from (${text.replace(/ limit \S+$/, ` limit ${foundMax}`)}) t`,
    values.slice(0, -1),
  );
  const middle = Number(counted?.rows ?? 0n) >> 1;
  if (middle < pageRows) {
    return null;
  }
  const [row] = await db.query<{ "#": string[] }>(`${text} offset ${middle}`, values);
  return row === undefined ? null : writeCursor(request, row["#"]);
}

/** Which indexes the first page uses, and whether any table is read completely. */
async function plan(db: Database, source: AnyListSource, query: Query): Promise<string> {
  const request = readListRequest(source, query, Date.now());
  const { text, values } = pageStatement(source, request, { after: null, limit: pageRows + 1 });
  const lines = await db.query<{ "QUERY PLAN": string }>(`explain ${text}`, values);
  const found = lines.flatMap(({ "QUERY PLAN": line }) => {
    const index = /(?:using|Bitmap Index Scan on) (\S+)/.exec(line)?.[1]?.replace(/_y\d{4}m\d\dd\d\d/, "");
    const whole = /Seq Scan on (\S+)/.exec(line)?.[1];
    return index !== undefined ? [index.replace(/_idx\d*$/, "")] : whole === undefined ? [] : [`all of ${whole}`];
  });
  return [...new Set(found)].slice(0, 6).join(", ");
}

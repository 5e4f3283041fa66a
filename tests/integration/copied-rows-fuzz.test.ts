import { afterAll, beforeAll, expect, test } from "bun:test";
import { type CallRows, type CallsSummary, callForms } from "@sluice/control-plane/compose/call-rows.ts";
import { CopiedCalls } from "@sluice/control-plane/compose/copied-calls.ts";
import { createPartitions } from "@sluice/control-plane/db/partitions.ts";
import { utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Database, Transaction } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { jsonLists } from "@sluice/control-plane/platform/spool/json-lists.ts";
import { RowCollector } from "@sluice/control-plane/platform/spool/model.ts";
import { recordedTraces } from "@sluice/control-plane/trace/write-store.ts";
import { recordPlaces } from "@sluice/control-plane/usage/log/call-record.ts";
import { insertUsage } from "@sluice/control-plane/usage/log/usage-store.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { traceOfCall } from "../support/trace/trace-of-call.ts";
import { recordedRows } from "../support/usage/recorded-calls.ts";
import { type Customer, usageRow } from "../support/usage/usage-rows.ts";
import { testRandom } from "../support/values/test-seed.ts";

/*
 * Lines of calls, as they are and with one change, are written twice: copied, and by the statement that reads them as JSON.
 * Each transaction is undone. A line that is copied has the same rows as an inserted one, and is refused where that is.
 */

const isFull = process.env["TEST_FULL"] === "1";
/** How many lines a batch has. */
const batches = isFull ? [...Array.from({ length: 20 }, () => 500), 6_000, 1] : [1, 7, 300, 300];
const changedShare = 0.5;
/** More than a reader keeps, so that it forgets all. */
const clients = 5_001;
const today = utcDay(Date.now());
const startedAtMs = Date.parse(`${today}T01:02:03.456Z`);
const random = testRandom();
const below = (limit: number): number => Math.floor(random() * limit);
const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;

let server: TestDatabase;
let db: Database;

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase({ url: server.url, poolMax: 1, applicationName: "test" });
  await createPartitions(db, [today]);
});

afterAll(async () => {
  await db.close(1_000);
  await server.drop();
});

const oddTexts = [
  ...[
    "",
    "plain",
    'a "quoted" \\ one',
    "日本 \u{1f600}",
    "\ud800",
    "x\udc00y",
    "a\0b",
    "\u0001\n\t",
    "\u2028é\ufffd",
    "\\",
  ],
  ...["\\u0041", '"', '],"', "null", "x".repeat(3_000), '\\"'.repeat(700), "é".repeat(9_000)],
];
const oddNumbers = [
  ...[0, 7, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 999_999_999_999_999, 2 ** 53 - 1, 1e15, 1e21, -1, 1.5, null, "12", "-3"],
  ...["9223372036854775807", "9223372036854775808", "0.00012", "x", true],
];
const oddCosts = [
  null,
  "0",
  "0.00012",
  "120034.5",
  `0.${"12".repeat(1_000)}`,
  `0.${"1".repeat(40_000)}`,
  "-1",
  "1e3",
  ".5",
];
const oddDays = [today, "2026-02-30", "0000-01-01", "infinity", "20260101", ""];
const oddLists = ["{1}", "{1,2}", "{}", "{NULL}", "{1,{2}}", null];

/** Values of fields, by their names. */
const oddValues: Readonly<Partial<Record<keyof typeof recordPlaces, readonly unknown[]>>> = {
  ...{ day: oddDays, shared_budget_ids: oddLists, provider_cost_usd: oddCosts },
  ...{
    is_stream: [true, false, "true", 1, null],
    is_implausible: [true, false, "no"],
    rate_multiplier: ["1", "0.25", "NaN", "x", 1.5],
  },
  ...{
    attempt_start: ['[["3","é",', "[[", '[["3","first",'],
    attempt_end: [',200,"answered"]]', ',204,"answered",{"node":"a"}]]', "]]"],
  },
  request_id: ["01A22974-B804-7136-9054-2348F7879148", "x", "{01a22974-b804-7136-9054-2348f7879148}", null],
};
const texts = [
  "group_name",
  "path",
  "model",
  "outcome",
  "error_code",
  "usage_source",
  "method",
  "client_ip",
  "user_agent",
  "payload",
];
const fieldNames = Object.keys(recordPlaces) as (keyof typeof recordPlaces)[];

/** The line of a call of one of a few keys. */
function lineOf(userAgent?: string): string {
  const id = BigInt(1 + below(5));
  const ids = { gatewayUserId: id, apiKeyId: id, userBudgetId: id, keyBudgetId: null };
  const attempt = {
    channelId: pick(["3", "17"]),
    channel: pick(["first", 'a "quoted" one']),
    startedAtMs,
    durationMs: 5,
  };
  const row = usageRow(ids as unknown as Customer, {
    ...{
      startedAtMs: startedAtMs + below(3_600_000),
      isStream: random() < 0.5,
      providerCost: pick([null, "0.00012"]) as never,
    },
    ...{ firstByteMs: pick([null, 0, 120]), attempts: [{ ...attempt, status: pick([200, 503]), result: "answered" }] },
  });
  const collector = new RowCollector<CallRows, CallsSummary>(callForms);
  const entries = recordedRows(row, traceOfCall(row, { userAgent: userAgent ?? pick(["curl/8", "", "tester/1"]) }));
  for (const entry of random() < 0.8 ? entries : entries.slice(0, 1)) {
    collector.add(entry);
  }
  return Buffer.from(collector.text).toString();
}

/** A line with another value in one of its fields. */
function withOddField(line: string): Buffer {
  const [kind, fields] = JSON.parse(line) as [string, unknown[]];
  const name = pick(fieldNames);
  const place = recordPlaces[name];
  if (place < fields.length) {
    fields[place] = pick(oddValues[name] ?? (texts.includes(name) ? oddTexts : oddNumbers));
  }
  return Buffer.from(JSON.stringify([kind, fields]));
}

const pieces = [
  '"',
  "\\",
  ",",
  "0",
  "n",
  "[",
  "]",
  " ",
  "-",
  ".",
  "e",
  "null",
  "\\u0000",
  "\\ud800",
  "00",
  '""',
  "9".repeat(16),
];

/** A line with one change of its bytes, or the half of another at its end. */
function withOddBytes(line: string, other: string): Buffer {
  const bytes = Buffer.from(line);
  const at = '["call",'.length + below(bytes.length - '["call",'.length);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const changes: readonly (() => Buffer)[] = [
    () =>
      Buffer.concat([
        before,
        Buffer.from([pick([0, 0x22, 0x2c, 0x30, 0x41, 0x6e, 0x5c, 0x80, 0xff])]),
        after.subarray(1),
      ]),
    () => Buffer.concat([before, after.subarray(1)]),
    () => Buffer.concat([before, after.subarray(0, 1), after]),
    () => Buffer.concat([before, Buffer.from(pick(pieces)), after]),
    () => Buffer.concat([before, Buffer.from(pick(["", "]]", '"]]', ",null]]"]))]),
    () => Buffer.concat([before, after.subarray(1 + below(12))]),
    () => Buffer.concat([before, Buffer.from(other).subarray(Math.max(0, at + below(7) - 3))]),
    () => Buffer.concat([before, bytes]),
    () => Buffer.from(swapped(line, other)),
  ];
  return pick(changes)();
}

/** The fields of one line up to a comma, and those of another after it. */
function swapped(line: string, other: string): string {
  const [ours, others] = [line.split(","), other.split(",")];
  const comma = below(ours.length);
  return [...ours.slice(0, comma), ...others.slice(comma)].join(",");
}

function batchOf(size: number): Buffer[] {
  return Array.from({ length: size }, () => {
    const line = lineOf();
    if (random() > changedShare) {
      return Buffer.from(line);
    }
    return random() < 0.4 ? withOddField(line) : withOddBytes(line, lineOf());
  }).filter((line) => !line.includes("\n"));
}

/** Those of the lines of a text that are copied. */
function taken(copied: CopiedCalls, lines: readonly Buffer[]): Buffer[] {
  const text = Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")]));
  let from = 0;
  copied.clear();
  return lines.filter(({ length }) => {
    const isTaken = copied.take(text, from, from + length);
    from += length + 1;
    return isTaken;
  });
}

class Undone extends Error {}

/** The rows that a transaction would leave, or null if the database refuses it. */
async function rowsOf(write: (tx: Transaction) => Promise<unknown>): Promise<string[] | null> {
  let rows: string[] = [];
  try {
    await db.withTransaction(async (tx) => {
      await write(tx);
      const found = await tx.sql<{ row: string }>`
        select (to_jsonb(u) - '{xid,attempts}'::text[])::text || usage_attempts(u.attempts)::text || coalesce(t::text, '') as row
        from usage_log u left join trace_record t on t.request_id = u.request_id order by u.request_id`;
      rows = found.map(({ row }) => row);
      throw new Undone();
    });
  } catch (error) {
    if (error instanceof Undone) {
      return rows;
    }
    expect(String((error as { errno?: string }).errno)).toMatch(/^(22|23)/);
  }
  return null;
}

const copiedRows = (copied: CopiedCalls) => rowsOf((tx) => copied.write(tx, null));

/** By the statement that is used where rows are not copied. */
const insertedRows = (lines: readonly Buffer[]) =>
  rowsOf(async (tx) => {
    const text = Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")]));
    const { call } = jsonLists([text], ["call"]);
    await insertUsage(tx, { form: "records", ...call, alsoInserts: recordedTraces }, true);
  });

/** The lines whose rows are not the same both ways. What is refused together is tried in halves, down to single lines. */
async function differing(copied: CopiedCalls, lines: readonly Buffer[]): Promise<object[]> {
  expect(taken(copied, lines)).toHaveLength(lines.length);
  const [rows, expected] = [await copiedRows(copied), await insertedRows(lines)];
  if ((rows !== null && expected !== null) || lines.length < 2) {
    const isSame = rows?.join("\n") === expected?.join("\n");
    const known = new Set(expected);
    return isSame
      ? []
      : [
          {
            lines: lines.slice(0, 1).map(String),
            rows: rows?.filter((row) => !known.has(row)),
            isRefused: expected === null,
          },
        ];
  }
  const half = lines.length >>> 1;
  return [...(await differing(copied, lines.slice(0, half))), ...(await differing(copied, lines.slice(half)))];
}

test("lines that are copied have the rows that the statement makes of them, or are refused as it does", async () => {
  const copied = new CopiedCalls();
  let [all, left] = [0, 0];
  for (const size of batches) {
    const lines = batchOf(size);
    const copiedLines = taken(copied, lines);
    all += lines.length;
    left += lines.length - copiedLines.length;
    expect(await differing(copied, copiedLines)).toEqual([]);
  }
  // What is not copied is not compared.
  expect(left / all).toBeWithin(0.01, changedShare);
});

test("lines are copied as before once so many others came that what was kept of them is forgotten", async () => {
  const copied = new CopiedCalls();
  const lines = batchOf(200);
  const bytesOf = async (): Promise<string[]> => {
    const written: string[] = [];
    const copyIn: Transaction["copyIn"] = async (_, bytes) => {
      written.push(Buffer.from(bytes).toString("hex"));
    };
    const takenLines = taken(copied, lines);
    await copied.write({ copyIn } as Transaction, null);
    return [`${takenLines.length}`, ...written];
  };
  const before = await bytesOf();
  const line = lineOf("a client");
  for (let client = 0; client < clients; client += 1) {
    taken(copied, [Buffer.from(line.replace('"a client"', `"client ${client}"`))]);
  }
  expect((await bytesOf()).map((bytes, index) => bytes === before[index])).toEqual([true, true, true]);
});

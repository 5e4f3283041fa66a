import { afterEach, expect, mock, spyOn, test } from "bun:test";
import type { GatewayUserId, RequestId } from "@sluice/contracts/ids";
import { type Decimal, parseDecimal, type Quota } from "@sluice/contracts/money";
import { type CallRows, type CallsSummary, callForms } from "@sluice/control-plane/compose/call-rows.ts";
import { CopiedCalls } from "@sluice/control-plane/compose/copied-calls.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import type { Transaction } from "@sluice/control-plane/platform/db.ts";
import { CopyRows } from "@sluice/control-plane/platform/db-copy-rows.ts";
import { copyValue } from "@sluice/control-plane/platform/db-copy-values.ts";
import { jsonLists } from "@sluice/control-plane/platform/spool/json-lists.ts";
import { RowCollector } from "@sluice/control-plane/platform/spool/model.ts";
import { recordPlace, traceColumns } from "@sluice/control-plane/trace/write-store.ts";
import { recordedColumn, recordPlaces } from "@sluice/control-plane/usage/log/call-record.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { usageRowColumns } from "@sluice/control-plane/usage/log/row-codec.ts";
import fc from "fast-check";
import { traceOfCall } from "../../support/trace/trace-of-call.ts";
import { recordedRows } from "../../support/usage/recorded-calls.ts";
import { usageRow } from "../../support/usage/usage-rows.ts";

/*
 * The rows of a batch as they are sent, beside the same rows put together value by value from their parsed records.
 */

const startedAtMs = Date.parse("2026-11-30T01:02:03.456Z");
const count = fc.oneof(
  fc.constantFrom(0n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 32n, 999_999_999_999_999n),
  fc.bigInt(0n, 9_999n),
);
/** Longer than all other values of its row. */
const longCost = `0.${"12".repeat(1_000)}` as Decimal;
/** Calls of a few keys, so that most begin and end like others, with what each has of its own. */
const calls = fc.record({
  key: fc.nat({ max: 20 }),
  agent: fc.constantFrom("OpenAI/Python 1.99.1", "curl/8", ""),
  hasTrace: fc.boolean(),
  usage: fc.record({
    isStream: fc.boolean(),
    providerCost: fc.option(fc.constantFrom(...["0", "0.00012", "120034.5"].map(parseDecimal), longCost), { freq: 3 }),
    quota: count.map((quota) => quota as Quota),
    quotaHeld: count.map((quota) => quota as Quota),
    firstByteMs: fc.option(fc.constantFrom(0, 7, 90_000, 2 ** 31 - 1)),
    durationMs: fc.constantFrom(0, 12, 90_001, 2 ** 31 - 1),
    startedAtMs: fc.nat({ max: 5 * 3_600_000 }).map((ms) => startedAtMs + ms),
    units: fc
      .record({ inputTokens: count, outputTokens: count, cacheReadTokens: count, reasoningTokens: count })
      .map((units) => ({ ...noUnits, ...units })),
  }),
});

afterEach(() => {
  mock.restore();
});

function rowOf(key: number, changes: Partial<UsageRow>, channel = "first"): UsageRow {
  const id = BigInt(key + 1);
  const customer = { gatewayUserId: id as GatewayUserId, apiKeyId: id, userBudgetId: id, keyBudgetId: 100n + id };
  const at = changes.startedAtMs ?? startedAtMs;
  const attempt = {
    channelId: "3",
    channel,
    startedAtMs: at + 1,
    durationMs: 5,
    status: 200,
    result: "answered",
  };
  return usageRow(customer as Parameters<typeof usageRow>[0], { ...changes, attempts: [attempt as never] });
}

/** Bytes of a value that `copyValue` has no type for, after their length. */
function bytesOf(type: string, value: unknown): Buffer {
  if (type === "uuid") {
    return Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.from(`${value}`.replaceAll("-", ""), "hex")]);
  }
  if (type === "timestamptz") {
    return copyValue("bigint", (Number(value) - Date.UTC(2000, 0, 1)) * 1_000);
  }
  return copyValue(type, value);
}

function attemptsOf(fields: readonly unknown[]): Buffer {
  const at = (name: keyof typeof recordPlaces) => fields[recordPlaces[name]];
  // As short as the database reads it.
  const text = `[["3",${at("attempt_started_ms")},${at("attempt_duration_ms")},"first"]]`;
  return copyValue("text", `\u0001${JSON.stringify(text)}`);
}

function usageValue(name: string, type: string, fields: readonly unknown[]): Buffer {
  if (name === "attempts") {
    return attemptsOf(fields);
  }
  const column = recordedColumn(name);
  return bytesOf(type, "place" in column ? fields[column.place] : column.value);
}

/** All rows in the form of `COPY`, in the order of columns of the statement. */
function expectedOf(sql: string, records: readonly (readonly unknown[])[]): string {
  const names = (/\((.*?)\)/.exec(sql)?.[1] ?? "").split(", ");
  const isUsage = sql.includes("usage_log");
  const typeOf = new Map((isUsage ? usageRowColumns : traceColumns).map(({ name, type }) => [name, type]));
  const rows = records.flatMap((fields) => [
    Buffer.from([0, names.length]),
    ...names.map((name) =>
      isUsage
        ? usageValue(name, typeOf.get(name) ?? "", fields)
        : bytesOf(typeOf.get(name) ?? "", fields[recordPlace(name)]),
    ),
  ]);
  const header = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
  return Buffer.concat([header, ...rows, Buffer.from([0xff, 0xff])]).toString("hex");
}

async function writtenBy(copied: CopiedCalls): Promise<Map<string, string>> {
  const written = new Map<string, string>();
  const copyIn: Transaction["copyIn"] = async (sql, bytes) => {
    written.set(sql, Buffer.from(bytes).toString("hex"));
  };
  await copied.write({ copyIn } as Transaction, null);
  return written;
}

test("rows of calls are sent byte by byte as their records say, in memory that grows and is used again", async () => {
  const copied = new CopiedCalls();
  for (const size of [1, 400, 3, 1_200]) {
    const collector = new RowCollector<CallRows, CallsSummary>(callForms);
    for (const { key, agent, hasTrace, usage } of fc.sample(calls, size)) {
      const row = rowOf(key, usage);
      const entries = recordedRows(row, traceOfCall(row, { userAgent: agent }));
      for (const entry of hasTrace ? entries : entries.slice(0, 1)) {
        collector.add(entry);
      }
    }
    const lines = Buffer.from(collector.text).toString().split("\n");
    const records = lines.map((line) => (JSON.parse(line) as [string, unknown[]])[1]);
    copied.clear();
    const left = jsonLists([new Uint8Array(collector.text)], ["call", "usage", "trace"], copied);
    expect([left.call.count, left.usage.count, left.trace.count]).toEqual([0, 0, 0]);
    const traced = records.filter((fields) => fields.length > recordPlaces.method);
    for (const [sql, bytes] of await writtenBy(copied)) {
      expect(bytes === expectedOf(sql, sql.includes("usage_log") ? records : traced)).toBe(true);
    }
  }
});

test("a call whose ID is none is left to the statement that refuses it, wherever its text is wrong", () => {
  const copied = new CopiedCalls();
  const id = "01a22974-b804-7136-9054-2348f7879148";
  for (let at = 0; at < id.length; at += 1) {
    for (const wrong of ["g", "0", "-", "é"].filter(
      (letter) => (letter === "-") !== (id[at] === "-") || letter === "g",
    )) {
      const requestId = `${id.slice(0, at)}${wrong}${id.slice(at + 1)}` as RequestId;
      const isOne = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(requestId);
      const collector = new RowCollector<CallRows, CallsSummary>(callForms);
      const row = rowOf(1, { requestId });
      for (const entry of recordedRows(row, traceOfCall(row))) {
        collector.add(entry);
      }
      copied.clear();
      const left = jsonLists([new Uint8Array(collector.text)], ["call"], copied);
      expect([requestId, left.call.count]).toEqual([requestId, isOne ? 0 : 1]);
    }
  }
});

test("a row takes no more than the room that was made for it", () => {
  const ends = new Map<CopyRows, number>();
  const taken: boolean[] = [];
  const { beginRow, endRow } = CopyRows.prototype;
  spyOn(CopyRows.prototype, "beginRow").mockImplementation(function (this: CopyRows, start, more) {
    beginRow.call(this, start, more);
    ends.set(this, this.length + more);
  });
  spyOn(CopyRows.prototype, "endRow").mockImplementation(function (this: CopyRows) {
    endRow.call(this);
    taken.push(this.length <= (ends.get(this) ?? 0));
  });
  const copied = new CopiedCalls();
  for (const channel of ["first", "x".repeat(1_000)]) {
    for (const providerCost of [null, longCost]) {
      const collector = new RowCollector<CallRows, CallsSummary>(callForms);
      const row = rowOf(1, { providerCost, firstByteMs: 1 }, channel);
      for (const entry of recordedRows(row, traceOfCall(row))) {
        collector.add(entry);
      }
      copied.clear();
      const left = jsonLists([new Uint8Array(collector.text)], ["call"], copied);
      expect(left.call.count).toBe(0);
    }
  }
  expect(taken).toEqual(Array.from({ length: 8 }, () => true));
});

/** A change of a line for which the statement refuses it, or makes other rows of it. */
const wrongs: Readonly<Record<string, readonly [from: string, to: string]>> = {
  "no quote before its ID": [',"01a', ",x01a"],
  "no quote after its ID": ['148",', "148x,"],
  "a number that begins with 0": [",340,", ",0340,"],
  "a word like null for a number": [",540,null,", ",540,nuli,"],
  "a word like null for a cost": [",1000,null,", ",1000,nnll,"],
  "a cost of more digits than a column has": [",1000,null,", `,1000,"0.${"1".repeat(40_000)}",`],
  "half of a letter in its beginning": ["gpt-4o", "\\ud800"],
  "half of a letter in its attempt": ["answered", "\\ud800"],
  "half of a letter in its end": ["203.0", "\\ud800"],
  "a letter that the database has no text for": ["gpt-4o", "\\u0000"],
  "bytes that are no text in its beginning": ["gpt-4o", "\x80"],
  "bytes that are no text in its end": ["203.0", "\x80"],
  "a trace without a method": ['"POST"', "null"],
};

test.each(Object.entries(wrongs))("a line with %s is left to the statement", (_, [from, to]) => {
  const collector = new RowCollector<CallRows, CallsSummary>(callForms);
  const row = rowOf(1, { requestId: "01a22974-b804-7136-9054-2348f7879148" as RequestId, firstByteMs: null });
  for (const entry of recordedRows(row, traceOfCall(row))) {
    collector.add(entry);
  }
  const line = Buffer.from(collector.text).toString("latin1");
  const isTaken = (text: string): boolean => new CopiedCalls().take(Buffer.from(text, "latin1"), 0, text.length);
  expect(line).toContain(from);
  expect([line, line.replace(from, to), line].map(isTaken)).toEqual([true, false, true]);
});

test("an attempt whose times have more than its own digits is copied as it is", async () => {
  const collector = new RowCollector<CallRows, CallsSummary>(callForms);
  for (const entry of recordedRows(rowOf(1, {}), traceOfCall(rowOf(1, {}))).slice(0, 1)) {
    collector.add(entry);
  }
  const line = Buffer.from(collector.text).toString();
  for (const [from, to] of [
    ['first\\",', 'first\\",-'],
    ['first\\",', 'first\\",1'],
    ['",",200,', '","e1,200,'],
  ] as const) {
    const changed = Buffer.from(line.replace(from, to));
    const copied = new CopiedCalls();
    expect(copied.take(changed, 0, changed.length)).toBe(true);
    const [, fields] = JSON.parse(changed.toString()) as [string, unknown[]];
    const [start, end] = [fields[recordPlaces.attempt_start], fields[recordPlaces.attempt_end]];
    const text = `${start}${fields[recordPlaces.attempt_started_ms]},5${end}`;
    const written = [...(await writtenBy(copied)).values()].map((hex) => Buffer.from(hex, "hex").toString("latin1"));
    expect(written.join()).toContain(JSON.stringify(text));
  }
});

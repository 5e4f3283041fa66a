import { describe, expect, test } from "bun:test";
import type { ApiKeyId, BudgetId, ChannelId, GatewayUserId, RequestId } from "@sluice/contracts/ids";
import type { Decimal, Quota } from "@sluice/contracts/money";
import { toAmount } from "@sluice/control-plane/platform/amount.ts";
import { JsonBytes } from "@sluice/control-plane/platform/spool/json-bytes.ts";
import { RowCollector } from "@sluice/control-plane/platform/spool/model.ts";
import { usageRowCodec } from "@sluice/control-plane/usage/log/commit-usage.ts";
import type { Outcome, UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { writeUsageRow } from "@sluice/control-plane/usage/log/row-bytes.ts";
import { decodeUsageRow, encodeUsageRow } from "@sluice/control-plane/usage/log/row-codec.ts";
import fc from "fast-check";

const { TEST_FULL } = process.env;
const numRuns = TEST_FULL === "1" ? 5_000 : 300;

const nothing = { begin: () => null, add: () => undefined, merge: () => undefined };

/** The fields of a row of the first version. */
const firstLength = 31;

const big = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const small = fc.nat();
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

/** Rows whose texts and counts are of the given kinds. */
function rows(text: fc.Arbitrary<string>, count = big): fc.Arbitrary<UsageRow> {
  const amount = count.map(toAmount);
  return fc.record({
    requestId: fc.uuid() as fc.Arbitrary<string> as fc.Arbitrary<RequestId>,
    day: fc.constantFrom("2026-11-21", "1999-12-31"),
    gatewayUserId: count as fc.Arbitrary<bigint> as fc.Arbitrary<GatewayUserId>,
    apiKeyId: count as fc.Arbitrary<bigint> as fc.Arbitrary<ApiKeyId>,
    userBudgetId: count as fc.Arbitrary<bigint> as fc.Arbitrary<BudgetId>,
    keyBudgetId: orNull(count) as fc.Arbitrary<bigint | null> as fc.Arbitrary<BudgetId | null>,
    sharedBudgetIds: fc.array(count, { maxLength: 2 }) as fc.Arbitrary<bigint[]> as fc.Arbitrary<BudgetId[]>,
    groupName: text,
    path: text,
    model: orNull(text),
    askedModel: orNull(text),
    endUser: orNull(text),
    tags: fc.array(fc.constantFrom("team=search", "feature=a chat", "x.y-z=a@b.c:/+_-0"), { maxLength: 3 }),
    channelId: orNull(count) as fc.Arbitrary<bigint | null> as fc.Arbitrary<ChannelId | null>,
    outcome: fc.constantFrom<Outcome>("completed", "aborted", "failed", "refused"),
    httpStatus: fc.integer({ min: 100, max: 599 }),
    errorCode: orNull(text),
    isStream: fc.boolean(),
    units: fc.record({
      inputTokens: amount,
      outputTokens: amount,
      cacheReadTokens: amount,
      cacheWriteTokens: amount,
      reasoningTokens: amount,
      images: small,
      audioMs: amount,
      cacheWrite1hTokens: amount,
      searches: small,
    }),
    usageSource: fc.constantFrom("provider", "estimated", "none"),
    isImplausible: fc.boolean(),
    providerCost: orNull(fc.constantFrom("0", "0.000135", "12.5")) as fc.Arbitrary<
      string | null
    > as fc.Arbitrary<Decimal | null>,
    cacheBasisPoints: orNull(small),
    priceVersion: orNull(small),
    rateMultiplier: fc.constantFrom(
      "1.0000",
      "0.5",
      "1.2345",
      "100000",
    ) as fc.Arbitrary<string> as fc.Arbitrary<Decimal>,
    quota: count as fc.Arbitrary<bigint> as fc.Arbitrary<Quota>,
    quotaHeld: count as fc.Arbitrary<bigint> as fc.Arbitrary<Quota>,
    attempts: fc.array(
      fc.record(
        {
          channelId: fc.stringMatching(/^\d{1,19}$/),
          channel: text,
          startedAtMs: small,
          durationMs: small,
          status: orNull(fc.integer({ min: 100, max: 599 })),
          result: text,
          credentialId: fc.stringMatching(/^\d{1,19}$/),
          credential: text,
          node: text,
          model: text,
          said: text,
        },
        { requiredKeys: ["channelId", "channel", "startedAtMs", "durationMs", "status", "result"] },
      ),
      { maxLength: 4 },
    ),
    firstByteMs: orNull(small),
    durationMs: small,
    startedAtMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  });
}

/** Characters that a stranger can put into a path or a model name. */
const anyText = fc.string({
  unit: fc.constantFrom("a", '"', "\\", "\n", "\0", "\u001b", "\ud800", "\udc00", "\u2028", "é", "漢", "😀", "u0000"),
});

describe("a usage row as text", () => {
  test("comes back as it was", () => {
    fc.assert(
      fc.property(rows(fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"))), (row) => {
        expect(decodeUsageRow(JSON.parse(encodeUsageRow(row)))).toEqual(row);
      }),
      { numRuns },
    );
  });

  test("stays one line, and loses nothing but the characters that Postgres can't hold", () => {
    fc.assert(
      fc.property(rows(anyText), (row) => {
        const text = encodeUsageRow(row);
        expect(text).not.toContain("\n");
        const back = decodeUsageRow(JSON.parse(text));
        const storable = (value: string) => value.toWellFormed().replaceAll("\0", "\uFFFD");
        expect(back.path).toBe(storable(row.path));
        expect(back.attempts.map(({ result }) => result)).toEqual(row.attempts.map(({ result }) => storable(result)));
        expect({ ...back, quota: 0n }).toEqual({
          ...decodeUsageRow(JSON.parse(encodeUsageRow(back))),
          quota: 0n as Quota,
        });
      }),
      { numRuns },
    );
  });

  test("is recorded as the same bytes, whatever it contains", () => {
    fc.assert(
      fc.property(rows(fc.oneof(fc.constantFrom("plain", "", "a b~"), anyText)), (row) => {
        const collector = new RowCollector({ codecs: { usage: usageRowCodec }, summaries: nothing });
        collector.add({ kind: "usage", row });
        expect(collector.text.toString()).toBe(`["usage",${encodeUsageRow(row)}]`);
      }),
      { numRuns },
    );
  });

  test("of plain words and counts that a number holds is recorded without a text", () => {
    const out = new JsonBytes();
    const word = fc.stringMatching(/^[a-z0-9/.-]{1,20}$/);
    fc.assert(
      fc.property(rows(word, fc.bigInt({ min: 0n, max: 2n ** 53n - 1n })), (any) => {
        const row = { ...any, tags: [] };
        out.cut(0);
        writeUsageRow(row, out);
        expect([out.isPlain, out.written.toString()]).toEqual([true, encodeUsageRow(row)]);
      }),
    );
  });

  test("of the first version is accepted: nothing in it was judged", () => {
    const [row] = fc.sample(rows(fc.string()), { numRuns: 1, seed: 7 }) as [UsageRow];
    const fields = JSON.parse(encodeUsageRow({ ...row, isImplausible: true })) as unknown[];
    const before = fields.with(0, 1).slice(0, firstLength);
    const { units, ...rest } = decodeUsageRow(fields);
    expect(decodeUsageRow(before)).toMatchObject({
      ...rest,
      isImplausible: false,
      providerCost: null,
      cacheBasisPoints: null,
      askedModel: null,
      sharedBudgetIds: [],
      endUser: null,
      tags: [],
    });
    expect(decodeUsageRow(before).units.inputTokens).toBe(units.inputTokens);
    // Up to the eighth version, attempts had names.
    const named = fields.with(0, 8).map((field) => (Bun.deepEquals(field, fields[27]) ? rest.attempts : field));
    expect(decodeUsageRow(named)).toEqual({ ...decodeUsageRow(fields), endUser: null, tags: [] });
    // Up to the ninth version, nothing said for whom a call was.
    expect(decodeUsageRow(fields.with(0, 9).slice(0, -2))).toEqual({
      ...decodeUsageRow(fields),
      endUser: null,
      tags: [],
    });
    // The second version judged, the fourth had two more counts, the fifth the provider's own cost, the sixth
    // says whether it came from the cache, the seventh for which model the client asked, and the eighth what it charged to
    // the budgets of an organisation.
    const [judged, counted, costed] = [
      fields.with(0, 2).slice(0, firstLength + 1),
      fields.with(0, 4).slice(0, firstLength + 3),
      fields.with(0, 5).slice(0, firstLength + 4),
    ];
    const none = { cacheWrite1hTokens: 0, searches: 0 };
    const old = {
      ...rest,
      isImplausible: true,
      providerCost: null,
      cacheBasisPoints: null,
      askedModel: null,
      sharedBudgetIds: [],
      endUser: null,
      tags: [],
    };
    expect(decodeUsageRow(judged)).toEqual({ ...old, units: { ...units, ...none } });
    expect(decodeUsageRow(counted)).toEqual({ ...old, units });
    expect(decodeUsageRow(costed)).toEqual({ ...old, providerCost: rest.providerCost, units });
  });

  test("is refused when one field is of another type, missing, or the version is unknown", () => {
    const [row] = fc.sample(rows(fc.string()), { numRuns: 1, seed: 7 });
    if (row === undefined) {
      throw new Error("no sample");
    }
    const fields = JSON.parse(encodeUsageRow({ ...row, keyBudgetId: 1n as BudgetId })) as unknown[];
    for (const [index] of fields.entries()) {
      for (const wrong of [{}, 1.5, undefined]) {
        expect(() => decodeUsageRow(fields.with(index, wrong))).toThrow(/usage row/);
      }
      expect(() => decodeUsageRow(fields.slice(0, index))).toThrow(/usage row/);
    }
    const shared = JSON.parse(encodeUsageRow({ ...row, sharedBudgetIds: [1n as BudgetId] })) as unknown[];
    for (const wrong of ["{}", "{1,}", "1", "{-1}"]) {
      expect(() => decodeUsageRow(shared.with(shared.indexOf("{1}"), wrong))).toThrow(/usage row/);
    }
    const tagged = JSON.parse(encodeUsageRow({ ...row, tags: ["team=search"] })) as unknown[];
    for (const wrong of ["{}", '{"team"}', "{team=search}", '{"a=\\"b"}', "team=search"]) {
      expect(() => decodeUsageRow(tagged.with(tagged.indexOf('{"team=search"}'), wrong))).toThrow(/usage row/);
    }
    const next = Number(fields[0]) + 1;
    expect(() => decodeUsageRow(fields.with(0, next))).toThrow(`unknown version ${next}`);
    expect(() => decodeUsageRow(fields.with(0, 0))).toThrow(/unknown version 0/);
    expect(() => decodeUsageRow({})).toThrow(TypeError);
  });
});

import { describe, expect, test } from "bun:test";
import { JsonBytes } from "@sluice/control-plane/platform/spool/json-bytes.ts";
import { RowCollector } from "@sluice/control-plane/platform/spool/model.ts";
import type { SpooledTrace, TraceRow } from "@sluice/control-plane/trace/model.ts";
import { traceRowCodec } from "@sluice/control-plane/trace/service.ts";
import { toSpooledTrace, writeTraceRow } from "@sluice/control-plane/trace/trace-row.ts";
import fc from "fast-check";
import { traceRowOf } from "../../support/trace/trace-fixtures.ts";
import { anyCharacter } from "../../support/values/any-character.ts";

const day = "2026-11-21";
const numRuns = process.env["TEST_FULL"] === "1" ? 20_000 : 500;
type Recorded = { trace: TraceRow | SpooledTrace };
const nothing = { begin: () => null, add: () => undefined, merge: () => undefined };

describe("a spooled trace", () => {
  test("comes back from the spool byte for byte, whatever its texts contain", () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 100 });
    fc.assert(
      fc.property(
        text,
        text,
        fc.option(fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n })),
        (agent, path, tokens) => {
          const row = toSpooledTrace(traceRowOf({ day, userAgent: agent, path, model: agent, inputTokens: tokens }));
          const line = traceRowCodec.encode(row);
          expect(line).not.toContain("\n");
          expect(traceRowCodec.decode(JSON.parse(line))).toEqual(row);
        },
      ),
    );
  });

  test("is recorded as the same bytes, whatever its texts contain", () => {
    const plain = fc.stringMatching(/^[ !#-[\]-~]{0,300}$/);
    const odd = fc.string({ unit: anyCharacter, maxLength: 100 });
    const tokens = fc.option(fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }));
    const moments = fc.double({ min: 0, max: 4e12, noNaN: true });
    fc.assert(
      fc.property(fc.oneof(plain, odd), plain, tokens, moments, (path, userAgent, outputTokens, durationMs) => {
        const row = traceRowOf({ day, path, userAgent, model: path, clientIp: path, outputTokens, durationMs });
        for (const recorded of [row, toSpooledTrace(row)]) {
          const collector = new RowCollector<Recorded, null>({ codecs: { trace: traceRowCodec }, summaries: nothing });
          collector.add({ kind: "trace", row: recorded });
          expect(collector.text.toString()).toBe(`["trace",${toSpooledTrace(row).json}]`);
        }
      }),
      { numRuns },
    );
  });

  test("of an ordinary call is recorded without a text", () => {
    const out = new JsonBytes();
    writeTraceRow(traceRowOf({ day }), out);
    expect(out.isPlain).toBe(true);
  });

  test("keeps what strangers wrote within limits", () => {
    const long = "x".repeat(100_000);
    const row = toSpooledTrace(traceRowOf({ day, userAgent: long, path: long, model: long, method: long }));
    expect(row.json.length).toBeLessThan(3_500);
  });

  test.each([
    ["another version", (fields: unknown[]) => fields.with(0, 2)],
    ["a missing field", (fields: unknown[]) => fields.slice(0, -1)],
    ["a number where an integer text belongs", (fields: unknown[]) => fields.with(4, 7)],
    ["an unknown status", (fields: unknown[]) => fields.with(9, "lost")],
    ["an invalid day", (fields: unknown[]) => fields.with(2, "2026-13-01")],
    ["a day that no month has", (fields: unknown[]) => fields.with(2, "2026-02-30")],
    ["no array", () => ({})],
  ])("is refused with %s, instead of failing the batch it is in", (_, change) => {
    const { json } = toSpooledTrace(traceRowOf({ day }));
    expect(() => traceRowCodec.decode(change(JSON.parse(json)))).toThrow();
  });
});

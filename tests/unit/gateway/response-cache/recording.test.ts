import { describe, expect, test } from "bun:test";
import { type RecordedAnswer, Recording } from "@sluice/control-plane/gateway/response-cache/recording.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";

const measured = { units: { ...noUnits, outputTokens: 3 }, usageSource: "provider", isImplausible: false } as const;
const settled = { headers: { "content-type": "text/event-stream" }, isStream: true, model: "asked", measured };

function setUp(answerBytesMax = 10) {
  const kept: RecordedAnswer[] = [];
  const room = { bytes: 0, bytesMax: () => 15 };
  const open = () => new Recording({ room, answerBytesMax, model: "asked", keep: (answer) => kept.push(answer) });
  return { kept, room, open, recording: open() };
}

describe("a recorded response", () => {
  test("is kept whole once its last byte was sent", () => {
    const { kept, room, recording } = setUp();
    recording.add(Buffer.from("abc"));
    recording.settle(settled);
    recording.add(Buffer.from("def"));
    expect([kept, room.bytes]).toEqual([[], 6]);
    recording.finish();
    expect(kept.map(({ body, isStream, units }) => [String(body), isStream, units.outputTokens])).toEqual([
      ["abcdef", true, 3],
    ]);
    expect(room.bytes).toBe(0);
  });

  test.each([
    ["only we counted it", { ...settled, measured: { ...measured, usageSource: "estimated" as const } }],
    ["nobody counted it", { ...settled, measured: { ...measured, usageSource: "none" as const } }],
    ["its count can't be true", { ...settled, measured: { ...measured, isImplausible: true } }],
    ["it searched", { ...settled, measured: { ...measured, units: { ...measured.units, searches: 1 } } }],
    ["another model answered", { ...settled, model: "other" }],
    ["it never settled", null],
  ])("is not kept if %s", (_why, end) => {
    const { kept, room, recording } = setUp();
    recording.add(Buffer.from("abc"));
    if (end !== null) {
      recording.settle(end);
    }
    recording.finish();
    expect([kept, room.bytes]).toEqual([[], 0]);
  });

  test("is given up when it is too long, or all together are, and takes no room then", () => {
    const { kept, room, recording, open } = setUp();
    const other = open();
    recording.add(Buffer.alloc(9));
    other.add(Buffer.alloc(7));
    expect(room.bytes).toBe(9);
    recording.add(Buffer.alloc(2));
    expect(room.bytes).toBe(0);
    for (const each of [recording, other]) {
      each.settle(settled);
      each.finish();
    }
    expect([kept, room.bytes]).toEqual([[], 0]);
  });
});

import { describe, expect, test } from "bun:test";
import type { CallEnder } from "@sluice/control-plane/gateway/call-ender.ts";
import { newCallState } from "@sluice/control-plane/gateway/call-state.ts";
import type { CallEnd, GatewayCall, Hold } from "@sluice/control-plane/gateway/model.ts";
import { SessionBooks, type SessionCall } from "@sluice/control-plane/gateway/realtime/session-books.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";

const held = { ...noUnits, inputTokens: 1_000n, outputTokens: 100n, audioMs: 60_000n };
const limits = { held, most: { ...held, inputTokens: 2_000n, outputTokens: 200n, audioMs: 120_000n } };
const clock = { now: () => 1_700_000_000_000, tick: () => 0 };
const hold = {} as Hold;

/** The books of one session, and how each row of it ended. */
function open(audio = 1n) {
  const ends: CallEnd[] = [];
  const ender = {
    settle: async (_state: unknown, end: CallEnd) => {
      ends.push(end);
    },
  } as unknown as CallEnder;
  const call = { requestId: "01a20582-736f-71f9-8cbf-a2f7dcb6b6ed" } as unknown as GatewayCall;
  const model = { contextTokensMax: 1_000, outputTokensMax: 100, price: { audio } };
  const session = Object.assign(newCallState(call, null), { model }) as unknown as SessionCall;
  const books = new SessionBooks(session, { ender, clock }, limits);
  books.onClientFrame("x".repeat(500));
  books.begin("r");
  return { books, ends };
}
const delta = { responseId: "r", kind: "text", length: 5, signs: 0 } as const;
const told = { ...noUnits, inputTokens: 70n };

describe("a response that ends without a word", () => {
  test.each([
    ["cancelled", told, { usageSource: "provider", units: { inputTokens: 70n } }],
    ["cancelled", null, { usageSource: "estimated", units: { inputTokens: 100n, outputTokens: 0n } }],
    ["failed", told, { usageSource: "none", units: noUnits }],
    ["failed", null, { usageSource: "none", units: noUnits }],
    ["completed", null, { usageSource: "none", units: noUnits }],
  ])(
    "as %s and was counted as %p costs what it read, unless it failed or nothing came of it",
    async (status, units, end) => {
      const { books, ends } = open();
      await books.end("r", { status, units, isFiltered: false }, hold);
      expect(ends).toEqual([expect.objectContaining({ ...end, units: expect.objectContaining(end.units) })]);
    },
  );

  test.each([
    [true, "estimated", 100n],
    [false, "none", 0n],
  ] as const)(
    "because the session is over costs what it read if the client left (%p)",
    async (owesInput, usageSource, inputTokens) => {
      const { books, ends } = open();
      await books.close(() => hold, { outcome: "aborted", errorCode: null, owesInput });
      expect(ends).toMatchObject([{ outcome: "aborted", usageSource, units: { inputTokens, outputTokens: 0n } }]);
    },
  );
});

describe("a count of the provider", () => {
  test("beyond what can be true is booked at the bound and marked", async () => {
    const { books, ends } = open();
    const units = { ...noUnits, inputTokens: 10n ** 15n, outputTokens: 10n ** 15n, cacheReadTokens: 10n ** 15n };
    await books.end("r", { status: "completed", units, isFiltered: false }, hold);
    const most = { inputTokens: 2_000n, outputTokens: 200n, cacheReadTokens: 2_000n };
    expect(ends).toMatchObject([{ usageSource: "provider", isImplausible: true, units: most }]);
    await books.transcribed({ ...noUnits, audioMs: 10n ** 12n }, hold);
    expect(ends[1]).toMatchObject({ isImplausible: true, units: { audioMs: 120_000n } });
  });

  test("of time is one of tokens where a second has no price", async () => {
    const { books, ends } = open(0n);
    await books.transcribed({ ...noUnits, audioMs: 12_345n }, hold);
    await books.transcribed({ ...noUnits, inputTokens: 7n }, hold);
    expect(ends).toMatchObject([
      { isImplausible: false, units: { inputTokens: 124n, audioMs: 0n } },
      { isImplausible: false, units: { inputTokens: 7n, audioMs: 0n } },
    ]);
  });

  test("that is none gives way to ours", async () => {
    const { books, ends } = open();
    books.onDelta(delta);
    await books.end("r", { status: "completed", units: { ...told, isOdd: true }, isFiltered: false }, hold);
    const units = { inputTokens: 100n, outputTokens: 1n };
    expect(ends).toMatchObject([{ usageSource: "estimated", isImplausible: true, units }]);
  });

  test.each([
    [
      "completed",
      false,
      { usageSource: "estimated", isImplausible: true, units: { inputTokens: 70n, outputTokens: 1n } },
    ],
    [
      "failed",
      false,
      { usageSource: "estimated", isImplausible: false, units: { inputTokens: 70n, outputTokens: 1n } },
    ],
    ["cancelled", false, { usageSource: "estimated", isImplausible: false, units: { outputTokens: 1n } }],
    ["incomplete", true, { usageSource: "provider", units: { inputTokens: 70n, outputTokens: 0n } }],
  ])(
    "of no output beside what was delivered, %s, filtered %p, counts only if the provider threw that away",
    async (status, isFiltered, end) => {
      const { books, ends } = open();
      books.onDelta(delta);
      await books.end("r", { status, units: told, isFiltered }, hold);
      expect(ends).toMatchObject([end]);
    },
  );
});

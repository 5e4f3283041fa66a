import { describe, expect, test } from "bun:test";
import type { CallEnder } from "@sluice/control-plane/gateway/call-ender.ts";
import { newCallState } from "@sluice/control-plane/gateway/call-state.ts";
import type { CallEnd, GatewayCall, Hold, ModelEntry } from "@sluice/control-plane/gateway/model.ts";
import { SessionBooks, type SessionCall } from "@sluice/control-plane/gateway/realtime/session-books.ts";
import { Tally } from "@sluice/control-plane/gateway/usage-count/tally.ts";
import type { ReportedUnits } from "@sluice/control-plane/gateway/usage-count/units.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";

const held = { ...noUnits, inputTokens: 1_000, outputTokens: 100, audioMs: 60_000 };
const limits = { held, most: { ...held, inputTokens: 2_000, outputTokens: 200, audioMs: 120_000 } };
const clock = { now: () => 1_700_000_000_000, tick: () => 0 };
const hold = {} as Hold;

/** The books of one session, and how each of its rows ended. */
function open(audio = 1, transcriber: object | null = null) {
  const ends: CallEnd[] = [];
  const models: unknown[] = [];
  const ender = {
    settle: async (state: SessionCall, end: CallEnd) => {
      models.push(state.model.name);
      ends.push(end);
    },
  } as unknown as CallEnder;
  const call = { requestId: "01a20582-736f-71f9-8cbf-a2f7dcb6b6ed" } as unknown as GatewayCall;
  const price = { input: 1, output: 1, audio };
  const model = { name: "voice", contextTokensMax: 1_000, outputTokensMax: 100, price };
  const session = Object.assign(newCallState(call, null), { model }) as unknown as SessionCall;
  const books = new SessionBooks(session, { ender, clock }, limits);
  books.onClientFrame("x".repeat(500));
  books.begin("r");
  if (transcriber !== null) {
    books.setTranscriber({ name: "scribe", price: { ...price, ...transcriber } } as ModelEntry, "param");
  }
  return { books, ends, models };
}
const delta = { responseId: "r", item: "0", kind: "text", length: 5, signs: 0 } as const;
const transcription = (units: ReportedUnits | null, textBytes = 0) => ({ itemId: "i", textBytes, units });
const told = { ...noUnits, inputTokens: 70 };

describe("a response that ends without output", () => {
  test.each([
    ["cancelled", told, { usageSource: "provider", units: { inputTokens: 70 } }],
    ["cancelled", null, { usageSource: "estimated", units: { inputTokens: 100, outputTokens: 0 } }],
    ["failed", told, { usageSource: "none", units: noUnits }],
    ["failed", null, { usageSource: "none", units: noUnits }],
    ["completed", null, { usageSource: "none", units: noUnits }],
  ])(
    "as %s and was counted as %p costs its input, unless it failed or nothing came of it",
    async (status, units, end) => {
      const { books, ends } = open();
      await books.end("r", { status, units, isFiltered: false, output: null }, hold);
      expect(ends).toEqual([expect.objectContaining({ ...end, units: expect.objectContaining(end.units) })]);
    },
  );

  test.each([
    [true, "estimated", 100],
    [false, "none", 0],
  ] as const)(
    "because the session is over costs its input if the client left (%p)",
    async (owesInput, usageSource, inputTokens) => {
      const { books, ends } = open();
      await books.close(() => hold, { outcome: "aborted", errorCode: null, owesInput });
      expect(ends).toMatchObject([{ outcome: "aborted", usageSource, units: { inputTokens, outputTokens: 0 } }]);
    },
  );
});

describe("a count of the provider", () => {
  test("beyond what is plausible is booked at the bound and marked", async () => {
    const { books, ends } = open();
    const units = { ...noUnits, inputTokens: 10 ** 15, outputTokens: 10 ** 15, cacheReadTokens: 10 ** 15 };
    await books.end("r", { status: "completed", units, isFiltered: false, output: null }, hold);
    const most = { inputTokens: 2_000, outputTokens: 200, cacheReadTokens: 2_000 };
    expect(ends).toMatchObject([{ usageSource: "provider", isImplausible: true, units: most }]);
    await books.transcribed(transcription({ ...noUnits, audioMs: 10 ** 12 }), hold);
    expect(ends[1]).toMatchObject({ isImplausible: true, units: { audioMs: 120_000 } });
  });

  test("that is invalid is replaced by ours", async () => {
    const { books, ends } = open();
    books.onPiece(delta);
    await books.end(
      "r",
      { status: "completed", units: { ...told, isOdd: true }, isFiltered: false, output: null },
      hold,
    );
    const units = { inputTokens: 100, outputTokens: 1 };
    expect(ends).toMatchObject([{ usageSource: "estimated", isImplausible: true, units }]);
  });

  test.each([
    [
      "completed",
      false,
      { usageSource: "estimated", isImplausible: true, units: { inputTokens: 70, outputTokens: 1 } },
    ],
    ["failed", false, { usageSource: "estimated", isImplausible: false, units: { inputTokens: 70, outputTokens: 1 } }],
    ["cancelled", false, { usageSource: "estimated", isImplausible: false, units: { outputTokens: 1 } }],
    ["incomplete", true, { usageSource: "provider", units: { inputTokens: 70, outputTokens: 0 } }],
  ])(
    "of no output beside delivered output, %s, filtered %p, counts only if the provider filtered that out",
    async (status, isFiltered, end) => {
      const { books, ends } = open();
      books.onPiece(delta);
      await books.end("r", { status, units: told, isFiltered, output: null }, hold);
      expect(ends).toMatchObject([end]);
    },
  );
});

describe("the transcript of the user's speech", () => {
  const byTime = { input: 0, output: 0, audio: 1 };

  test("costs what the model named by the client costs, in the unit that this has a price for", async () => {
    const { books, ends, models } = open(0, byTime);
    await books.transcribed(transcription({ ...noUnits, audioMs: 12_345 }, 15), hold);
    await books.transcribed(transcription({ ...noUnits, inputTokens: 7, outputTokens: 3 }, 30), hold);
    expect(ends).toMatchObject([
      { usageSource: "provider", isImplausible: false, units: { ...noUnits, audioMs: 12_345 } },
      { usageSource: "estimated", isImplausible: false, units: { inputTokens: 7, audioMs: 2_000 } },
    ]);
    expect(models).toEqual(["scribe", "scribe"]);
  });

  test("costs what the session's model costs if none was named, time by tokens if a second has no price", async () => {
    const { books, ends, models } = open(0);
    await books.transcribed(transcription({ ...noUnits, audioMs: 12_345 }, 15), hold);
    await books.transcribed(transcription({ ...noUnits, inputTokens: 7 }), hold);
    expect(ends).toMatchObject([
      { isImplausible: false, units: { inputTokens: 124, outputTokens: 3 } },
      { isImplausible: false, units: { inputTokens: 7, audioMs: 0 } },
    ]);
    expect(models).toEqual(["voice", "voice"]);
  });

  test.each([null, { ...noUnits, audioMs: 5, isOdd: true }])(
    "costs the time to say it if it is counted as %p",
    async (units) => {
      const { books, ends } = open(1, byTime);
      await books.transcribed(transcription(units, 30), hold);
      expect(ends).toMatchObject([
        { usageSource: "estimated", isImplausible: units !== null, units: { audioMs: 2_000 } },
      ]);
    },
  );

  test("is charged once, at its end or when the session is over before", async () => {
    const { books, ends } = open(1, byTime);
    for (const itemId of ["i", "j", "j"]) {
      books.onTranscript({ itemId, textBytes: 15 });
    }
    books.onTranscript(null);
    await books.transcribed(transcription({ ...noUnits, audioMs: 1_000 }, 15), hold);
    await books.close(() => hold, { outcome: "aborted", errorCode: null, owesInput: false });
    expect(ends).toMatchObject([
      { outcome: "completed", units: { audioMs: 1_000 } },
      { outcome: "aborted", usageSource: "none" },
      { outcome: "aborted", usageSource: "estimated", units: { audioMs: 2_000 } },
    ]);
  });

  test("comes from one model in a session", () => {
    const { books } = open(0, byTime);
    books.setTranscriber({ name: "scribe" } as ModelEntry, "param");
    expect(() => books.setTranscriber({ name: "other" } as ModelEntry, "param")).toThrow("keeps the model");
  });
});

describe("a response that is sent whole at its end", () => {
  const said = () => {
    const tally = new Tally();
    tally.add({ text: "four words of text, and more" }, "", 0);
    return tally;
  };

  test("is output if no delta of it came, and a repetition if one did", async () => {
    const { books, ends } = open();
    books.begin("s");
    books.onPiece({ ...delta, responseId: "s" });
    for (const id of ["r", "s"]) {
      await books.end(id, { status: "completed", units: null, isFiltered: false, output: said() }, hold);
    }
    expect(ends.map(({ units }) => units.outputTokens)).toEqual([6, 1]);
  });

  test("is known by its first delta", () => {
    const { books } = open();
    expect([books.isKnown("r"), books.isKnown("t")]).toEqual([true, false]);
  });
});

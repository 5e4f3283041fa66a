import { expect, test } from "bun:test";
import type { CallReport } from "@sluice/control-plane/gateway/model.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { TranslatedBooks } from "@sluice/control-plane/relay/translated-call.ts";

const said = (outcome: CallReport["outcome"]): CallReport =>
  ({ outcome, httpStatus: 200, durationMs: 1, model: "m" }) as CallReport;
const told = { httpStatus: 503, pieces: [], bytes: 0, model: null };

function setUp() {
  const written: [string, string][] = [];
  const writer = {
    write: ({ outcome }: CallReport) => written.push(["write", outcome]),
    correct: ({ outcome }: CallReport) => written.push(["correct", outcome]),
  };
  return { written, books: new TranslatedBooks(systemClock, writer) };
}

test("a correction that comes before the response was recorded is all that is written", () => {
  const { written, books } = setUp();
  books.report(said("completed"));
  books.correct(said("failed"));
  books.respond(told);
  expect(written).toEqual([["write", "failed"]]);
});

test("a correction that comes after the response was recorded replaces what was written", () => {
  const { written, books } = setUp();
  books.respond(told);
  books.report(said("completed"));
  books.correct(said("failed"));
  expect(written).toEqual([
    ["write", "completed"],
    ["correct", "failed"],
  ]);
});

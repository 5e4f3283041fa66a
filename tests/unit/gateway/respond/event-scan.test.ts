import { expect, test } from "bun:test";
import { eventData } from "@sluice/control-plane/gateway/respond/stream-events/event-scan.ts";
import fc from "fast-check";

const numRuns = process.env["TEST_FULL"] === "1" ? 200_000 : 5_000;
const pieces = ["event: ping", "event", "data: ", "data:", "e", "{}", "x", " ", ": data: no", "\n", "\n", "\r", "\r\n"];
const events = fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((all) => `${all.join("")}\n\n`);

/** The data as the format defines it. */
function definedData(event: string): string {
  return event
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length).replace(/^ /, ""))
    .join("\n");
}

test("the data of an event is the same with a name before it, whatever ends its lines", () => {
  fc.assert(
    fc.property(events, fc.nat(3), (event, before) => {
      const bytes = Buffer.from(`${"\n".repeat(before)}${event}data: of the next event\n\n`);
      expect(eventData(bytes, before, before + event.length)).toBe(definedData(event));
    }),
    {
      numRuns,
      examples: [
        ["event: a\ndata: {}\n\n", 1],
        ["event: a\rdata: x\ndata: {}\n\n", 0],
        ["event: a\n\n", 2],
      ],
    },
  );
});

/**
 * Faults of an upstream after the first event: a cut stream never looks complete, is not retried, and costs what was
 * delivered.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { chargeForPart, chatStream, completeEvents, streamHead, wireBytes } from "../support/calls/chat-stream.ts";
import { FaultRig } from "../support/calls/fault-rig.ts";
import { errorIn, eventPayloads, type RelayedResponse, streamedText } from "../support/calls/relayed-call.ts";
import { arrangements } from "../support/service/sluice.ts";

const isFull = process.env["TEST_FULL"] === "1";
const pieces = ["One ", "zwölf ", "三 ", "🙂 four ", "a longer piece of text "];
const text = pieces.join("");
const events = chatStream(pieces, [11, 29]);
const wire = wireBytes(events);
const raw = wire.toString("latin1");
const body = { stream: true };
const requestOf = (model: string) =>
  Buffer.byteLength(JSON.stringify({ messages: [{ role: "user", content: "hello" }], model, ...body }));

/** Named byte positions, and with TEST_FULL=1 all of them. */
const afterEvents = (count: number) => wireBytes(events.slice(0, count)).length - "0\r\n\r\n".length;
const namedPlaces: readonly [string, number][] = [
  ["after the head", streamHead.length],
  ["inside the first size line", streamHead.length + 1],
  ["inside the first event", streamHead.length + 30],
  ["after the role", afterEvents(1)],
  ["inside the size line of the second event", afterEvents(1) + 1],
  ["before the line end of the second event", afterEvents(2) - 3],
  ["after the first text", afterEvents(2)],
  ["inside a character of three bytes", wire.indexOf(Buffer.from("三")) + 1],
  ["inside a character of four bytes", wire.indexOf(Buffer.from("🙂")) + 2],
  ["after the last text", afterEvents(6)],
  ["after the finish", afterEvents(7)],
  ["after the usage", afterEvents(8)],
  ["inside [DONE]", wire.indexOf("[DONE]") + 3],
  ["before the line end of [DONE]", wire.indexOf("[DONE]") + 6],
];
const allPlaces = Array.from({ length: wire.length - streamHead.length - 9 }, (_, index): [string, number] => [
  `byte ${streamHead.length + index}`,
  streamHead.length + index,
]);
const places = (isFull ? allPlaces : namedPlaces).flatMap(([name, afterBytes]) =>
  (["rst", "fin"] as const).map((end) => ({ name, afterBytes, end })),
);
/** A channel that fails twenty times in a row is skipped for a while, so the cuts are spread over several. */
const cutsPerChannel = 15;
const cuts = places.map((place, index) => ({ ...place, model: `cut-${Math.floor(index / cutsPerChannel)}` }));
type Cut = (typeof cuts)[number];
/** How many channels are used in parallel when every position is tried; on one channel the cuts follow each other. */
const channelsAtOnce = 8;
const batches = Array.from({ length: Math.ceil(cuts.length / cutsPerChannel / channelsAtOnce) }, (_, batch) => {
  const size = cutsPerChannel * channelsAtOnce;
  return { name: `batch ${batch}`, cuts: cuts.slice(batch * size, (batch + 1) * size) };
});

type Fault = {
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly code: string;
  readonly result: string;
  readonly heard: number;
};

const faults: readonly Fault[] = [
  {
    name: "an event that is not JSON",
    behaviour: {
      events: [
        ...events.slice(0, 4).map(({ bytes }) => bytes.toString().slice(6, -2)),
        '{"choices":[{"index":0,"delta":{"content":"un',
        ...events.slice(4).map(({ bytes }) => bytes.toString().slice(6, -2)),
      ],
    },
    code: "stream_interrupted",
    result: "broken_event",
    heard: 4,
  },
  {
    name: "an end without a finish reason",
    behaviour: { raw: wireBytes(events.slice(0, 6)).toString("latin1") },
    code: "stream_interrupted",
    result: "no_last_event",
    heard: 6,
  },
  {
    name: "a chunk size that is not a number",
    behaviour: { raw: `${raw.slice(0, afterEvents(4))}zz\r\n` },
    code: "stream_interrupted",
    result: "malformed",
    heard: 4,
  },
  {
    name: "silence",
    behaviour: { raw, silence: { afterBytes: afterEvents(3) } },
    code: "upstream_timeout",
    result: "idle_timeout",
    heard: 3,
  },
  {
    name: "silence inside an event",
    behaviour: { raw, silence: { afterBytes: afterEvents(3) + 9 } },
    code: "upstream_timeout",
    result: "idle_timeout",
    heard: 3,
  },
  {
    name: "an error event",
    behaviour: {
      events: [
        ...events.slice(0, 4).map(({ bytes }) => bytes.toString().slice(6, -2)),
        { error: { message: "sandbox words", code: "x" } },
        "never seen",
      ],
    },
    code: "upstream_error",
    result: "error_event",
    heard: 4,
  },
  {
    name: "an event above the size limit",
    behaviour: {
      events: [...events.slice(0, 3).map(({ bytes }) => bytes.toString().slice(6, -2)), `"${"x".repeat(5_000_000)}"`],
    },
    code: "stream_interrupted",
    result: "no_last_event",
    heard: 3,
  },
];

describe.each(arrangements)("after the first event, %s", (arrangement) => {
  let faulty: FaultRig;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    for (const model of new Set(cuts.map((cut) => cut.model))) {
      await faulty.addModel(model, [{ name: `${model}-1` }, { name: `${model}-2` }]);
    }
    for (const [index, { result }] of faults.entries()) {
      const model = `broken-${index}`;
      // Only a channel that will be silent loses its patience, and not so soon that a busy provider would seem silent.
      const patience = result === "idle_timeout" ? { silenceMsMax: 1_500 } : {};
      await faulty.addModel(model, [{ name: `${model}-1`, ...patience }, { name: `${model}-2` }]);
    }
    await faulty.start(arrangement);
  });

  afterAll(async () => {
    await faulty.close();
  });

  const expectBroken = (answer: RelayedResponse, heard: number, code: string) => {
    expect(answer.status).toBe(200);
    expect(answer.isWhole).toBe(false);
    const payloads = eventPayloads(answer.body);
    expect(payloads).not.toContain("[DONE]");
    expect(errorIn(answer.body)).toEqual({ message: expect.any(String), type: "server_error", param: null, code });
    expect(payloads.slice(0, -1)).toEqual(
      eventPayloads(Buffer.concat(events.slice(0, heard).map(({ bytes }) => bytes))),
    );
    expect(answer.body.toString("utf8")).not.toContain("sandbox words");
  };

  const expectPartCharged = async ({ model, afterBytes, end }: Cut): Promise<void> => {
    faulty.provider.script({ raw, cut: { afterBytes, with: end } }, { match: { credential: `upstream-${model}-1` } });
    const answer = await faulty.call(model, body);
    const count = completeEvents(events, afterBytes);
    // The usage chunk is seen and charged, but was not requested by the client.
    const heard = Math.min(count, 7);
    const row = await faulty.row(answer.requestId);
    if (count > heard) {
      // Everything was sent except the end mark, which is added.
      expect(answer.isWhole).toBe(true);
      const visible = [...events.slice(0, heard), ...events.slice(-1)].map(({ bytes }) => bytes);
      expect(eventPayloads(answer.body)).toEqual(eventPayloads(Buffer.concat(visible)));
      expect(row).toMatchObject({
        outcome: "completed",
        error_code: null,
        usage_source: "provider",
        output_tokens: 29n,
      });
      return;
    }
    if (heard === 0) {
      // Nothing was sent, so the next channel responds.
      expect({ status: answer.status, isWhole: answer.isWhole }).toEqual({ status: 200, isWhole: true });
      expect(row.attempts.map(({ channel, result }) => [channel, result])).toEqual([
        [`${model}-1`, "reset_in_body"],
        [`${model}-2`, "answered"],
      ]);
      return;
    }
    expectBroken(answer, heard, "stream_interrupted");
    expect(text).toStartWith(streamedText(answer.body));
    expect(row).toMatchObject({
      http_status: 200,
      outcome: "failed",
      error_code: "stream_interrupted",
      ...chargeForPart(events.slice(0, heard), events.slice(0, count), requestOf(model)),
    });
    expect(row.attempts).toEqual([expect.objectContaining({ channel: `${model}-1`, result: "reset_in_body" })]);
  };

  /** Those of one channel run one after the other, so that each meets its own scripted fault. */
  const expectAllCharged = async (all: readonly Cut[]): Promise<void> => {
    const channels = Map.groupBy(all, ({ model }) => model);
    await Promise.all(
      [...channels.values()].map(async (ofChannel) => {
        for (const cut of ofChannel) {
          await expectPartCharged(cut).catch((cause: unknown) => {
            throw new Error(`a stream that ends ${cut.name} by ${cut.end}`, { cause });
          });
        }
      }),
    );
  };

  if (isFull) {
    test.each(batches)("streams that end at any byte never look complete and cost what was delivered, $name", (batch) =>
      expectAllCharged(batch.cuts),
    );
  } else {
    test.each(cuts)(
      "a stream that ends $name by $end never looks complete unless it is, and costs what was delivered",
      expectPartCharged,
    );
  }

  test.each(faults.map((fault, index) => ({ ...fault, model: `broken-${index}` })))(
    "$name ends the stream with $code and no [DONE]",
    async ({ model, behaviour, code, result, heard }) => {
      faulty.provider.script(behaviour, { match: { credential: `upstream-${model}-1` } });
      const answer = await faulty.call(model, body);
      expectBroken(answer, heard, code);
      const row = await faulty.row(answer.requestId);
      const charge = chargeForPart(events.slice(0, heard), events.slice(0, heard), requestOf(model));
      expect(row).toMatchObject({ outcome: "failed", http_status: 200, error_code: code, ...charge });
      expect(row.attempts).toEqual([expect.objectContaining({ channel: `${model}-1`, status: 200, result })]);
      expect(faulty.provider.requests.some(({ credential }) => credential === `upstream-${model}-2`)).toBe(false);
    },
  );
});

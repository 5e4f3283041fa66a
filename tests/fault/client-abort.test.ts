/**
 * Clients that leave: before the head of the response the call at the provider is aborted at once and free; after it
 * the provider is read on for a while, and the one row of the call charges what it reported, or the input and what had
 * been sent.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import {
  type Charge,
  chargeForAbort,
  chatStream,
  type StreamEvent,
  streamHead,
  wireBytes,
} from "../support/calls/chat-stream.ts";
import { FaultRig } from "../support/calls/fault-rig.ts";
import { eventPayloads, relayedRequest } from "../support/calls/relayed-call.ts";
import { arrangements, type SluiceProcess } from "../support/service/sluice.ts";
import { promptMs } from "../support/values/patience.ts";
import { connectRaw } from "../support/wire/raw-tcp-client.ts";

const isFull = process.env["TEST_FULL"] === "1";
/** How long a provider is read on. */
const patienceMs = 300;
const pieces = Array.from(
  { length: isFull ? 40 : 6 },
  (_, index) => `${["", "ü", "four", " five"][index % 4]}w${index} `,
);
const events = chatStream(pieces, [1_011, 29]);
const withCounts = chatStream(pieces, null).map((event): StreamEvent => {
  const [payload] = eventPayloads(event.bytes);
  const counts = { prompt_tokens: 1_000, completion_tokens: 77 };
  const bytes =
    payload === "[DONE]"
      ? event.bytes
      : Buffer.from(`data: ${JSON.stringify({ ...(payload as object), usage: counts })}\n\n`);
  return { bytes, text: event.text, usage: [1_000, 77] };
});
const body = { stream: true, stream_options: { include_usage: true } };
const free = { usage_source: "none", input_tokens: 0n, output_tokens: 0n, quota: 0n } satisfies Charge;

const nowMs = () => performance.timeOrigin + performance.now();
const lengthOf = (count: number, all: readonly StreamEvent[]) =>
  count === 0 ? streamHead.length : wireBytes(all.slice(0, count)).length - "0\r\n\r\n".length;

/**
 * Positions at which the client leaves: before any event, after the first one, ... after the last one before `[DONE]`.
 */
const leavings = (["rst", "fin"] as const).flatMap((how) =>
  events.slice(0, -1).map((_, count) => ({ count: count + 1, how })),
);

describe.each(arrangements)("a client that leaves, %s", (arrangement) => {
  let faulty: FaultRig;
  /** One that reads on for long enough on a busy machine. */
  let patient: SluiceProcess;
  let calls = 0;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    await faulty.addModel("left", [{ name: "left" }]);
    await faulty.start(arrangement, { ABORTED_USAGE_TIMEOUT_MS: String(patienceMs) });
    patient = await faulty.rig.start(arrangement, { ABORTED_USAGE_TIMEOUT_MS: String(promptMs) });
  });

  afterAll(async () => {
    await faulty.close();
  });

  /** Makes a call, leaves once `until` is over, and returns what the row and the provider say about it. */
  const leave = async (plan: {
    readonly behaviour: Behaviour;
    readonly body?: object;
    readonly how: "rst" | "fin";
    readonly until: (connection: Awaited<ReturnType<typeof connectRaw>>) => Promise<unknown>;
  }) => {
    calls += 1;
    faulty.provider.reset();
    faulty.provider.script(plan.behaviour);
    const user = await faulty.rig.addUser();
    const request = relayedRequest({ apiKey: user.apiKey, body: { model: "left", ...plan.body } });
    const connection = await connectRaw(Number(new URL(faulty.relay.url).port));
    const sentAtMs = nowMs();
    connection.send(request);
    await plan.until(connection);
    const leftAtMs = nowMs();
    // On a busy machine the provider may have worked for longer until then.
    const readOnMsMax = Math.max(patienceMs, leftAtMs - sentAtMs);
    connection.close(plan.how);
    const record = await faulty.provider.waitForCancel(0);
    const row = await faulty.rowOf(user);
    return {
      row,
      readOnMsMax,
      cancelledAfterMs: (record.endedAtMs ?? Number.POSITIVE_INFINITY) - leftAtMs,
      requestBytes: Buffer.byteLength(request.slice(request.indexOf("\r\n\r\n") + 4), "latin1"),
    };
  };

  const expectAborted = (left: Awaited<ReturnType<typeof leave>>, charge: Charge, readOnMs = patienceMs) => {
    expect(left.row).toMatchObject({
      outcome: "aborted",
      http_status: 499,
      error_code: "client_closed_request",
      ...charge,
    });
    expect(left.row.attempts).toEqual([expect.objectContaining({ channel: "left", result: "client_left" })]);
    expect(left.cancelledAfterMs).toBeLessThan((readOnMs === 0 ? 0 : left.readOnMsMax) + promptMs);
    // It counts from the last tick of the deadlines, which may be more than 100 ms ago on a busy machine.
    expect(left.cancelledAfterMs).toBeGreaterThanOrEqual(readOnMs / 3);
  };

  test.each(leavings)(
    "after event $count (by $how) cancels the call and pays for what arrived",
    async ({ count, how }) => {
      const left = await leave({
        behaviour: { raw: wireBytes(events).toString("latin1"), silence: { afterBytes: lengthOf(count, events) } },
        body,
        how,
        until: (connection) => connection.waitForText(events[count - 1]?.bytes.toString("latin1").trim() ?? ""),
      });
      expectAborted(left, chargeForAbort(events.slice(0, count), events.slice(0, count), left.requestBytes));
    },
  );

  test.each([1, 2, pieces.length])(
    "after event %i of a stream that reports usage in every event pays that usage",
    async (count) => {
      const left = await leave({
        behaviour: {
          raw: wireBytes(withCounts).toString("latin1"),
          silence: { afterBytes: lengthOf(count, withCounts) },
        },
        body,
        how: "rst",
        until: (connection) => connection.waitForText(withCounts[count - 1]?.bytes.toString("latin1").trim() ?? ""),
      });
      expectAborted(left, chargeForAbort(withCounts.slice(0, count), withCounts.slice(0, count), left.requestBytes));
    },
  );

  test.each([
    ["before the head of a stream", { stream: true }, { afterBytes: 0 }],
    ["inside the head of a stream", { stream: true }, { afterBytes: 50 }],
    ["before the head of a whole response", {}, { afterBytes: 0 }],
  ])("%s cancels the call at once and pays nothing", async (_where, kind, silence) => {
    for (const how of ["rst", "fin"] as const) {
      const until = () => faulty.provider.waitForHeld(0);
      expectAborted(await leave({ behaviour: { silence }, body: kind, how, until }), free, 0);
    }
  });

  test.each([
    ["after the head of a stream", { stream: true }, { afterChunks: 0 }],
    ["after the head of a whole response", {}, { afterChunks: 0 }],
    ["inside the body of a whole response", {}, { afterBytes: 700 }],
  ])("%s cancels the call after a while and pays for the input", async (_where, kind, silence) => {
    for (const how of ["rst", "fin"] as const) {
      const until = () => faulty.provider.waitForHeld(0);
      const left = await leave({ behaviour: { silence }, body: kind, how, until });
      expectAborted(left, chargeForAbort([], [], left.requestBytes));
    }
  });

  test.each([
    ["a stream", body, true],
    ["a whole response", {}, false],
  ])("after the head of %s that ends soon pays what the provider reports", async (_what, kind, isStream) => {
    calls += 1;
    faulty.provider.reset();
    const usage = { prompt_tokens: 1_011, completion_tokens: 29 };
    faulty.provider.script(
      isStream
        ? { raw: wireBytes(events).toString("latin1"), silence: { afterBytes: lengthOf(1, events) } }
        : { usage, silence: { afterChunks: 0 } },
    );
    const user = await faulty.rig.addUser();
    const connection = await connectRaw(Number(new URL(patient.url).port));
    connection.send(relayedRequest({ apiKey: user.apiKey, body: { model: "left", ...kind } }));
    const held = await faulty.provider.waitForHeld(0);
    connection.close("rst");
    await Bun.sleep(patienceMs / 3);
    held.release();
    expect(await faulty.rowOf(user)).toMatchObject({
      outcome: "aborted",
      http_status: 499,
      usage_source: "provider",
      input_tokens: 1_011n,
      output_tokens: 29n,
      attempts: [expect.objectContaining({ channel: "left", result: "client_left" })],
    });
  });

  test.each([
    ["a stream", body, true],
    ["a whole response", {}, false],
  ])(
    "after the head of %s that a provider worked on unseen waits as long for what the provider reports",
    async (_what, kind, isStream) => {
      const workMs = patienceMs * 6;
      for (const answersInTime of [true, false]) {
        calls += 1;
        faulty.provider.reset();
        const usage = { prompt_tokens: 1_011, completion_tokens: 5_029 };
        faulty.provider.script({ usage, silence: { afterChunks: isStream ? 1 : 0 } });
        const user = await faulty.rig.addUser();
        const connection = await connectRaw(Number(new URL(faulty.relay.url).port));
        connection.send(relayedRequest({ apiKey: user.apiKey, body: { model: "left", ...kind } }));
        const held = await faulty.provider.waitForHeld(0);
        await Bun.sleep(workMs);
        const leftAtMs = nowMs();
        connection.close("rst");
        if (answersInTime) {
          await Bun.sleep(patienceMs * 1.5);
          held.release();
        }
        expect(await faulty.rowOf(user)).toMatchObject({
          outcome: "aborted",
          ...(answersInTime
            ? { usage_source: "provider", input_tokens: 1_011n, output_tokens: 5_029n }
            : { usage_source: "estimated", output_tokens: 0n }),
        });
        if (!answersInTime) {
          const record = await faulty.provider.waitForCancel(0);
          expect((record.endedAtMs ?? 0) - leftAtMs).toBeWithin(workMs - 50, workMs * 2 + promptMs);
        }
      }
    },
  );

  test("during the upload of the body never reaches the provider, and pays nothing", async () => {
    faulty.provider.reset();
    for (const how of ["rst", "fin"] as const) {
      const user = await faulty.rig.addUser();
      const request = relayedRequest({ apiKey: user.apiKey, body: { model: "left", padding: "x".repeat(1_000) } });
      const connection = await connectRaw(Number(new URL(faulty.relay.url).port));
      connection.send(request.slice(0, -500));
      await faulty.waitUntilInFlight(1);
      connection.close(how);
      await faulty.waitUntilInFlight(0);
      if (arrangement === "split") {
        // The relay reads the body before it asks the gateway, which has not seen this call.
        continue;
      }
      calls += 1;
      expect(await faulty.rowOf(user)).toMatchObject({
        outcome: "aborted",
        error_code: "client_closed_request",
        ...free,
        attempts: [],
      });
    }
    expect(faulty.provider.requests).toHaveLength(0);
  });

  test("after [DONE] leaves a complete call", async () => {
    calls += 1;
    faulty.provider.reset();
    faulty.provider.script({ raw: wireBytes(events).toString("latin1") });
    const user = await faulty.rig.addUser();
    const connection = await connectRaw(Number(new URL(faulty.relay.url).port));
    connection.send(relayedRequest({ apiKey: user.apiKey, body: { model: "left", ...body } }));
    await connection.waitForText("data: [DONE]\n\n");
    connection.close("rst");
    expect(await faulty.rowOf(user)).toMatchObject({
      outcome: "completed",
      usage_source: "provider",
      output_tokens: 29n,
    });
  });

  test("never leaves a second row, a hold, or a cent unaccounted for", async () => {
    await faulty.waitUntilReleased();
    expect(await faulty.rowCount()).toBe(calls);
    expect(await faulty.rig.checkMoney()).toEqual([]);
  });
});

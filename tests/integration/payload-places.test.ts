import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { utcDay } from "@sluice/control-plane/platform/clock.ts";
import { keyIdOf, SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import type { Payload, PayloadSegment } from "@sluice/control-plane/trace/model.ts";
import { openPayload } from "@sluice/control-plane/trace/payload-sealing.ts";
import { PayloadSegments } from "@sluice/control-plane/trace/payload-segments.ts";
import { commitTraces } from "@sluice/control-plane/trace/service.ts";
import { findPayload, findStoredBodies } from "@sluice/control-plane/trace/store.ts";
import { toSpooledTrace } from "@sluice/control-plane/trace/trace-row.ts";
import { insertSegment } from "@sluice/control-plane/trace/write-store.ts";
import { pagesRead } from "../support/postgres/pages-read.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { readPlaces } from "../support/trace/stored-places.ts";
import { groupOf, payloadOf, traceRowOf } from "../support/trace/trace-fixtures.ts";
import { requestIdAt } from "../support/trace/trace-scene.ts";

const secret = randomBytes(32);
const key = new SealingKey(keyIdOf(secret), secret);
/** A day that is over, so that a call of several hours is within it. */
const day = utcDay(Date.now() - 86_400_000);
const noonMs = Date.parse(`${day}T12:00:00Z`);
const hourMs = 3_600_000;

let server: TestDatabase;
let db: Database;

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase({ url: server.url, poolMax: 2, applicationName: "test" });
  for (const table of ["payload_segment", "payload_record", "trace_record"] as const) {
    await createMissingPartitions(db, table, [day]);
  }
});

afterAll(async () => {
  await db.close(1_000);
  await server.drop();
});

const callAt = (ms: number, request: string, gatewayUserId = 1n): Payload => ({
  ...payloadOf({ day, request, gatewayUserId }),
  requestId: requestIdAt(ms),
});

/** A segment as it is written, completed at a moment. */
function segmentAt(ms: number, ...groups: Payload[][]): PayloadSegment {
  const segments = new PayloadSegments();
  for (const group of groups) {
    segments.add({ day, key }, groupOf(group));
  }
  return { ...(segments.take() as PayloadSegment), segmentId: requestIdAt(ms) };
}

async function requestOf({ requestId }: Payload): Promise<string | null> {
  const found = await findPayload(db, day, requestId);
  return found === null ? null : Buffer.from(openPayload(key, found).request ?? []).toString();
}

describe("a payload is found", () => {
  test("in a segment among those of its time, whatever its group and its user", async () => {
    const calls = Array.from({ length: 60 }, (_, index) =>
      callAt(noonMs + index, `call ${index}`, BigInt(index) * 2n ** 42n),
    );
    // Each of the three has calls from the beginning to the end.
    const shares = [0, 1, 2].map((share) => calls.filter((_, index) => index % 3 === share));
    for (const [index, share] of shares.entries()) {
      await insertSegment(db, segmentAt(noonMs + 1_000 + index, share.slice(0, 7), share.slice(7)));
    }
    for (const [index, call] of calls.entries()) {
      expect(await requestOf(call)).toBe(`call ${index}`);
      expect((await findPayload(db, day, call.requestId))?.gatewayUserId).toBe(call.gatewayUserId);
    }
    expect(await requestOf(callAt(noonMs + 30, "of none"))).toBeNull();
  });

  test("after a call of hours, whose end its trace knows", async () => {
    const call = callAt(noonMs - 5 * hourMs, "a long call");
    await insertSegment(db, segmentAt(noonMs + 60_000, [callAt(noonMs + 59_000, "beside"), call]));
    const trace = { day, requestId: call.requestId, startedAtMs: noonMs - 5 * hourMs, durationMs: 5 * hourMs + 60_000 };
    await commitTraces(db, [toSpooledTrace(traceRowOf(trace))]);
    expect(await requestOf(call)).toBe("a long call");
  });

  test("if its segment was written hours later, because the database was away", async () => {
    const [soon, late] = [callAt(noonMs - hourMs, "soon"), callAt(noonMs - hourMs, "late")];
    await insertSegment(db, segmentAt(noonMs - hourMs / 2, [soon]));
    await insertSegment(db, segmentAt(noonMs + 7 * hourMs, [late]));
    expect([await requestOf(soon), await requestOf(late)]).toEqual(["soon", "late"]);
  });

  test("if the clock went back between the beginning of its call and the end", async () => {
    const call = callAt(noonMs + 2 * hourMs, "from the future");
    await insertSegment(db, segmentAt(noonMs + hourMs, [call]));
    expect(await requestOf(call)).toBe("from the future");
  });

  test("if a release wrote it that gave each payload a row, also beside this one", async () => {
    const calls = [callAt(noonMs + 3_000, "of a row"), callAt(noonMs + 3_000, "of a place")];
    const [older, newer] = calls.map((call) => segmentAt(noonMs + 4_000, [call]));
    if (!(older && newer)) {
      throw new Error("two segments were made");
    }
    await insertSegment(db, newer);
    await db.sql`
      insert into payload_segment (day, segment_id, key_id, sealed)
      values (${day}::text::date, ${older.segmentId}::text::uuid, ${older.keyId}, ${older.sealed})`;
    await db.sql`
      insert into payload_record (day, request_id, gateway_user_id, segment_id, byte_offset, byte_length, request_bytes,
        response_bytes, is_request_truncated, is_response_truncated)
      values (${day}::text::date, ${calls[0]?.requestId ?? ""}::text::uuid, 1, ${older.segmentId}::text::uuid, 0,
        ${older.sealed.length}::integer, 8, 10, false, true)`;
    expect(await Promise.all(calls.map(requestOf))).toEqual(["of a row", "of a place"]);
    const [row, place] = await Promise.all(
      calls.map((call) => findStoredBodies(db, { day, requestId: call.requestId })),
    );
    expect(row).toMatchObject({ request_bytes: 8, response_bytes: 10, is_response_truncated: true });
    expect(place).toMatchObject({ request_bytes: 10, response_bytes: 10, is_response_truncated: false });
  });
});

test("a payload is looked for in the segments of its time alone, however many the day has", async () => {
  const startMs = noonMs + 8 * hourMs;
  // One each 100 ms, as a service writes them that has little to do.
  const others = segmentAt(startMs, [callAt(startMs, "another")]);
  await db.sql`
    insert into payload_segment (day, segment_id, key_id, sealed, places, groups, first_call_ms, last_call_ms)
    select ${day}::text::date, overlay(first_id_of(${startMs}::bigint + n * 100)::text placing lpad(n::text, 12, '0') from 25)::uuid,
      'key', 'x', ${others.places}, ${others.groups}, ${startMs}::bigint + n * 100 - 2000, ${startMs}::bigint + n * 100
    from generate_series(1, 20000) n`;
  await db.query("analyze payload_segment", []);
  const call = callAt(startMs + 1_000_000, "among many");
  await insertSegment(db, segmentAt(startMs + 1_000_500, [call]));
  const pages = await pagesRead(db, "select * from find_payload($1::text::date, $2::text::uuid)", [
    day,
    call.requestId,
  ]);
  // All of the day would be more than 400 pages.
  expect(pages).toBeLessThan(100);
  expect(await requestOf(call)).toBe("among many");
});

test("a length beyond four gigabytes is kept", async () => {
  const call = { ...callAt(noonMs + 9_000, "a long response"), responseBytes: 5_000_000_000 };
  const segment = segmentAt(noonMs + 9_500, [call]);
  await insertSegment(db, segment);
  expect(readPlaces(segment)[0]?.responseBytes).toBe(5_000_000_000);
  expect(await findStoredBodies(db, { day, requestId: call.requestId })).toMatchObject({
    response_bytes: 5_000_000_000,
  });
});

import { expect, test } from "bun:test";
import type { RequestId } from "@sluice/contracts/ids";
import { rowId } from "@sluice/control-plane/gateway/realtime/row-id.ts";

const session = "01a1fe4a-9622-74b2-b618-7f65cdb2bb0a" as RequestId;
const moment = 1_795_267_663_426;

test("a row's id is a UUID of version 7 of its own time, and ends like the id of its session", () => {
  const id = rowId(session, moment, 5);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(moment);
  expect(id.slice(-12)).toBe(session.slice(-12));
});

test("a row's id is the same each time it is derived, and differs for each row of a session", () => {
  expect(rowId(session, moment, 7)).toBe(rowId(session, moment, 7));
  const ordinals = [0, 1, 0x3fff, 0x4000, 0x4001, 0x3ff_ffff];
  expect(new Set(ordinals.map((ordinal) => rowId(session, moment, ordinal))).size).toBe(ordinals.length);
});

test("rows that begin in the same moment keep their order", () => {
  const ids = [0, 1, 2, 0x3fff, 0x4000, 0x8000].map((ordinal) => rowId(session, moment, ordinal));
  expect(ids.toSorted()).toEqual(ids);
});

test("there is no row beyond the last number", () => {
  expect(() => rowId(session, moment, 0x400_0000)).toThrow(RangeError);
});

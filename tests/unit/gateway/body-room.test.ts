import { expect, test } from "bun:test";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { BodyRoom } from "@sluice/control-plane/gateway/body-room.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";

const kib = 1024;
const anna = 1n as GatewayUserId;
const ben = 2n as GatewayUserId;

function codeOf(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof AppError ? error.code : `${error}`;
  }
}

test("a user's bodies are limited in total, other users have their own limit, and all together have one", () => {
  const room = new BodyRoom({ bytesMax: 300 * kib, userBytesMax: 200 * kib });
  const shares = [anna, anna, anna, ben, ben].map((user) => room.share(user));
  const taken = shares.map((share) => codeOf(() => share.add(100 * kib)));
  expect(taken).toEqual([null, null, "rate_limit_exceeded", null, "temporarily_unavailable"]);
  expect(room.bytes).toBe(300 * kib);
  shares[0]?.end();
  expect(codeOf(() => room.share(ben).add(100 * kib))).toBeNull();
});

test("bodies without a known owner are limited only by the total", () => {
  const room = new BodyRoom({ bytesMax: 300 * kib, userBytesMax: 100 * kib });
  const shares = Array.from({ length: 4 }, () => room.share(null));
  const taken = shares.map((share) => codeOf(() => share.add(100 * kib)));
  expect(taken).toEqual([null, null, null, "temporarily_unavailable"]);
  for (const share of shares) {
    share.end();
  }
  expect(room.bytes).toBe(0);
});

test("a body without a declared length is counted as it arrives, and released whole, once", () => {
  const room = new BodyRoom({ bytesMax: 1024 * kib, userBytesMax: 150 * kib });
  const share = room.share(anna);
  for (let piece = 0; piece < 15; piece += 1) {
    share.add(10 * kib);
  }
  expect(codeOf(() => share.add(10 * kib))).toBe("rate_limit_exceeded");
  share.end();
  share.end();
  expect(room.bytes).toBe(0);
  // Pieces that come after the end of their call take nothing.
  share.add(100 * kib);
  expect(room.bytes).toBe(0);
});

test("small bodies are not counted", () => {
  const room = new BodyRoom({ bytesMax: 100 * kib, userBytesMax: 100 * kib });
  for (let call = 0; call < 1_000; call += 1) {
    room.share(anna).add(60 * kib);
  }
  expect(room.bytes).toBe(0);
});

test("a body that is there already is counted like one that arrives", () => {
  for (const bytes of [0, 1, 64 * kib - 1, 64 * kib, 100 * kib]) {
    const rooms = [0, 1].map(() => new BodyRoom({ bytesMax: 300 * kib, userBytesMax: 200 * kib })) as [
      BodyRoom,
      BodyRoom,
    ];
    rooms[0].share(anna).add(bytes);
    rooms[1].shareFor(anna, bytes)?.add(bytes);
    expect(rooms[1].bytes).toBe(rooms[0].bytes);
    expect(rooms[1].shareFor(anna, undefined)).not.toBeNull();
  }
});

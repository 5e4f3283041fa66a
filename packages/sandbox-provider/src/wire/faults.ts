/** The transport faults. Each function takes the pieces of a response and returns those that are really sent. */
import type { Behaviour, Place, Split } from "../script/behaviour.ts";
import type { Piece } from "./plan.ts";
import { seededRandom } from "./seeded-random.ts";

/** Cuts, holds and splits, in this order, so that a position means the same whether or not the response is split. */
export function corruptTransport(pieces: Iterable<Piece>, behaviour: Behaviour): Iterable<Piece> {
  let corrupted = pieces;
  if (behaviour.cut !== undefined) {
    corrupted = takeUntil(corrupted, behaviour.cut);
  }
  if (behaviour.neverAnswer === true) {
    corrupted = holdAt(corrupted, { afterBytes: 0 });
  } else if (behaviour.silence !== undefined) {
    corrupted = holdAt(corrupted, behaviour.silence);
  }
  return behaviour.splitAt === undefined ? corrupted : splitPieces(corrupted, behaviour.splitAt);
}

/** Marks each piece as before or after the position, and splits the piece that contains a byte position. */
function* takeUntil(pieces: Iterable<Piece>, place: Place): Iterable<Piece> {
  for (const step of walk(pieces, place)) {
    if (step.isPast) {
      return;
    }
    yield step.piece;
  }
}

/** The first piece past the position waits until the request is released; a position past the end holds the end. */
function* holdAt(pieces: Iterable<Piece>, place: Place): Iterable<Piece> {
  let hasHeld = false;
  for (const step of walk(pieces, place)) {
    const isHeld: boolean = step.isPast && !hasHeld;
    hasHeld ||= isHeld;
    yield isHeld ? { ...step.piece, isHeld } : step.piece;
  }
  if (!hasHeld) {
    yield { bytes: new Uint8Array(0), delayMs: 0, chunks: 0, isHeld: true };
  }
}

/** Marks each piece as before or past the position, and splits the one that contains a byte position. */
function* walk(pieces: Iterable<Piece>, place: Place): Iterable<{ piece: Piece; isPast: boolean }> {
  let left = "afterBytes" in place ? place.afterBytes : place.afterChunks;
  for (const piece of pieces) {
    if ("afterChunks" in place) {
      yield { piece, isPast: left === 0 && isPastChunks(piece, place.afterChunks) };
      left -= left === 0 ? 0 : piece.chunks;
      continue;
    }
    const before = Math.min(left, piece.bytes.length);
    left -= before;
    if (before === piece.bytes.length) {
      yield { piece, isPast: false };
      continue;
    }
    if (before > 0) {
      yield { piece: { ...piece, bytes: piece.bytes.subarray(0, before), chunks: 0 }, isPast: false };
    }
    const delayMs = before > 0 ? 0 : piece.delayMs;
    yield { piece: { ...piece, bytes: piece.bytes.subarray(before), delayMs }, isPast: true };
  }
}

/** A position after zero chunks still sends the head, which is a piece without a chunk. */
function isPastChunks(piece: Piece, afterChunks: number): boolean {
  return afterChunks > 0 || piece.chunks > 0;
}

function* splitPieces(pieces: Iterable<Piece>, split: Split): Iterable<Piece> {
  const nextCut = cutFinder(split);
  let offset = 0;
  for (const piece of pieces) {
    let start = 0;
    const end = piece.bytes.length;
    do {
      const stop = Math.min(end, Math.max(start, nextCut(offset + start) - offset));
      const isFirst = start === 0;
      yield {
        bytes: piece.bytes.subarray(start, stop),
        delayMs: isFirst ? piece.delayMs : 0,
        chunks: stop === end ? piece.chunks : 0,
        isHeld: isFirst && piece.isHeld === true,
        standsAlone: true,
      };
      start = stop;
    } while (start < end);
    offset += end;
  }
}

/**
 * Returns, for a position, the next position at which the response is split; positions are queried in ascending order.
 */
function cutFinder(split: Split): (position: number) => number {
  if (split === "every-byte") {
    return (position) => position + 1;
  }
  if (Array.isArray(split)) {
    return (position) => split.find((offset) => offset > position) ?? Number.POSITIVE_INFINITY;
  }
  const random = seededRandom(split.seed);
  let next = 0;
  return (position) => {
    while (next <= position) {
      next += 1 + Math.floor(random() * split.bytesMax);
    }
    return next;
  };
}

/** Executes a plan: waits, combines small pieces into one write, holds, and ends the connection as planned. */
import type { Piece, Plan } from "../wire/plan.ts";
import type { Outlet } from "./outlet.ts";

export type TransmitEvents = {
  /** Called after the kernel accepted bytes that complete this many chunks. */
  onWritten(chunks: number): void;
  /** Called when the response is held; the function releases it. */
  onHeld(release: () => void): void;
};

/** How a response ended: complete, cut by the behaviour, or abandoned by the client. */
export type TransmitOutcome = "completed" | "cut" | "cancelled";

type Batch = { parts: Uint8Array[]; length: number; chunks: number };

const batchBytesMax = 65_536;
const bytesPerTurnMax = 1_048_576;

/** Sends a plan; it never throws, because a client that leaves is an ordinary outcome. */
export async function transmit(plan: Plan, outlet: Outlet, events: TransmitEvents): Promise<TransmitOutcome> {
  const batch: Batch = { parts: [], length: 0, chunks: 0 };
  let dueMs = performance.now();
  let turnStart = outlet.bytesWritten;
  for (const piece of plan.pieces) {
    if (needsFlush(piece, batch)) {
      await flush(batch, outlet, events);
    }
    if (piece.isHeld === true && !outlet.isClosed) {
      await outlet.until((wake) => events.onHeld(wake));
      dueMs = performance.now();
    }
    dueMs += piece.delayMs;
    if (piece.delayMs > 0) {
      await outlet.sleepUntil(dueMs);
    }
    if (outlet.isClosed) {
      return "cancelled";
    }
    batch.parts.push(piece.bytes);
    batch.length += piece.bytes.length;
    batch.chunks += piece.chunks;
    if (piece.standsAlone === true || outlet.bytesWritten - turnStart > bytesPerTurnMax) {
      await flush(batch, outlet, events);
      await nextTurn();
      turnStart = outlet.bytesWritten;
    }
  }
  await flush(batch, outlet, events);
  return outlet.isClosed ? "cancelled" : end(plan, outlet);
}

function needsFlush(piece: Piece, batch: Batch): boolean {
  return (
    batch.parts.length > 0 &&
    (piece.delayMs > 0 || piece.isHeld === true || batch.length + piece.bytes.length > batchBytesMax)
  );
}

async function flush(batch: Batch, outlet: Outlet, events: TransmitEvents): Promise<void> {
  const [first, ...others] = batch.parts;
  if (first !== undefined) {
    const { chunks } = batch;
    const bytes = others.length === 0 ? first : Buffer.concat(batch.parts);
    batch.parts = [];
    batch.length = 0;
    batch.chunks = 0;
    await outlet.write(bytes);
    if (!outlet.isClosed) {
      events.onWritten(chunks);
    }
  }
}

async function end(plan: Plan, outlet: Outlet): Promise<TransmitOutcome> {
  if (plan.ending.kind === "rst") {
    await outlet.sleepUntil(performance.now() + plan.ending.lingerMs);
    outlet.reset();
    return "cut";
  }
  if (plan.ending.kind === "fin") {
    outlet.finish(plan.ending.isEarly === true);
    return plan.ending.isCut ? "cut" : "completed";
  }
  return "completed";
}

/**
 * Lets the event loop serve its sockets, so that the peer can read what was written so far. This takes two turns,
 * because a write made while sockets are being served still has the rest of its own turn ahead.
 */
async function nextTurn(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

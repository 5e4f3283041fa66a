import type { Bytes } from "@sluice/http-client/packet-part";
import { findOutline, mayHaveOutline, outlineOf, type TextOutline } from "./text-outline.ts";

/** How many outlines of a caller are kept. */
const keptMax = 4;
/** For all outlines together. Callers who came first are forgotten. */
const allBytesMax = 16 * 1024 * 1024;
const callersMax = 4_096;
/** After so long without a body, the outlines of a caller are forgotten, because they are of customers' bodies. */
const idleMsMax = 600_000;
/**
 * Looking for an outline pays only for callers whose bodies have known ones. A body with one earns a credit, a body without
 * one costs one, and learning an outline costs several. Without credit, an outline is learned every so many bodies.
 */
const creditMax = 64;
const learningCost = 16;
const bodiesPerTrial = 256;

type Entry<Made> = {
  /** Those found last come first. */
  readonly outlines: TextOutline<Made>[];
  credit: number;
  /** How many bodies came without credit. */
  untried: number;
  bytes: number;
  /** When `forgetIdle` was last called before the last body. */
  usedTick: number;
};

/** Knows the bodies of callers that differ from earlier ones only in texts. */
export class OutlinesByCaller<Caller, Made = unknown> {
  readonly #callers = new Map<Caller, Entry<Made>>();
  #bytes = 0;
  #tick = 0;

  /** The memory that the outlines take. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The outline of a body; null if that is not known.
   * @param fields whose texts may differ, because no rule reads them
   */
  find(caller: Caller, body: Bytes, fields: readonly string[]): TextOutline<Made> | null {
    const entry = this.#callers.get(caller);
    if (entry === undefined || entry.credit === 0 || !mayHaveOutline(body)) {
      return null;
    }
    const { outlines } = entry;
    const index = findOutline(outlines, body, fields);
    const found = outlines[index];
    if (found === undefined) {
      return null;
    }
    if (index > 0) {
      outlines.splice(index, 1);
      outlines.unshift(found);
    }
    entry.usedTick = this.#tick;
    entry.credit = Math.min(creditMax, entry.credit + 1);
    return found;
  }

  /** Learns a body that was not known, and that was accepted. The first one of a caller is not worth it yet. */
  learn(caller: Caller, body: Bytes, fields: readonly string[]): void {
    if (!mayHaveOutline(body)) {
      return;
    }
    const entry = this.#callers.get(caller);
    if (entry === undefined) {
      this.#begin(caller);
      return;
    }
    entry.usedTick = this.#tick;
    if (entry.credit === 0) {
      entry.untried += 1;
      entry.credit = entry.untried % bodiesPerTrial === 0 ? learningCost + 1 : 0;
      return;
    }
    entry.credit -= 1;
    if (entry.credit >= learningCost) {
      entry.credit -= learningCost;
      this.#keep(entry, outlineOf<Made>(body, fields));
    }
  }

  /** To be called every few seconds. @param tick monotonic, in milliseconds */
  forgetIdle(tick: number): void {
    this.#tick = tick;
    for (const [caller, entry] of this.#callers) {
      if (tick - entry.usedTick > idleMsMax) {
        this.#forget(caller);
      }
    }
  }

  #begin(caller: Caller): void {
    this.#callers.set(caller, {
      outlines: [],
      credit: creditMax,
      untried: 0,
      bytes: 0,
      usedTick: this.#tick,
    });
    if (this.#callers.size > callersMax) {
      this.#forgetFirst();
    }
  }

  #keep(entry: Entry<Made>, outline: TextOutline<Made> | null): void {
    if (outline === null) {
      return;
    }
    entry.outlines.unshift(outline);
    const added = outline.size - (entry.outlines.splice(keptMax)[0]?.size ?? 0);
    entry.bytes += added;
    this.#bytes += added;
    while (this.#bytes > allBytesMax) {
      this.#forgetFirst();
    }
  }

  #forgetFirst(): void {
    for (const caller of this.#callers.keys()) {
      this.#forget(caller);
      return;
    }
  }

  #forget(caller: Caller): void {
    this.#bytes -= this.#callers.get(caller)?.bytes ?? 0;
    this.#callers.delete(caller);
  }
}

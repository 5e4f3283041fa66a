import type { JsonObject } from "../json.ts";
import { isGiven } from "../json.ts";

/** As many as a body may have fields at its top; a header names fewer and counts the rest. */
const namesMax = 1_000;
const headerSafeName = /^[\w.-]{1,64}$/;

/** Collects the names of requested features that the upstream does not support. */
export class DroppedFeatures {
  readonly #names = new Set<string>();

  /** Names come partly from clients; one that is not valid in a header is reported as `unknown`. */
  add(name: string): void {
    if (this.#names.size < namesMax) {
      this.#names.add(headerSafeName.test(name) ? name : "unknown");
    }
  }

  /** Notes markers that any block may have and that have no counterpart. */
  addMarksOf(block: JsonObject): void {
    if (isGiven(block["cache_control"])) {
      this.#names.add("cache_control");
    }
  }

  /** In alphabetical order, each name once. */
  list(): string[] {
    return [...this.#names].toSorted();
  }
}

/** The value of the `x-compat-dropped` header; null when nothing was dropped. */
export function toCompatDroppedHeader(dropped: readonly string[]): string | null {
  return dropped.length === 0 ? null : dropped.join(",");
}

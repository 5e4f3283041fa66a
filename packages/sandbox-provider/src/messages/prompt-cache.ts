/**
 * The provider's cache of prompts. A prefix that ends at a breakpoint is written when it is first seen; a later request
 * reads the longest of its own prefixes that was written, and writes the rest up to its last breakpoint. Nothing expires,
 * so that every run counts the same; the oldest prefixes make room for new ones.
 */
import type { CacheCounts } from "../api/usage.ts";
import type { Prefix } from "./prompt-prefixes.ts";

const prefixesMax = 4_096;

export class PromptCache {
  readonly #written = new Set<string>();

  /** What this request reads and writes. */
  use(prefixes: readonly Prefix[]): CacheCounts {
    const isCached = prefixes.some(({ lifetime }) => lifetime !== null);
    const read = isCached ? prefixes.findLast(({ hash }) => this.#written.has(hash)) : undefined;
    const counts = { cached: read?.tokens ?? 0, written5m: 0, written1h: 0 };
    let from = counts.cached;
    for (const { hash, tokens, lifetime } of prefixes) {
      if (lifetime !== null) {
        counts[lifetime === "1h" ? "written1h" : "written5m"] += Math.max(0, tokens - from);
        from = Math.max(from, tokens);
        this.#remember(hash);
      }
    }
    return counts;
  }

  clear(): void {
    this.#written.clear();
  }

  #remember(hash: string): void {
    this.#written.delete(hash);
    this.#written.add(hash);
    const [oldest] = this.#written;
    if (this.#written.size > prefixesMax && oldest !== undefined) {
      this.#written.delete(oldest);
    }
  }
}

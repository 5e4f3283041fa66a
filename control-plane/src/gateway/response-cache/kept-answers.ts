import { type KeptAnswer, sizeOf } from "./model.ts";

/** How many entries one search for expired ones visits. */
const lookedAtMax = 2_000;

/** Answers in the memory of this process: the ones used longest ago make room for new ones. */
export class KeptAnswers {
  /** In the order of their last use. */
  readonly #answers = new Map<string, KeptAnswer>();
  #bytes = 0;
  #looking: Iterator<[string, KeptAnswer]> | null = null;

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#answers.size;
  }

  find(digest: string, nowMs: number): KeptAnswer | null {
    const answer = this.#answers.get(digest);
    if (answer === undefined) {
      return null;
    }
    this.#drop(digest, answer);
    if (answer.expiresAtMs <= nowMs) {
      return null;
    }
    this.#add(digest, answer);
    return answer;
  }

  /**
   * Keeps an answer in place of an earlier one, if there can be room for it.
   * @returns how many others had to go
   */
  keep(digest: string, answer: KeptAnswer, bytesMax: number): number {
    const earlier = this.#answers.get(digest);
    if (earlier !== undefined) {
      this.#drop(digest, earlier);
    }
    const size = sizeOf(answer);
    if (size > bytesMax) {
      return 0;
    }
    const evicted = this.#shrink(bytesMax - size);
    this.#add(digest, answer);
    return evicted;
  }

  /** Drops expired answers, some thousands at a time, and what exceeds the limit. */
  sweep(nowMs: number, bytesMax: number): number {
    this.#looking ??= this.#answers.entries();
    for (let looked = 0; looked < lookedAtMax; looked += 1) {
      const next = this.#looking.next();
      if (next.done === true) {
        this.#looking = null;
        break;
      }
      const [digest, answer] = next.value;
      if (answer.expiresAtMs <= nowMs) {
        this.#drop(digest, answer);
      }
    }
    return this.#shrink(bytesMax);
  }

  clear(): void {
    this.#answers.clear();
    this.#bytes = 0;
    this.#looking = null;
  }

  #shrink(bytesMax: number): number {
    let evicted = 0;
    for (const [digest, answer] of this.#answers) {
      if (this.#bytes <= bytesMax) {
        break;
      }
      this.#drop(digest, answer);
      evicted += 1;
    }
    return evicted;
  }

  #add(digest: string, answer: KeptAnswer): void {
    this.#answers.set(digest, answer);
    this.#bytes += sizeOf(answer);
  }

  #drop(digest: string, answer: KeptAnswer): void {
    this.#answers.delete(digest);
    this.#bytes -= sizeOf(answer);
  }
}

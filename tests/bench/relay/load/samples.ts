import type { Quantiles } from "./plan.ts";

/** A growing list of numbers without an object for each. */
export class Samples {
  #values = new Float64Array(65_536);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(value: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count] = value;
    this.#count += 1;
  }

  /** @throws Error when there is no sample, because a quantile of nothing would look like a result */
  quantiles(): Quantiles {
    if (this.#count === 0) {
      throw new Error("no sample fell into the measured window");
    }
    const sorted = this.#values.slice(0, this.#count).sort();
    const at = (share: number) => sorted[Math.min(this.#count - 1, Math.floor(share * this.#count))] ?? Number.NaN;
    return { p50: at(0.5), p99: at(0.99), max: at(1) };
  }
}

/** The middle of the numbers; with an even count the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

import { recallRepeatMs } from "./lease-limits.ts";

/** What an acquisition asks of other replicas while too little is left of a budget. */
export class Recall {
  /** As in `LeaseRequest`. */
  number = 0n;
  #askedTick = 0;

  /**
   * Some replica has not answered yet. One without a lease of the budget does not answer, and may get one meanwhile, so
   * after some time everybody is asked again.
   */
  wait(number: bigint, tick: number): void {
    if (number !== this.number) {
      this.number = number;
      this.#askedTick = tick;
    } else if (tick - this.#askedTick >= recallRepeatMs) {
      this.number = 0n;
    }
  }

  /** What it was for is decided. */
  end(): void {
    this.number = 0n;
  }
}

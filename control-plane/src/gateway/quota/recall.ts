import { recallMsMax, recallRepeatMs } from "./lease-limits.ts";

/** What an acquisition asks of other replicas while too little is left of a budget. */
export class Recall {
  /** As in `LeaseRequest`. */
  number = 0n;
  #askedTick = 0;
  #endTick: number;

  constructor(tick: number) {
    this.#endTick = tick + recallMsMax;
  }

  /** Whether others had enough time to give back what is idle. */
  isOver(tick: number): boolean {
    return tick >= this.#endTick;
  }

  /**
   * Some replica has not answered yet. One without a lease of the budget does not answer, but may get a lease meanwhile, so
   * all are asked again after some time.
   */
  wait(number: bigint, tick: number): void {
    if (number !== this.number) {
      this.number = number;
      this.#askedTick = tick;
    } else if (tick - this.#askedTick >= recallRepeatMs) {
      this.number = 0n;
    }
  }

  /** Something was lent: if too little is left again, others get as much time as before. */
  restart(tick: number): void {
    this.number = 0n;
    this.#endTick = tick + recallMsMax;
  }

  /** What it was for is refused. Calls that need less and waited as long are decided without more time. */
  end(): void {
    this.number = 0n;
  }
}

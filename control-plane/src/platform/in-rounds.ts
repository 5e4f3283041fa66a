export type Rounds = {
  /** The maximum that one round processes; a round with fewer is the last. */
  readonly atOnceMax: number;
  readonly roundsMax: number;
};

/**
 * Splits a long piece of work into short rounds, so that it blocks nothing. What is left after the last round waits for
 * the next call.
 * @param round processes at most this many, and returns how many there were
 * @returns how many there were in total
 */
export async function inRounds(
  { atOnceMax, roundsMax }: Rounds,
  round: (atOnceMax: number) => Promise<number>,
): Promise<number> {
  let total = 0;
  for (let count = 0; count < roundsMax; count += 1) {
    const done = await round(atOnceMax);
    total += done;
    if (done < atOnceMax) {
      break;
    }
  }
  return total;
}

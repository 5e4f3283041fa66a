export type Backoff = {
  readonly minMs: number;
  readonly maxMs: number;
  /** The random share of the wait, so that attempts that failed together are not retried together. */
  readonly chance?: number;
};

/** No limit is reached by more doublings than this. */
const doublingsMax = 30;

/**
 * How long to wait before the next attempt, in milliseconds: doubled with each attempt, up to the limit, minus a random
 * share.
 * @param attempts the number of attempts so far, at least 1
 */
export function backoffMs(
  { minMs, maxMs, chance = 0.5 }: Backoff,
  attempts: number,
  random: () => number = Math.random,
): number {
  const ceiling = Math.min(maxMs, minMs * 2 ** Math.min(attempts - 1, doublingsMax));
  return Math.round(ceiling * (1 - chance * random()));
}

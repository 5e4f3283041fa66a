export type Backoff = {
  readonly minMs: number;
  readonly maxMs: number;
  /** The random share of the wait, so that what failed together is not retried together. */
  readonly chance?: number;
};

/** No limit needs more doublings than this. */
const doublingsMax = 30;

/**
 * How long to wait before the next attempt, in milliseconds: doubled with each, up to the limit, less a random share.
 * @param attempts how many there were, from 1
 */
export function backoffMs(
  { minMs, maxMs, chance = 0.5 }: Backoff,
  attempts: number,
  random: () => number = Math.random,
): number {
  const ceiling = Math.min(maxMs, minMs * 2 ** Math.min(attempts - 1, doublingsMax));
  return Math.round(ceiling * (1 - chance * random()));
}

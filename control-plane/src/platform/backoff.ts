export type Backoff = {
  readonly minMs: number;
  readonly maxMs: number;
  /** The share of the wait that is left to chance, so that what failed together does not come back together. */
  readonly chance?: number;
};

/** More doublings than this no limit needs. */
const doublingsMax = 30;

/**
 * How long to wait before the next attempt, in milliseconds: doubled with each, up to the limit, less what chance takes off.
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

import type { Ability, Channel } from "../channels/model.ts";

/**
 * The channel for the next attempt: among those that are open, a weighted choice within the first priority that has
 * any. Pure: whether a channel is open and untried, and the random number, are parameters.
 * @param abilities by priority
 * @param random a number from 0 up to, not including, 1
 */
export function chooseChannel(
  abilities: readonly Ability[],
  isOpen: (channel: Channel) => boolean,
  random: number,
): Channel | null {
  const candidates = abilities.filter(({ channel }) => isOpen(channel));
  const tier = candidates.filter(({ priority }) => priority === candidates[0]?.priority);
  const total = tier.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) {
    return tier[Math.floor(random * tier.length)]?.channel ?? null;
  }
  let rest = random * total;
  for (const { channel, weight } of tier) {
    rest -= weight;
    if (rest < 0) {
      return channel;
    }
  }
  return tier.at(-1)?.channel ?? null;
}

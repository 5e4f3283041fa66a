import type { Ability, Channel } from "../channels/model.ts";

/**
 * The ability for the next attempt: among those whose channel is open, a weighted choice within the first priority that
 * has any. Within that priority, channels that speak the client's dialect go first. Pure: whether a channel is open and
 * untried, what it speaks, and the random number are parameters.
 * @param abilities by priority
 * @param random a number from 0 up to, not including, 1
 */
export function chooseChannel(
  abilities: readonly Ability[],
  isOpen: (channel: Channel) => boolean,
  speaks: (channel: Channel) => boolean,
  random: number,
): Ability | null {
  const candidates = abilities.filter(({ channel }) => isOpen(channel));
  const first = candidates.filter(({ priority }) => priority === candidates[0]?.priority);
  const speaking = first.filter(({ channel }) => speaks(channel));
  const tier = speaking.length > 0 ? speaking : first;
  const total = tier.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) {
    return tier[Math.floor(random * tier.length)] ?? null;
  }
  let rest = random * total;
  for (const ability of tier) {
    rest -= ability.weight;
    if (rest < 0) {
      return ability;
    }
  }
  return tier.at(-1) ?? null;
}

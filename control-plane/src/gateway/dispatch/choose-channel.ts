import type { Ability, Channel } from "../channels/model.ts";
import { chooseByWeight } from "../channels/weighted-choice.ts";

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
  return chooseByWeight(tier, random);
}

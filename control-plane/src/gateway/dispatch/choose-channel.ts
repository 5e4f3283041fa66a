import type { ChannelId } from "@sluice/contracts/ids";
import type { Ability, Channel } from "../channels/model.ts";
import { chooseByWeight } from "../channels/weighted-choice.ts";

/** Which channels go first within a priority. */
export type Preference = {
  readonly speaks: (channel: Channel) => boolean;
  /** The channel to keep to while it is in the tier that the choice is made from. */
  readonly preferred?: ChannelId | null | undefined;
};

/**
 * The ability for the next attempt: among those whose channel is open, a weighted choice within the first priority that
 * has any. Within that priority, channels that speak the client's dialect go first, and among these the preferred one.
 * Pure: whether a channel is open and untried, what it speaks, and the random number are parameters.
 * @param abilities by priority
 * @param random a number from 0 up to, not including, 1
 */
export function chooseChannel(
  abilities: readonly Ability[],
  isOpen: (channel: Channel) => boolean,
  { speaks, preferred = null }: Preference,
  random: number,
): Ability | null {
  const candidates = abilities.filter(({ channel }) => isOpen(channel));
  const first = candidates.filter(({ priority }) => priority === candidates[0]?.priority);
  const speaking = first.filter(({ channel }) => speaks(channel));
  const tier = speaking.length > 0 ? speaking : first;
  const kept = preferred === null ? undefined : tier.find(({ channel }) => channel.id === preferred);
  return kept ?? chooseByWeight(tier, random);
}

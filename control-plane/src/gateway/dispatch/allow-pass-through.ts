import { type Ability, passesThrough } from "../channels/model.ts";
import type { GatewayCall } from "../model.ts";

/** The channels that pass a call's path through. Pure. */
export function allowPassThrough(
  abilities: readonly Ability[],
  call: Pick<GatewayCall, "method" | "path">,
): readonly Ability[] {
  return abilities.filter(({ channel }) => passesThrough(channel, call));
}

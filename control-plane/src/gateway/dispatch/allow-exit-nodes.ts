import type { Catalog } from "../catalog.ts";
import { type Ability, type ExitNodesOfModel, exitNodeGroup } from "../channels/model.ts";
import type { AdmittedCall } from "../model.ts";

const noNodes: ExitNodesOfModel = new Map();

/** The exit nodes that the routes allow for the call; null outside of the group of exit nodes, where there are none. */
export function findExitNodes(catalog: Catalog, { principal, model }: AdmittedCall): ExitNodesOfModel | null {
  if (principal.groupName !== exitNodeGroup) {
    return null;
  }
  return catalog.permits.get(principal.gatewayUserId)?.get(model.name) ?? noNodes;
}

/** The abilities without the exit nodes that the call may not use. Pure. */
export function allowExitNodes(abilities: readonly Ability[], nodes: ExitNodesOfModel | null): readonly Ability[] {
  return nodes === null
    ? abilities
    : abilities.filter(({ channel }) => channel.exitNode === null || nodes.has(channel.id));
}

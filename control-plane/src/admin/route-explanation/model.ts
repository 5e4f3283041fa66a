import type { RouteExplanation } from "@sluice/contracts/catalog-admin";

/** What the catalog in the database says about a name. */
export type RouteFacts = {
  /** The entry of the model map; null when there is none, or the route has no map. */
  readonly mapping: { readonly upstreamModel: string; readonly isEnabled: boolean } | null;
  readonly model: { readonly isEnabled: boolean; readonly hasPrice: boolean } | null;
  /** The abilities of all groups, by priority and id. */
  readonly abilities: readonly AbilityFacts[];
};

export type AbilityFacts = {
  readonly groupName: string;
  readonly channelId: bigint;
  readonly channelName: string;
  readonly exitNodeCode: string | null;
  readonly isChannelEnabled: boolean;
  readonly isAddressUsable: boolean;
  readonly hasCredential: boolean;
  readonly isEnabled: boolean;
  readonly priority: number;
  readonly weight: number;
};

type Asked = { readonly name: string; readonly groupName: string; readonly route: "v1" | "messages" };
type Candidate = RouteExplanation["candidates"][number];

const percent = 100;

/**
 * Where a name would send a call of a group, by the rules of the catalog: enabled channels of the first priority by
 * weight, then the next. The current state of channels is not considered.
 */
export function explainRoute({ name, groupName, route }: Asked, facts: RouteFacts): RouteExplanation {
  const upstreamModel = route === "v1" ? name : (facts.mapping?.upstreamModel ?? null);
  const candidates = rank(facts.abilities.filter((each) => each.groupName === groupName));
  const reachable = new Set(facts.abilities.filter(isUsable).map((each) => each.groupName));
  const outcome = outcomeOf(route, facts, candidates);
  const isOpen = outcome === "reachable" || outcome === "no_channel";
  return {
    name,
    group_name: groupName,
    route,
    outcome,
    upstream_model: upstreamModel,
    candidates,
    reachable_groups: isOpen ? [...reachable].sort() : [],
  };
}

function outcomeOf(
  route: Asked["route"],
  { mapping, model }: RouteFacts,
  candidates: readonly Candidate[],
): RouteExplanation["outcome"] {
  if (route === "messages" && mapping?.isEnabled !== true) {
    return mapping === null ? "name_not_mapped" : "mapping_disabled";
  }
  if (model === null) {
    return "model_unknown";
  }
  if (!model.isEnabled) {
    return "model_disabled";
  }
  if (!model.hasPrice) {
    return "model_without_price";
  }
  return candidates.some(({ place }) => place === "first") ? "reachable" : "no_channel";
}

function rank(abilities: readonly AbilityFacts[]): Candidate[] {
  const usable = abilities.filter(isUsable);
  const [first] = usable;
  return abilities.map((each) => {
    const tier = usable.filter(({ priority }) => priority === each.priority);
    const total = tier.reduce((sum, { weight }) => sum + weight, 0);
    // If all weights are 0, all channels are equally likely.
    const share = total === 0 ? 1 / tier.length : each.weight / total;
    const place = !isUsable(each) ? "never" : each.priority === first?.priority ? "first" : "fallback";
    return {
      channel_id: Number(each.channelId),
      channel_name: each.channelName,
      exit_node_code: each.exitNodeCode,
      priority: each.priority,
      weight: each.weight,
      has_credential: each.hasCredential,
      place,
      share_percent: place === "never" ? null : Math.round(share * percent * percent) / percent,
      reasons: reasonsOf(each),
    };
  });
}

function reasonsOf({ isEnabled, isChannelEnabled, isAddressUsable }: AbilityFacts): Candidate["reasons"] {
  return [
    ...(isChannelEnabled ? [] : (["channel_disabled"] as const)),
    ...(isEnabled ? [] : (["ability_disabled"] as const)),
    ...(isAddressUsable ? [] : (["address_unusable"] as const)),
  ];
}

function isUsable(facts: AbilityFacts): boolean {
  return reasonsOf(facts).length === 0;
}

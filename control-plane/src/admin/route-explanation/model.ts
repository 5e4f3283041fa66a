import type { RouteExplanation } from "@sluice/contracts/catalog-admin";

/** What the catalog in the database says about the model of a name. */
export type RouteFacts = {
  /** The entry of the model map is disabled, and no model of the catalog has the name. */
  readonly isMappingDisabled: boolean;
  readonly isGroupKnown: boolean;
  readonly model: ModelFacts | null;
  /** The abilities of all groups, by priority and id. */
  readonly abilities: readonly AbilityFacts[];
};

export type ModelFacts = { readonly isEnabled: boolean; readonly hasPrice: boolean };

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
  readonly way: Candidate["way"];
};

/** The rule by which other models may answer, each with what is known about it. */
export type FallbackFacts = {
  readonly isOfGroup: boolean;
  readonly isForEveryKey: boolean;
  readonly models: readonly { readonly name: string; readonly isLarger: boolean; readonly facts: RouteFacts }[];
};

type Asked = Pick<RouteExplanation, "name" | "group_name" | "route" | "api" | "is_mapped" | "upstream_model">;
type Outcome = RouteExplanation["outcome"];
type Candidate = RouteExplanation["candidates"][number];

const percent = 100;

/**
 * Where a name would send a call of a group, by the rules of the catalog: enabled channels of the first priority by
 * weight, those that speak the client's API before those that a call is converted for, then the next; then other models.
 * The current state of channels is not considered.
 */
export function explainRoute(asked: Asked, facts: RouteFacts, fallbacks: FallbackFacts | null): RouteExplanation {
  const others = (fallbacks?.models ?? []).map(({ name, isLarger, facts: theirs }) => ({
    ...{ name, is_larger: isLarger },
    outcome: outcomeOf(theirs, asked.group_name),
  }));
  const own = outcomeOf(facts, asked.group_name);
  const isSaved = own === "no_channel" && others.some((each) => !each.is_larger && each.outcome === "reachable");
  const isOpen = own === "reachable" || own === "no_channel";
  const reachable = new Set(facts.abilities.filter(isUsable).map((each) => each.groupName));
  return {
    ...asked,
    outcome: isSaved ? "fallback_only" : own,
    candidates: rank(ofGroup(facts, asked.group_name)),
    reachable_groups: isOpen ? [...reachable].sort() : [],
    fallbacks:
      fallbacks === null
        ? null
        : { is_of_group: fallbacks.isOfGroup, is_for_every_key: fallbacks.isForEveryKey, models: others },
  };
}

const ofGroup = ({ abilities }: RouteFacts, groupName: string) =>
  abilities.filter((each) => each.groupName === groupName);

function outcomeOf(facts: RouteFacts, groupName: string): Outcome {
  const { model } = facts;
  if (!facts.isGroupKnown) {
    return "group_unknown";
  }
  if (model === null) {
    return facts.isMappingDisabled ? "mapping_disabled" : "model_unknown";
  }
  if (!model.isEnabled) {
    return "model_disabled";
  }
  if (!model.hasPrice) {
    return "model_without_price";
  }
  return ofGroup(facts, groupName).some(isUsable) ? "reachable" : "no_channel";
}

function rank(abilities: readonly AbilityFacts[]): Candidate[] {
  const usable = abilities.filter(isUsable);
  const [first] = usable;
  return abilities.map((each) => {
    const atOnce = usable.filter(({ priority }) => priority === each.priority);
    const isPreferred = ({ way }: AbilityFacts) => way === "as_it_is" || atOnce.every((one) => one.way === "converted");
    const tier = atOnce.filter((one) => isPreferred(one) === isPreferred(each));
    const total = tier.reduce((sum, { weight }) => sum + weight, 0);
    // If all weights are 0, all channels are equally likely.
    const share = total === 0 ? 1 / tier.length : each.weight / total;
    const isFirst = each.priority === first?.priority && isPreferred(each);
    const place = !isUsable(each) ? "never" : isFirst ? "first" : "fallback";
    return {
      channel_id: Number(each.channelId),
      channel_name: each.channelName,
      exit_node_code: each.exitNodeCode,
      priority: each.priority,
      weight: each.weight,
      has_credential: each.hasCredential,
      way: each.way,
      place,
      share_percent: place === "never" ? null : Math.round(share * percent * percent) / percent,
      reasons: reasonsOf(each),
    };
  });
}

function reasonsOf({ isEnabled, isChannelEnabled, isAddressUsable, way }: AbilityFacts): Candidate["reasons"] {
  return [
    ...(isChannelEnabled ? [] : (["channel_disabled"] as const)),
    ...(isEnabled ? [] : (["ability_disabled"] as const)),
    ...(isAddressUsable ? [] : (["address_unusable"] as const)),
    ...(way === null ? (["other_api"] as const) : []),
  ];
}

function isUsable(facts: AbilityFacts): boolean {
  return reasonsOf(facts).length === 0;
}

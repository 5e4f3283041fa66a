import { sha256 } from "../../platform/crypto/digest.ts";
import type { ChannelTarget, PeerChannel } from "../model.ts";
import type { Deployment } from "./deployment.ts";
import { targetOfDeployment } from "./deployment-target.ts";

const weightMax = 1_000_000;

/**
 * The channels that serve these deployments: one for each server, credential and order, unless a model has two names
 * there.
 */
export function channelsOf(deployments: readonly Deployment[]): readonly PeerChannel[] {
  const groups = new Map<string, Group>();
  for (const deployment of deployments) {
    const target = targetOfDeployment(deployment);
    const [priority, weight] = [orderOf(deployment), weightOf(deployment)];
    const alike = JSON.stringify([deployment.provider, target, `${priority}`, weight, deployment.isEnabled]);
    for (let number = 0; ; number += 1) {
      const key = target.upstream === null ? deployment.id : `${alike} ${number}`;
      const group = groups.get(key) ?? { first: deployment, target, priority, weight, names: new Map() };
      if (!group.names.has(deployment.modelName)) {
        group.names.set(deployment.modelName, deployment.upstreamModel);
        groups.set(key, group);
        break;
      }
    }
  }
  return [...groups].map(([key, group]) => channelOf(key, group));
}

type Group = {
  readonly first: Deployment;
  readonly target: ChannelTarget;
  readonly priority: bigint;
  readonly weight: number;
  readonly names: Map<string, string>;
};

function channelOf(key: string, { first, target, priority, weight, names }: Group): PeerChannel {
  const { provider, isEnabled } = first;
  return {
    // The whole of what makes it a channel, so that a later run finds it again.
    id: target.upstream === null ? first.id : `${provider} ${Buffer.from(sha256(key)).toString("hex").slice(0, 16)}`,
    type: provider,
    name: provider === "" ? first.modelName : provider,
    target,
    furtherKeys: [],
    groups: ["default"],
    models: [...names.keys()],
    upstreamNames: names,
    priority,
    weight,
    isEnabled,
  };
}

/** The lowest order comes first there, and the highest priority here. */
export function orderOf({ params }: Deployment): bigint {
  const order = Number(params["order"] ?? 0);
  return Number.isSafeInteger(order) ? BigInt(-order) : 0n;
}

function weightOf({ params }: Deployment): number {
  const weight = Number(params["weight"] ?? 1);
  return Number.isFinite(weight) ? Math.min(weightMax, Math.max(1, Math.round(weight))) : 1;
}

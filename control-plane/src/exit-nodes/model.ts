import type { exitHealthFailures } from "@sluice/contracts/exit-nodes";

/** Which addresses an exit node may have, according to the configuration. */
export type AddressPolicy = {
  /** Null allows every port. */
  readonly ports: readonly number[] | null;
  /** Hosts must be this name or a subdomain of it; null allows every name. */
  readonly hostSuffix: string | null;
  readonly isHttpAllowed: boolean;
  readonly isAddressAllowed: (address: string) => boolean;
};

export type SwitchPolicy = {
  readonly successes: number;
  /** The minimum time between two successes that both count. */
  readonly spacingMs: number;
  /** After a switch, the time until the next automatic one. */
  readonly pauseMs: number;
};

export type NodeStatus = "testing" | "active" | "disabled";

export type DnsFailure = "timeout" | "server_failure" | "too_many";

export type DnsResult = {
  readonly resolved: readonly string[];
  readonly matched: boolean;
  /** Why the lookup is inconclusive; null when the servers responded, even if they know no address. */
  readonly failure: DnsFailure | null;
  readonly checkedAt: Date;
};

export type HealthFailure = (typeof exitHealthFailures)[number];

/** What a node reports about itself to holders of its relay key. */
export type NodeReport = {
  readonly version: string;
  readonly uptime_seconds: number;
  readonly in_flight: number;
  /** How far the node's clock is ahead of ours. */
  readonly clock_offset_ms: number;
  readonly egress_address: string | null;
  readonly accounts: readonly {
    readonly account: string;
    readonly provider: string;
    readonly auth_type: string;
    readonly status: string;
  }[];
};

export type HealthResult = {
  /** The URL that was checked; null when there was none. */
  readonly url: string | null;
  readonly httpStatus: number | null;
  readonly ok: boolean;
  readonly latencyMs: number | null;
  readonly failure: HealthFailure | null;
  readonly report: NodeReport | null;
  readonly checkedAt: Date;
};

/** The result of a node's checks so far; it belongs to one version of the node. */
export type NodeHealth = {
  readonly provenAt: Date | null;
  readonly isServing: boolean;
  readonly successStreak: number;
  readonly failureStreak: number;
  readonly switchStreak: number;
  readonly switchStreakAt: Date | null;
  readonly switchedAt: Date | null;
};

export type ExitNode = NodeHealth & {
  readonly id: bigint;
  readonly nodeCode: string;
  readonly name: string;
  readonly region: string;
  readonly host: string;
  readonly ip: string;
  readonly relayUrl: string | null;
  readonly relayKeySecret: string;
  readonly status: NodeStatus;
  readonly weight: number;
  readonly callbackBaseUrl: string | null;
  readonly oauthRedirectPath: string | null;
  readonly sourceNodeId: bigint | null;
  readonly version: number;
  readonly dns: DnsResult | null;
  readonly health: HealthResult | null;
  readonly archivedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** The health of a node that has not been checked yet, or no longer has the checked address. */
export const unknownHealth: NodeHealth = {
  provenAt: null,
  isServing: false,
  successStreak: 0,
  failureStreak: 0,
  switchStreak: 0,
  switchStreakAt: null,
  switchedAt: null,
};

const failuresMax = 3;
const successesToReturn = 2;

/**
 * These failures mean that another server responds at this address: nothing is sent there until the node is proven
 * again.
 */
const impostorFailures: ReadonlySet<HealthFailure> = new Set(["not_proven", "wrong_node"]);

/**
 * The effect of a health check of `relay_url` on a node. A proven node stops serving after three failed checks in a
 * row, and serves again after two that passed; a node that was never proven serves from its first proof on.
 */
export function afterHealth(before: NodeHealth, result: HealthResult): NodeHealth {
  if (result.ok) {
    const successStreak = before.successStreak + 1;
    const isServing = before.isServing || before.provenAt === null || successStreak >= successesToReturn;
    return { ...before, provenAt: before.provenAt ?? result.checkedAt, isServing, successStreak, failureStreak: 0 };
  }
  const failed = { ...before, successStreak: 0, failureStreak: before.failureStreak + 1 };
  if (result.failure !== null && impostorFailures.has(result.failure)) {
    return { ...failed, provenAt: null, isServing: false };
  }
  return { ...failed, isServing: before.isServing && failed.failureStreak < failuresMax };
}

/**
 * How many healthy responses in a row the host form has given while the name resolved correctly. A name that resolves
 * elsewhere or an unhealthy response resets the count; a resolver that does not respond changes nothing.
 */
export function afterHostCheck(
  before: NodeHealth,
  seen: { readonly dns: DnsResult; readonly health: HealthResult | null },
  spacingMs: number,
): NodeHealth {
  if (seen.dns.failure !== null) {
    return before;
  }
  if (!seen.dns.matched || seen.health?.ok !== true) {
    return { ...before, switchStreak: 0, switchStreakAt: null };
  }
  const { checkedAt } = seen.health;
  const isTooSoon = before.switchStreakAt !== null && checkedAt.getTime() - before.switchStreakAt.getTime() < spacingMs;
  return isTooSoon ? before : { ...before, switchStreak: before.switchStreak + 1, switchStreakAt: checkedAt };
}

/** Whether the address may switch to the host form automatically. */
export function maySwitch(health: NodeHealth, { successes, pauseMs }: SwitchPolicy, now: Date): boolean {
  const isPaused = health.switchedAt !== null && now.getTime() - health.switchedAt.getTime() < pauseMs;
  return health.switchStreak >= successes && !isPaused;
}

/** The health of a node that has just been switched: the host form was proven, and calls go there. */
export function afterSwitch(health: NodeHealth, now: Date): NodeHealth {
  return {
    ...health,
    provenAt: now,
    isServing: true,
    successStreak: Math.max(1, health.successStreak),
    failureStreak: 0,
    switchStreak: 0,
    switchStreakAt: null,
    switchedAt: now,
  };
}

/**
 * The name of a node's key in the secret store. It derives from the node's code, so that no node can be made to send
 * another secret.
 */
export function relayKeySecretOf(nodeCode: string): string {
  // Codes never contain two separators in a row, so no two codes get the same name.
  return `exit_node.${nodeCode.replaceAll("-", "__")}.relay_key`;
}

/** Whether a name in the secret store belongs to the node. */
export function isSecretOf(nodeCode: string, name: string): boolean {
  const own = relayKeySecretOf(nodeCode);
  return name === own || new RegExp(`^${own.replaceAll(".", "\\.")}\\.[a-z0-9_]{1,20}$`).test(name);
}

export type SlotSeed = {
  readonly accountCode: string;
  readonly provider: string;
  readonly authType: "api_key" | "oauth_refresh_token";
  readonly status: "testing" | "standby";
};

const modelProvider = "openai";
const identityProviders = ["google", "github"] as const;

/** The slots for credentials that a new node has. */
export function slotsOf(nodeCode: string): SlotSeed[] {
  const waiting = [modelProvider, ...identityProviders].map(
    (provider): SlotSeed => ({
      accountCode: `${nodeCode}.${provider}.oauth`,
      provider,
      authType: "oauth_refresh_token",
      status: "standby",
    }),
  );
  const first: SlotSeed = {
    accountCode: `${nodeCode}.${modelProvider}.key`,
    provider: modelProvider,
    authType: "api_key",
    status: "testing",
  };
  return [first, ...waiting];
}

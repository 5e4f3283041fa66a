import type { HttpClient } from "@sluice/http-client/model";
import { type AddressRule, serverAddressRule } from "@sluice/server-addresses/server-address-rule";
import type { Registry } from "prom-client";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/db.ts";
import type { Work } from "../platform/feature.ts";
import type { Log } from "../platform/log.ts";
import type { ExitChannels, RelayKeys } from "./port.ts";
import { ExitNodes } from "./service.ts";

export type ExitNodeWorld = {
  readonly config: Config;
  readonly db: Database;
  readonly log: Log;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly http: HttpClient;
  readonly channels: ExitChannels;
  readonly keys: RelayKeys;
};

/** Whether connections to a node's address are allowed by the configuration. */
export function nodeAddressRule({ EXIT_NODE_PRIVATE_ALLOWED: isPrivateAllowed }: Config): AddressRule {
  return serverAddressRule(isPrivateAllowed);
}

/** The exit nodes as configured, and the jobs that check them. */
export function openExitNodes(world: ExitNodeWorld): Work & { readonly nodes: ExitNodes } {
  const nodes = buildExitNodes(world);
  return {
    nodes,
    jobs: [
      { name: "exit-node-checks", pattern: "*/5 * * * * *", run: () => nodes.runChecks() },
      { name: "exit-node-gauges", pattern: "3/10 * * * * *", run: () => nodes.measure(), isPerReplica: true },
      { name: "exit-node-traffic", pattern: "0 53 * * * *", run: () => nodes.foldTraffic() },
    ],
  };
}

function buildExitNodes(world: ExitNodeWorld): ExitNodes {
  const { config, clock, registry, http, ...ports } = world;
  const now = () => new Date(clock.now());
  const timeoutMs = config.EXIT_NODE_TIMEOUT_MS;
  const isAddressAllowed = nodeAddressRule(config);
  const parts = {
    ...ports,
    now,
    addresses: {
      ports: config.EXIT_NODE_PORTS,
      hostSuffix: config.EXIT_NODE_HOST_SUFFIX ?? null,
      isHttpAllowed: config.EXIT_NODE_HTTP_ALLOWED,
      isAddressAllowed,
    },
    switching: {
      successes: config.EXIT_NODE_SWITCH_SUCCESSES,
      spacingMs: config.EXIT_NODE_SWITCH_SPACING_MS,
      pauseMs: config.EXIT_NODE_SWITCH_PAUSE_MS,
    },
    dns: { servers: config.EXIT_NODE_DNS_SERVERS ?? null, timeoutMs, now },
    health: { http, timeoutMs, now, isAddressAllowed },
  };
  return new ExitNodes(parts, { checkMs: config.EXIT_NODE_CHECK_MS }, registry);
}

import { z } from "zod";
import { archivedText } from "./lists.ts";
import { strictObject } from "./strict-object.ts";
import { wireInteger, wireMoment } from "./wire.ts";

/** Exit nodes as admins send and read them. Relay keys are write-only; no response ever contains one. */

const codeLengthMax = 48;
/** The code of a node becomes the name of a channel, a metrics label, and part of a secret's name. */
const code = z
  .string()
  .max(codeLengthMax)
  .regex(/^[a-z0-9]+([-_][a-z0-9]+)*$/, "lower-case letters and digits, with single - or _ between them");
const longCode = z
  .string()
  .max(100)
  .regex(/^[a-z0-9]+([._-][a-z0-9]+)*$/, "lower-case letters and digits, with single . - or _ between them");
const text = (max: number) => z.string().trim().max(max);
const version = z.int().min(1).optional();
const id = z.int().min(1);

export const exitNodeStatus = z.enum(["testing", "active", "disabled"]);
export const exitAccountStatus = z.enum(["testing", "active", "standby", "disabled"]);
export const exitAuthType = z.enum(["api_key", "oauth_refresh_token"]);

/** The name of a provider, which is the same in accounts and routes. */
export const providerName = z
  .string()
  .max(40)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "lower-case letters and digits, with single - between them");

/**
 * A new node needs `name`, `host` and `ip`. For an existing one, omitted fields stay as they are. `version` is the
 * loaded one, so that another admin's concurrent change is not overwritten.
 */
export const saveExitNodeInput = strictObject(() => ({
  node_code: code,
  name: text(100).min(1).optional(),
  region: text(60).optional(),
  host: z.string().max(253).optional(),
  ip: z.string().max(45).optional(),
  /** The relay URL has its own rules, which have their own error. */
  relay_url: z.string().nullable().optional(),
  /** The key itself; it goes into the secret store. */
  relay_key: z.string().trim().min(1).max(256).optional(),
  /** The name of the key in the secret store, which must be one of the node's own names. */
  relay_key_secret: z.string().max(100).optional(),
  status: exitNodeStatus.optional(),
  weight: z.int().min(0).max(1000).optional(),
  callback_base_url: z
    .url({ protocol: /^https?$/ })
    .max(300)
    .nullable()
    .optional(),
  oauth_redirect_path: z
    .string()
    .max(200)
    .regex(/^\/(?![/\\])[A-Za-z0-9._~/-]*$/, "a path that begins with one slash")
    .nullable()
    .optional(),
  source_node_id: id.nullable().optional(),
  version,
}));
export type SaveExitNodeInput = z.output<typeof saveExitNodeInput>;

export const exitNodeReference = strictObject(() => ({ node_code: code }));

/** The loaded version, as in a save: the node is switched only if it has not changed since. */
export const switchExitNodeInput = exitNodeReference.extend({ version });

export const saveExitAccountInput = strictObject(() => ({
  account_code: longCode,
  /** Required for a new account; an account stays on its node. */
  node_code: code.optional(),
  provider: providerName.optional(),
  auth_type: exitAuthType.optional(),
  status: exitAccountStatus.optional(),
  /** The account's name in the node's own file, for calls to request it; null leaves the choice to the node. */
  node_account: z
    .string()
    .max(64)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "letters, digits and . _ -")
    .nullable()
    .optional(),
  version,
}));
export type SaveExitAccountInput = z.output<typeof saveExitAccountInput>;

export const saveExitRouteInput = strictObject(() => ({
  route_code: longCode,
  gateway_user_id: id.optional(),
  provider: providerName.optional(),
  model_pattern: z
    .string()
    .min(1)
    .max(100)
    .regex(/^[A-Za-z0-9._:/*-]+$/, "a model name in which * matches any characters")
    .optional(),
  /** Null means every node with an account at the provider. */
  node_code: code.nullable().optional(),
  status: exitNodeStatus.optional(),
  version,
}));
export type SaveExitRouteInput = z.output<typeof saveExitRouteInput>;

const nothing = z.null();

export const exitDnsEntry = strictObject(() => ({
  /** The A and AAAA addresses that the host resolved to, in their shortest notation. */
  resolved: z.array(z.string()),
  matched: z.boolean(),
  failure: z.enum(["timeout", "server_failure", "too_many"]).or(nothing),
  checked_at: wireMoment,
}));

export const exitHealthFailures = [
  "no_relay_url",
  "no_relay_key",
  "address_not_allowed",
  "unreachable",
  "tls",
  "timeout",
  "too_large",
  "malformed",
  "redirected",
  "http_status",
  "unauthorized",
  "clock_skew",
  "not_proven",
  "wrong_node",
  "not_ok",
] as const;

export const exitHealthEntry = strictObject(() => ({
  url: z.string().or(nothing),
  http_status: z.int().or(nothing),
  ok: z.boolean(),
  latency_ms: z.int().or(nothing),
  failure: z.enum(exitHealthFailures).or(nothing),
  checked_at: wireMoment,
}));

/** The node's report about itself. */
export const exitReportEntry = strictObject(() => ({
  version: z.string(),
  uptime_seconds: z.number(),
  in_flight: z.int(),
  clock_offset_ms: z.int(),
  egress_address: z.string().or(nothing),
  accounts: z.array(
    z.strictObject({ account: z.string(), provider: z.string(), auth_type: z.string(), status: z.string() }),
  ),
}));

/** The observations of replicas about calls. */
export const exitTrafficEntry = strictObject(() => ({
  calls: wireInteger,
  failures: wireInteger,
  last_failure: z.string().or(nothing),
  last_failure_at: wireMoment.or(nothing),
  circuit: z.enum(["closed", "open"]),
  circuit_opened_at: wireMoment.or(nothing),
}));

export const exitNodeEntry = strictObject(() => ({
  id: wireInteger,
  node_code: z.string(),
  name: z.string(),
  region: z.string(),
  host: z.string(),
  ip: z.string(),
  relay_url: z.string().or(nothing),
  /** The new `relay_url` once the rule for the switch is met. */
  host_url: z.string(),
  is_host_form: z.boolean(),
  relay_key_secret: z.string(),
  has_relay_key: z.boolean(),
  status: exitNodeStatus,
  weight: z.int(),
  callback_base_url: z.string().or(nothing),
  oauth_redirect_path: z.string().or(nothing),
  source_node_id: wireInteger.or(nothing),
  version: z.int(),
  /** Whether the server at the address has proven that it holds the relay key. */
  is_proven: z.boolean(),
  /** Whether calls of the group `node-test` are sent to the node. */
  is_serving: z.boolean(),
  /** How many successful responses the host form has given in a row; they count towards the switch. */
  switch_streak: z.int(),
  switched_at: wireMoment.or(nothing),
  dns: exitDnsEntry.or(nothing),
  health: exitHealthEntry.or(nothing),
  report: exitReportEntry.or(nothing),
  traffic: exitTrafficEntry,
  archived_at: wireMoment.nullable(),
  created_at: wireMoment,
  updated_at: wireMoment,
}));

export const exitAccountEntry = strictObject(() => ({
  id: wireInteger,
  account_code: z.string(),
  node_code: z.string(),
  provider: z.string(),
  auth_type: exitAuthType,
  status: exitAccountStatus,
  node_account: z.string().or(nothing),
  version: z.int(),
  created_at: wireMoment,
  updated_at: wireMoment,
}));

export const exitRouteEntry = strictObject(() => ({
  id: wireInteger,
  route_code: z.string(),
  gateway_user_id: wireInteger,
  provider: z.string(),
  model_pattern: z.string(),
  node_code: z.string().or(nothing),
  status: exitNodeStatus,
  version: z.int(),
  created_at: wireMoment,
  updated_at: wireMoment,
}));

export const exitNodeResponse = strictObject(() => ({ node: exitNodeEntry }));
export const exitNodeDetailResponse = strictObject(() => ({
  node: exitNodeEntry,
  accounts: z.array(exitAccountEntry),
  routes: z.array(exitRouteEntry),
}));
/** The sorts are ascending; a leading `-` makes them descending. */
export const exitNodeSorts = ["node_code", "name", "status", "created_at"] as const;
export const exitNodesInput = strictObject(() => ({
  sort: z.enum(exitNodeSorts.flatMap((sort) => [sort, `-${sort}` as const])).default("node_code"),
  is_archived: archivedText,
}));
export const exitNodesResponse = strictObject(() => ({ nodes: z.array(exitNodeEntry) }));
export const exitDnsResponse = strictObject(() => ({
  dns: exitDnsEntry.extend({ host: z.string(), expected: z.string() }),
}));
export const exitHealthResponse = strictObject(() => ({
  health: exitHealthEntry,
  dns: exitDnsEntry,
  node: exitNodeEntry,
}));
export const exitAccountResponse = strictObject(() => ({ account: exitAccountEntry }));
export const exitAccountsResponse = strictObject(() => ({ accounts: z.array(exitAccountEntry) }));
export const exitRouteResponse = strictObject(() => ({ route: exitRouteEntry }));
export const exitRoutesResponse = strictObject(() => ({ routes: z.array(exitRouteEntry) }));

/** The filter of lists by node; a route for all nodes appears under each of them. */
export const exitListInput = strictObject(() => ({ node_code: code.optional() }));

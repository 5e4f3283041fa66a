import type { ChannelId, CredentialId } from "@sluice/contracts/ids";
import { findPassThrough } from "@sluice/contracts/pass-through";
import type { AuthStyle, Dialect, UpstreamSettings } from "@sluice/contracts/upstreams";

/**
 * The only group whose calls go through exit nodes. The database refuses an ability of a node's channel for any other.
 */
export const exitNodeGroup = "node-test";

/** The parsed address of an upstream, and how it is shown the credential. */
export type Endpoint = {
  readonly protocol: "http:" | "https:";
  readonly hostname: string;
  readonly port: number;
  /** Without a trailing slash. */
  readonly basePath: string;
  readonly auth: AuthStyle;
};

/** What is changed about every request to a channel. */
export type RequestChanges = {
  /** Empty, or parameters joined by `&`. */
  readonly query: string;
  readonly headersSet: readonly (readonly [name: string, value: string])[];
  readonly headersRemoved: ReadonlySet<string>;
  readonly bodySet: Readonly<Record<string, unknown>>;
  readonly bodyRemoved: readonly string[];
};

/** Why a provider refuses a credential for every call. */
export type CredentialRefusal = "credential_refused" | "account_empty";

/** One of the credentials of a channel, ready to use. */
export type ChannelCredential = {
  readonly id: CredentialId;
  /** The operator's name for it. */
  readonly label: string;
  readonly secret: string;
  /** Its share of the calls. */
  readonly weight: number;
  readonly requestsPerMinute: number | null;
  readonly concurrencyMax: number | null;
  /** Since when the provider has refused it; null while it does not. */
  readonly refusedAtMs: number | null;
};

/** An upstream, ready to use: parsed addresses, decrypted credentials. */
export type Channel = {
  readonly id: ChannelId;
  readonly name: string;
  readonly endpoints: ReadonlyMap<Dialect, Endpoint>;
  readonly changes: RequestChanges;
  readonly flags: UpstreamSettings["flags"];
  /** Connections go only to this address, whatever `hostname` then resolves to; null resolves the name. */
  readonly pinnedAddress: string | null;
  /** The code of the channel's exit node; null for a provider. */
  readonly exitNode: string | null;
  /** Each call uses one of them; empty if the upstream needs none. */
  readonly credentials: readonly ChannelCredential[];
  readonly requestsPerMinute: number | null;
  readonly concurrencyMax: number | null;
  readonly firstByteTimeoutMs: number | null;
  readonly idleTimeoutMs: number | null;
  /** The paths without rules of their own that calls may take here, named as in the closed list. */
  readonly passThroughPaths: ReadonlySet<string>;
  /** Its periodic tests fail, so it gets no calls until one succeeds. */
  readonly isResting: boolean;
};

/** The exit nodes that a user's calls of a model may take, each with the account to request, if one is named. */
export type ExitNodesOfModel = ReadonlyMap<ChannelId, string | null>;

/** A channel's place in the order for one group and model. */
export type Ability = {
  readonly channel: Channel;
  /** The provider's name of the model; null if it is the same. */
  readonly upstreamModel: string | null;
  readonly priority: number;
  readonly weight: number;
};

/** Whether a channel passes through a path without rules of its own. */
export function passesThrough(channel: Channel, call: { readonly method: string; readonly path: string }): boolean {
  const name = findPassThrough(call.path).get(call.method);
  return name !== undefined && channel.passThroughPaths.has(name);
}

/**
 * Parses the address of a channel.
 * @throws TypeError when it is not an absolute http or https URL without user, query and fragment
 */
export function parseBaseUrl(baseUrl: string): Omit<Endpoint, "auth"> {
  const url = new URL(baseUrl);
  const isPlain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if ((url.protocol !== "http:" && url.protocol !== "https:") || !isPlain) {
    throw new TypeError("a base URL is http(s)://host[:port][/path], without user, query and fragment");
  }
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return { protocol: url.protocol, hostname, port, basePath: url.pathname.replace(/\/+$/, "") };
}

/** Whatever the settings say, their chat completions may count thoughts only in the total. */
const googleHosts = ".googleapis.com";

/** What the settings of an upstream mean for calls. @throws TypeError for an address that can't be used */
export function toUpstream(settings: UpstreamSettings): Pick<Channel, "endpoints" | "changes" | "flags"> {
  const { dialects, query, headers, body, flags } = settings;
  const endpoints = new Map<Dialect, Endpoint>();
  for (const [dialect, entry] of Object.entries(dialects)) {
    endpoints.set(dialect as Dialect, { ...parseBaseUrl(entry.base_url), auth: entry.auth });
  }
  const isGoogle = endpoints.get("chat")?.hostname.endsWith(googleHosts) === true;
  return {
    endpoints,
    flags: isGoogle ? { ...flags, thoughts_in_total: true } : flags,
    changes: {
      query: new URLSearchParams(query).toString(),
      headersSet: Object.entries(headers.set),
      headersRemoved: new Set(headers.remove),
      bodySet: body.set,
      bodyRemoved: body.remove,
    },
  };
}

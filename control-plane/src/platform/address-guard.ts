import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { ServerPlace } from "@sluice/http-client/address-guard";
import { HttpClientError } from "@sluice/http-client/model";
import { canonicalAddress, isNoServerAddress } from "@sluice/server-addresses/judge-address";
import { type AddressRule, serverAddressRule } from "@sluice/server-addresses/server-address-rule";
import type { Config } from "./config.ts";
import type { Log } from "./log.ts";

/** All addresses of a name. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

export type AddressGuardDeps = {
  readonly isAllowed: AddressRule;
  /** The one server that may be called at any address: the sandbox that belongs to this process. */
  readonly ownServer?: ServerPlace | null;
  readonly lookup: Lookup;
  readonly log: Log;
};

const lookupMsMax = 5_000;

/** Whether channels may use private addresses. */
export function isPrivateUpstreamAllowed({ UPSTREAM_PRIVATE_ALLOWED: given, NODE_ENV: environment }: Config): boolean {
  return given ?? environment !== "production";
}

/** Creates the guard for connections to channels, according to the configuration. */
export function openUpstreamGuard(config: Config, log: Log): AddressGuard {
  const isAllowed = serverAddressRule(isPrivateUpstreamAllowed(config));
  return new AddressGuard({ isAllowed, ownServer: sandboxPlace(config), lookup: lookUpAll, log });
}

function sandboxPlace({ SANDBOX_URL: text }: Config): ServerPlace | null {
  if (text === undefined) {
    return null;
  }
  const { hostname, port, protocol } = new URL(text);
  const isPlain = protocol === "http:";
  return { hostname: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? (isPlain ? 80 : 443) : Number(port) };
}

async function lookUpAll(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

/** What the operator can do about a refused address. */
function adviceFor(address: string): string {
  return isNoServerAddress(address)
    ? "no model server is there"
    : "it is in a private network; UPSTREAM_PRIVATE_ALLOWED=true in the environment allows these";
}

/**
 * Resolves a server's name to the addresses that a connection may go to. Every result is checked, and one forbidden
 * address refuses them all. Callers connect only to a checked address, so a name that changes in between has no effect.
 * Nothing is cached: each new connection resolves again.
 */
export class AddressGuard {
  readonly #deps: AddressGuardDeps;
  /** Concurrent connections share one lookup. */
  readonly #running = new Map<string, Promise<readonly string[]>>();

  constructor(deps: AddressGuardDeps) {
    this.#deps = deps;
  }

  /**
   * The addresses of a host, IPv4 first, since it is more often available on both sides. A literal is only checked.
   * @throws HttpClientError of kind `unreachable` when there is none, or one of them is not allowed
   */
  async addressesOf(server: ServerPlace): Promise<readonly string[]> {
    const key = `${server.hostname} ${this.#isOwn(server)}`;
    const running = this.#running.get(key);
    if (running !== undefined) {
      return await running;
    }
    const judged = this.#judge(server);
    this.#running.set(key, judged);
    try {
      return await judged;
    } finally {
      this.#running.delete(key);
    }
  }

  #isOwn({ hostname, port }: ServerPlace): boolean {
    const { ownServer = null } = this.#deps;
    return ownServer !== null && ownServer.hostname === hostname && ownServer.port === port;
  }

  async #judge(server: ServerPlace): Promise<readonly string[]> {
    const { hostname } = server;
    const found = isIP(hostname) === 0 ? await this.#find(hostname) : [hostname];
    const addresses = found.map((address) => canonicalAddress(address) ?? address);
    const isAllowed = this.#isOwn(server) ? (address: string) => !isNoServerAddress(address) : this.#deps.isAllowed;
    const refused = addresses.find((address) => !isAllowed(address));
    if (refused !== undefined) {
      const advice = adviceFor(refused);
      this.#deps.log.warn("upstream.address_refused", { host: hostname, address: refused, advice });
      const said = `${hostname} resolves to ${refused}, which is not allowed: ${advice}`;
      throw new HttpClientError("unreachable", false, said);
    }
    if (addresses.length === 0) {
      throw new HttpClientError("unreachable", false, `${hostname} has no address`);
    }
    return addresses.sort((a, b) => isIP(a) - isIP(b));
  }

  async #find(hostname: string): Promise<readonly string[]> {
    const overdue = Promise.withResolvers<never>();
    const timer = setTimeout(() => overdue.reject(new Error("no answer in time")), lookupMsMax);
    try {
      return await Promise.race([this.#deps.lookup(hostname), overdue.promise]);
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      const reason = typeof code === "string" ? code : "no answer in time";
      throw new HttpClientError("unreachable", false, `${hostname} could not be resolved: ${reason}`);
    } finally {
      clearTimeout(timer);
    }
  }
}

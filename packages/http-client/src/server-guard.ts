import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { canonicalAddress, isNoServerAddress } from "@sluice/server-addresses/judge-address";
import type { AddressRule } from "@sluice/server-addresses/server-address-rule";
import type { AddressGuard, ServerPlace } from "./address-guard.ts";
import { HttpClientError } from "./model.ts";

/** All addresses of a name. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

export type ServerGuardOptions = {
  readonly isAllowed: AddressRule;
  readonly lookup?: Lookup;
  /** The one server that may be called at any address: the sandbox that belongs to this process. */
  readonly ownServer?: ServerPlace | null;
  /** The family (4 or 6) of the client's local address, if it has one: only addresses of that family can be reached. */
  readonly family?: number;
  /**
   * How long a judgement holds, for hosts with a slow resolver. The default is 0: each new connection resolves again.
   */
  readonly keptMs?: number;
  /** Gets the reason for a refusal, and adds it to the message of the error. */
  readonly onRefused?: (hostname: string, address: string) => string;
};

/** A server has an address that connections must not go to. */
export class AddressRefusedError extends HttpClientError {}

const lookupMsMax = 5_000;

type Judgement = { readonly addresses: Promise<readonly string[]>; expiresMs: number };

/**
 * Resolves a server's name to the addresses that a connection may go to. Every result is checked, and one forbidden
 * address refuses them all. Callers connect only to a checked address, so a name that changes in between has no effect.
 */
export class ServerGuard implements AddressGuard {
  readonly #options: ServerGuardOptions;
  /** Concurrent connections share one lookup. */
  readonly #judgements = new Map<string, Judgement>();

  constructor(options: ServerGuardOptions) {
    this.#options = options;
  }

  /**
   * The addresses of a host, IPv4 first, since it is more often available on both sides. A literal is only checked.
   * @throws HttpClientError of kind `unreachable` when there is none; AddressRefusedError when one is not allowed
   */
  addressesOf(server: ServerPlace): Promise<readonly string[]> {
    const key = `${server.hostname} ${this.#isOwn(server)}`;
    const known = this.#judgements.get(key);
    if (known !== undefined && known.expiresMs > performance.now()) {
      return known.addresses;
    }
    const judgement: Judgement = { addresses: this.#judge(server), expiresMs: Number.POSITIVE_INFINITY };
    this.#judgements.set(key, judgement);
    judgement.addresses.then(
      () => this.#keep(key, judgement, this.#options.keptMs ?? 0),
      // A failure is reported to all callers that wait for it, and the next caller resolves again.
      () => this.#keep(key, judgement, 0),
    );
    return judgement.addresses;
  }

  /** The next connections resolve again. */
  forget(): void {
    this.#judgements.clear();
  }

  #keep(key: string, judgement: Judgement, keptMs: number): void {
    if (keptMs > 0) {
      judgement.expiresMs = performance.now() + keptMs;
    } else if (this.#judgements.get(key) === judgement) {
      this.#judgements.delete(key);
    }
  }

  #isOwn({ hostname, port }: ServerPlace): boolean {
    const { ownServer = null } = this.#options;
    return ownServer !== null && ownServer.hostname === hostname && ownServer.port === port;
  }

  async #judge(server: ServerPlace): Promise<readonly string[]> {
    const { hostname } = server;
    const { isAllowed, family = 0, onRefused } = this.#options;
    const found = isIP(hostname) === 0 ? await this.#find(hostname) : [hostname];
    const addresses = found.map((address) => canonicalAddress(address) ?? address);
    const rule = this.#isOwn(server) ? (address: string) => !isNoServerAddress(address) : isAllowed;
    const refused = addresses.find((address) => !rule(address));
    if (refused !== undefined) {
      const advice = onRefused?.(hostname, refused);
      const message = `${hostname} resolves to ${refused}, which is not allowed${advice === undefined ? "" : `: ${advice}`}`;
      throw new AddressRefusedError("unreachable", false, message);
    }
    const usable = addresses.filter((address) => family === 0 || isIP(address) === family);
    if (usable.length === 0) {
      throw new HttpClientError("unreachable", false, `${hostname} has no address that can be reached from here`);
    }
    return usable.sort((a, b) => isIP(a) - isIP(b));
  }

  async #find(hostname: string): Promise<readonly string[]> {
    const overdue = Promise.withResolvers<never>();
    const timer = setTimeout(() => overdue.reject(new Error("no answer in time")), lookupMsMax);
    try {
      return await Promise.race([(this.#options.lookup ?? lookUpAll)(hostname), overdue.promise]);
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      const reason = typeof code === "string" ? code : "no answer in time";
      throw new HttpClientError("unreachable", false, `${hostname} could not be resolved: ${reason}`);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function lookUpAll(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

import { isIP } from "node:net";
import type { AddressRule } from "@sluice/server-addresses/server-address-rule";
import { UpstreamError } from "./upstream/model.ts";

/** A name resolves into a network that this node does not call. */
export class AddressNotAllowedError extends Error {}

export type ResolverOptions = {
  /** All addresses of a name. */
  readonly lookup: (hostname: string) => Promise<readonly string[]>;
  readonly isAllowed: AddressRule;
  /** Connections leave from here, so only addresses of the same family can be reached. */
  readonly egressAddress: string | null;
  readonly now: () => number;
};

const freshMs = 30_000;

type Resolution = {
  readonly addresses: Promise<readonly string[]>;
  /** The same, once they are there. */
  judged: readonly string[] | null;
  readonly expiresMs: number;
};

/**
 * Resolves a provider's name to the addresses that a connection may go to. Every result is checked, and a single
 * forbidden address refuses them all. A connection goes only to a checked address, so that a name which changes in
 * between has no effect.
 */
export class ProviderResolver {
  readonly #options: ResolverOptions;
  readonly #resolutions = new Map<string, Resolution>();

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  /** The cached addresses if fresh, or null. */
  known(hostname: string): readonly string[] | null {
    const known = this.#resolutions.get(hostname);
    return known !== undefined && known.expiresMs > this.#options.now() ? known.judged : null;
  }

  /** @throws AddressNotAllowedError; UpstreamError of kind `unreachable` when the name has no usable address */
  resolve(hostname: string): Promise<readonly string[]> {
    const known = this.#resolutions.get(hostname);
    const nowMs = this.#options.now();
    if (known !== undefined && known.expiresMs > nowMs) {
      return known.addresses;
    }
    const addresses = this.#lookUp(hostname);
    const resolution: Resolution = { addresses, judged: null, expiresMs: nowMs + freshMs };
    this.#resolutions.set(hostname, resolution);
    addresses.then(
      (judged) => {
        resolution.judged = judged;
      },
      // A failure is reported to those who wait for it, and the next caller tries again.
      () => this.#resolutions.delete(hostname),
    );
    return addresses;
  }

  /** Clears the cache, for the next calls. */
  clear(): void {
    this.#resolutions.clear();
  }

  async #lookUp(hostname: string): Promise<readonly string[]> {
    const { lookup, isAllowed, egressAddress } = this.#options;
    let addresses: readonly string[];
    try {
      addresses = isIP(hostname) === 0 ? await lookup(hostname) : [hostname];
    } catch {
      throw new UpstreamError("unreachable", "the name of the provider could not be resolved");
    }
    if (!addresses.every(isAllowed)) {
      throw new AddressNotAllowedError("the provider's name resolves to an address that is not allowed");
    }
    const family = egressAddress === null ? 0 : isIP(egressAddress);
    const usable = addresses.filter((address) => family === 0 || isIP(address) === family);
    if (usable.length === 0) {
      throw new UpstreamError("unreachable", "the provider has no address that can be reached from here");
    }
    return usable;
  }
}

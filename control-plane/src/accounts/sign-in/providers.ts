import type { ProviderEntry } from "@sluice/contracts/sign-in";
import type { Clock } from "../../platform/clock.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { open, sealContext } from "../../platform/crypto/seal.ts";
import type { SealedColumn } from "../../platform/crypto/sealed-column.ts";
import type { Database } from "../../platform/db.ts";
import type { OfferedSignIn } from "../port.ts";
import { callbackPath, type Provider } from "./model.ts";
import { type StoredProvider, selectEnabledProviders, selectProviders } from "./provider-store.ts";

const table = "sign_in_provider";
const column = "secret_sealed";

/** Where the secret of a provider is encrypted; it opens for no other provider. */
export const secretContext = (slug: string): string => sealContext({ table, column, row: slug, owner: "operator" });

/** What this feature encrypts under the master key. */
export const signInSealedColumns: readonly SealedColumn[] = [
  { table, column, key: ["slug"], isSmall: true, contextOf: ([slug]) => secretContext(slug ?? "") },
];

export type ProviderDeps = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  readonly baseUrl: string;
};

const knownMsMax = 5_000;

/** The providers that admins have configured. */
export class Providers {
  readonly #deps: ProviderDeps;
  /** Every view of a login page needs them, so they are kept for some seconds. */
  #known: { readonly providers: Promise<readonly StoredProvider[]>; readonly readAt: number } | null = null;

  constructor(deps: ProviderDeps) {
    this.#deps = deps;
  }

  /** What pages offer. */
  async offered(): Promise<readonly OfferedSignIn[]> {
    return (await this.#enabled()).map(({ slug, label }) => ({ slug, label }));
  }

  /** A provider that is switched on, with its secret; null if there is none of this name. */
  async find(slug: string): Promise<Provider | null> {
    const found = (await this.#enabled()).find((each) => each.slug === slug);
    if (found === undefined) {
      return null;
    }
    const { secretSealed, isEnabled, createdAt, updatedAt, ...rest } = found;
    const secret = open(this.#deps.masterKey.opening, secretSealed, secretContext(slug));
    return { ...rest, clientSecret: Buffer.from(secret).toString("utf8") };
  }

  /** The address to register at the provider. */
  callbackUrl(slug: string): string {
    return this.#deps.baseUrl + callbackPath(slug);
  }

  /** The name of the provider of an issuer; its host, if none has it any more. */
  async labelsOf(issuers: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const all = await selectProviders(this.#deps.db);
    return new Map(
      issuers.map((issuer) => [issuer, all.find((each) => each.issuer === issuer)?.label ?? new URL(issuer).host]),
    );
  }

  async list(): Promise<ProviderEntry[]> {
    const all = await selectProviders(this.#deps.db);
    return all.map((each) => entryOf(each, { users: each.users, baseUrl: this.#deps.baseUrl }));
  }

  /** A change by this process takes effect immediately, and by another within seconds. */
  forget(): void {
    this.#known = null;
  }

  async #enabled(): Promise<readonly StoredProvider[]> {
    const now = this.#deps.clock.tick();
    const known = this.#known;
    if (known !== null && now - known.readAt < knownMsMax) {
      return await known.providers;
    }
    const made = { providers: selectEnabledProviders(this.#deps.db), readAt: now };
    this.#known = made;
    try {
      return await made.providers;
    } catch (error) {
      // A failure is not kept.
      this.#known = this.#known === made ? null : this.#known;
      throw error;
    }
  }
}

/** A provider in responses, which never show its secret. */
export function entryOf(
  stored: StoredProvider,
  { users, baseUrl }: { readonly users: number; readonly baseUrl: string },
): ProviderEntry {
  return {
    slug: stored.slug,
    kind: stored.kind,
    label: stored.label,
    issuer: stored.issuer,
    client_id: stored.clientId,
    is_enabled: stored.isEnabled,
    may_register: stored.mayRegister,
    callback_url: baseUrl + callbackPath(stored.slug),
    users,
    created_at: stored.createdAt,
    updated_at: stored.updatedAt,
  };
}

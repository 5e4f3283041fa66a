import type { ResetPeriod } from "@sluice/contracts/key-fields";
import type { ModelKind } from "@sluice/contracts/model-kinds";
import type { OrganisationRole } from "@sluice/contracts/organisation-rights";
import type { UpstreamSettings } from "@sluice/contracts/upstreams";
import type { ImportedAuthenticator } from "../accounts/totp/imported-authenticator.ts";

/** Programs with ratios and a wallet; the second began as a copy of the first. */
export const ratioPrograms = ["one-api", "new-api"] as const;
export type RatioProgram = (typeof ratioPrograms)[number];

export const programs = [...ratioPrograms, "litellm"] as const;
export type Program = (typeof programs)[number];

/** Where a finding is, and what an operator should know of it. */
export type Finding = {
  /** `lost`: something is not moved; `decide`: it is not moved until the operator has decided; `note`: it is different here. */
  readonly level: "note" | "lost" | "decide";
  readonly table: string;
  readonly id: string;
  readonly text: string;
};

export type AccountState = "active" | "suspended" | "closed";

/** A user of the other program. Amounts are units of its quota. */
export type PeerUser = {
  readonly id: string;
  /** Empty in programs where nobody logs in by a name. */
  readonly username: string;
  readonly email: string;
  readonly displayName: string;
  /** In a form that logins here know; null for a user without a password that can be moved. */
  readonly passwordHash: string | null;
  readonly authenticator: ImportedAuthenticator | null;
  /** Somebody who administers the other program is a customer here, without the rights. */
  readonly isAdmin: boolean;
  readonly state: AccountState;
  readonly quota: bigint;
  /** Credit for invitations that is not part of the balance. */
  readonly referralQuota: bigint;
  readonly group: string;
  readonly limits: PeerLimits | null;
};

/** Limits of an account; null where there is none. Amounts in quota. */
export type PeerLimits = {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrencyMax: number | null;
  readonly spendPerDay: bigint | null;
  readonly spendPerMonth: bigint | null;
};

export type PeerMember = {
  readonly userId: string;
  readonly role: OrganisationRole;
  readonly spendPerMonth: bigint | null;
};

export type PeerProject = {
  readonly id: string;
  readonly name: string;
  readonly isArchived: boolean;
  readonly spendPerMonth: bigint | null;
};

/** Several users with one balance. */
export type PeerOrganisation = {
  readonly id: string;
  readonly name: string;
  readonly isSuspended: boolean;
  readonly quota: bigint;
  /** At least one of them is an owner. */
  readonly members: readonly PeerMember[];
  readonly projects: readonly PeerProject[];
  readonly limits: PeerLimits | null;
};

/** Who pays for the calls of a key. */
export type KeyOwner =
  | { readonly kind: "user"; readonly id: string }
  | {
      readonly kind: "organisation";
      readonly id: string;
      readonly memberUserId: string;
      readonly projectId: string | null;
    };

/** A key as clients send it, or its SHA-256 where the program has no more, with what people recognise it by. */
export type KeySecret =
  | { readonly key: string }
  | { readonly hash: string; readonly prefix: string; readonly lastFour: string };

/** An API key of the other program. */
export type PeerKey = {
  readonly id: string;
  readonly owner: KeyOwner;
  readonly name: string;
  readonly secret: KeySecret;
  readonly status: "active" | "disabled" | "revoked";
  readonly expiresAt: Date | null;
  /** What may still be spent, or in each period; null without a limit. */
  readonly remaining: bigint | null;
  readonly period: ResetPeriod;
  readonly limits: Pick<PeerLimits, "requestsPerMinute" | "tokensPerMinute" | "concurrencyMax"> | null;
  /** The key that replaces it, whose limits it shares. */
  readonly replacedBy: string | null;
  /** Null allows all. */
  readonly models: readonly string[] | null;
  readonly addresses: readonly string[] | null;
  /** Empty for the group of the user. */
  readonly group: string;
};

/** Where a channel leads here, and how; or why it can't be moved. */
export type ChannelTarget =
  | { readonly upstream: UpstreamSettings; readonly credential: string; readonly notes: readonly string[] }
  | { readonly upstream: null; readonly problem: string };

export type FurtherKey = { readonly secret: string; readonly isEnabled: boolean };

export type PeerChannel = {
  readonly id: string;
  /** How the program names its kind of provider. */
  readonly type: string;
  readonly name: string;
  readonly target: ChannelTarget;
  /** Further credentials of the same server. */
  readonly furtherKeys: readonly FurtherKey[];
  readonly groups: readonly string[];
  readonly models: readonly string[];
  /** The provider's names of models, where they differ. */
  readonly upstreamNames: ReadonlyMap<string, string>;
  /** Higher comes first. */
  readonly priority: bigint;
  /** As it is here. */
  readonly weight: number;
  readonly isEnabled: boolean;
};

/** A redemption code that nobody has used. */
export type PeerCode = {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  readonly quota: bigint;
  readonly expiresAt: Date | null;
};

/** US dollars as decimal texts, per million tokens or per request. */
export type ModelPrices = {
  readonly input_usd_per_m: string;
  readonly output_usd_per_m: string;
  readonly cache_read_usd_per_m: string | null;
  readonly cache_write_usd_per_m: string | null;
  readonly request_usd: string;
};

/** What the other program says of a model beside its prices; null where it says nothing. */
export type ModelFacts = {
  readonly kind: ModelKind | null;
  readonly contextTokensMax: number | null;
  readonly outputTokensMax: number | null;
};

/** What a model costs in the other program, before the ratio of a group; or why that is not known. */
export type PricedModel =
  | { readonly prices: ModelPrices; readonly facts: ModelFacts | null; readonly notes: readonly string[] }
  | { readonly prices: null; readonly problem: string };

/** @param channels those that serve the model, the one that gets its calls first */
export type PriceOf = (model: string, channels: readonly PeerChannel[]) => PricedModel;

/** What a user has used of a model on one day. */
export type PeerUsage = {
  readonly userId: string;
  /** In UTC, as 2026-11-28. */
  readonly day: string;
  readonly model: string;
  readonly calls: bigint;
  readonly inputTokens: bigint;
  readonly outputTokens: bigint;
  readonly quota: bigint;
};

/** A single call of a user. */
export type PeerCall = {
  /** The id of its row. */
  readonly id: string;
  readonly userId: string;
  readonly madeAt: Date;
  readonly model: string;
  readonly keyName: string;
  readonly inputTokens: bigint;
  readonly outputTokens: bigint;
  readonly quota: bigint;
};

/** Kinds of rows that mean nothing any more once they are deleted there. */
export type DeletableKind = "user" | "organisation" | "key" | "channel";

/** What was read of the other program's database. */
export type PeerData = {
  readonly program: Program;
  /** The ids of all rows, of those that can't be read, too: what was moved and is not among them was deleted there. */
  readonly present: Readonly<Record<DeletableKind, ReadonlySet<string>>>;
  readonly users: readonly PeerUser[];
  readonly organisations: readonly PeerOrganisation[];
  readonly priceOf: PriceOf;
  readonly keys: readonly PeerKey[];
  readonly channels: readonly PeerChannel[];
  readonly codes: readonly PeerCode[];
  /** The history of calls as sums, each user, day and model once; null if it was not read. */
  readonly usage: readonly PeerUsage[] | null;
  /** Settings of the program, each as its text. */
  readonly options: ReadonlyMap<string, string>;
  /** Rows of tables that are not moved. */
  readonly leftOut: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
};

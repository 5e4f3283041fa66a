export const programs = ["one-api", "new-api"] as const;
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
  readonly username: string;
  readonly email: string;
  readonly displayName: string;
  /** bcrypt; null for a user without a password that can be moved. */
  readonly passwordHash: string | null;
  /** Who administers the other program is a customer here, without the rights. */
  readonly isAdmin: boolean;
  readonly state: AccountState;
  readonly quota: bigint;
  /** Credit for invitations that is not part of the balance. */
  readonly referralQuota: bigint;
  readonly group: string;
};

/** An API key of the other program. */
export type PeerKey = {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** As clients send it. */
  readonly key: string;
  readonly status: "active" | "disabled" | "revoked";
  readonly expiresAt: Date | null;
  /** What may still be spent; null without a limit. */
  readonly remaining: bigint | null;
  /** Null allows all. */
  readonly models: readonly string[] | null;
  readonly addresses: readonly string[] | null;
  /** Empty for the group of the user. */
  readonly group: string;
};

export type PeerChannel = {
  readonly id: string;
  readonly type: number;
  readonly name: string;
  readonly credential: string;
  readonly baseUrl: string;
  /** Fields whose meaning depends on the type. */
  readonly other: string;
  readonly config: Readonly<Record<string, unknown>> | null;
  readonly groups: readonly string[];
  readonly models: readonly string[];
  /** The provider's names of models, where they differ. */
  readonly upstreamNames: ReadonlyMap<string, string>;
  /** Higher comes first. */
  readonly priority: bigint;
  readonly weight: bigint;
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

/** What was read of the other program's database. */
export type PeerData = {
  readonly program: Program;
  readonly users: readonly PeerUser[];
  readonly keys: readonly PeerKey[];
  readonly channels: readonly PeerChannel[];
  readonly codes: readonly PeerCode[];
  /** Settings of the program, each as its text. */
  readonly options: ReadonlyMap<string, string>;
  /** Rows of tables that are not moved. */
  readonly leftOut: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
};

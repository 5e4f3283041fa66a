export const resetPeriods = ["none", "daily", "weekly", "monthly"] as const;
export type ResetPeriod = (typeof resetPeriods)[number];

/** What a field holds; each kind has one schema, one column type, one check and one control of the form. */
type KeyFieldKind = "name" | "quota" | "period" | "models" | "addresses" | "moment" | "count" | "flag";

type KeyFieldRow = {
  /** The name of the field in requests, responses and the database, and the key of its texts. */
  readonly name: string;
  readonly kind: KeyFieldKind;
  /** The largest number, or the most characters of a text; null where the kind determines the limit. */
  readonly max: number | null;
  /** The value if the request that creates a key omits the field; null means no limit. Only the name is required. */
  readonly default: "none" | boolean | null;
  /** The key's budget holds its quota limit; every other field is a column of `api_key` with the field's name. */
  readonly keptIn: "api_key" | "budget";
  /** Whether calls are admitted by the field: only then does the gateway load it with the key. */
  readonly isSeenByCalls: boolean;
  /**
   * Rotation copies every field. A shared field stays the same for the old and the new key, even if one of them is
   * changed.
   */
  readonly isShared: boolean;
};

/**
 * What users can set on an API key, in the order of the form. Types, schemas, columns, statements, the list for admins and
 * the form follow from this table. How to add a field: docs/development.md.
 */
export const keyFields = [
  { name: "name", kind: "name", max: 100, default: null, keptIn: "api_key", isSeenByCalls: false, isShared: false },
  /** The limit in quota; 500,000 are 1 USD. */
  {
    name: "quota_limit",
    kind: "quota",
    max: 1_000_000_000_000_000,
    default: null,
    keptIn: "budget",
    isSeenByCalls: false,
    isShared: true,
  },
  /** The period after which the used part of the limit returns to 0, in UTC. */
  {
    name: "reset_period",
    kind: "period",
    max: null,
    default: "none",
    keptIn: "budget",
    isSeenByCalls: false,
    isShared: true,
  },
  {
    name: "allowed_models",
    kind: "models",
    max: 200,
    default: null,
    keptIn: "api_key",
    isSeenByCalls: true,
    isShared: false,
  },
  {
    name: "expires_at",
    kind: "moment",
    max: null,
    default: null,
    keptIn: "api_key",
    isSeenByCalls: true,
    isShared: false,
  },
  /** The addresses and CIDR ranges that may use the key. */
  {
    name: "allowed_ips",
    kind: "addresses",
    max: 50,
    default: null,
    keptIn: "api_key",
    isSeenByCalls: true,
    isShared: false,
  },
  {
    name: "requests_per_minute",
    kind: "count",
    max: 1_000_000,
    default: null,
    keptIn: "api_key",
    isSeenByCalls: true,
    isShared: true,
  },
  {
    name: "tokens_per_minute",
    kind: "count",
    max: 2_000_000_000,
    default: null,
    keptIn: "api_key",
    isSeenByCalls: true,
    isShared: true,
  },
  {
    name: "concurrency_max",
    kind: "count",
    max: 10_000,
    default: null,
    keptIn: "api_key",
    isSeenByCalls: true,
    isShared: true,
  },
  /** Whether another model may answer, by rules of the operator, where the one that was asked for can't. */
  {
    name: "is_fallback_allowed",
    kind: "flag",
    max: null,
    default: false,
    keptIn: "api_key",
    isSeenByCalls: true,
    isShared: false,
  },
  {
    name: "is_payload_traced",
    kind: "flag",
    max: null,
    default: true,
    keptIn: "api_key",
    isSeenByCalls: true,
    isShared: false,
  },
  {
    name: "is_response_cached",
    kind: "flag",
    max: null,
    default: false,
    keptIn: "api_key",
    isSeenByCalls: true,
    isShared: false,
  },
  /** Whether the end users and tags that clients name are kept with the usage. */
  {
    name: "are_labels_kept",
    kind: "flag",
    max: null,
    default: true,
    keptIn: "api_key",
    isSeenByCalls: true,
    isShared: false,
  },
] as const satisfies readonly KeyFieldRow[];

export type KeyField = (typeof keyFields)[number];
export type KeyFieldName = KeyField["name"];
/** A field that is a column of `api_key`. */
export type KeySetting = Extract<KeyField, { readonly keptIn: "api_key" }>;
/** A field that a call is admitted by. */
export type CallSetting = Extract<KeySetting, { readonly isSeenByCalls: true }>;

export const keySettings: readonly KeySetting[] = keyFields.filter(isSetting);
export const callSettings: readonly CallSetting[] = keySettings.filter(isCallSetting);

function isSetting(field: KeyField): field is KeySetting {
  return field.keptIn === "api_key";
}

function isCallSetting(field: KeySetting): field is CallSetting {
  return field.isSeenByCalls;
}

/** An object with a member for each field, by its kind. */
export type ByKeyField<Members extends Readonly<Record<Field["kind"], unknown>>, Field extends KeyField = KeyField> = {
  readonly [Each in Field as Each["name"]]: Members[Each["kind"]];
};

export function byKeyField<Members extends Readonly<Record<Field["kind"], unknown>>, Field extends KeyField = KeyField>(
  fields: readonly Field[],
  make: (field: Field) => Members[Field["kind"]],
): ByKeyField<Members, Field> {
  return Object.fromEntries(fields.map((field) => [field.name, make(field)])) as ByKeyField<Members, Field>;
}

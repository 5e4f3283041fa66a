import { z } from "zod";

type IntegerDefinition = {
  readonly kind: "integer";
  readonly schema: z.ZodType<number>;
  readonly default: number;
  readonly min: number;
  readonly max: number;
};
type FlagDefinition = { readonly kind: "boolean"; readonly schema: z.ZodType<boolean>; readonly default: boolean };

/** What is known of a setting. */
export type SettingDefinition = (IntegerDefinition | FlagDefinition) & {
  /** What it does, in sentences for admins. */
  readonly description: string;
  /** What an integer counts. */
  readonly unit: string | null;
  /** A variable of the environment; when it is set, it decides, and the setting can't be changed. */
  readonly variable: "TRACE_PAYLOADS" | "TRACE_MAX_PAYLOAD_BYTES" | "ADMIN_SECOND_PERSON_ABOVE_USD" | null;
};

function integer(range: { readonly default: number; readonly min: number; readonly max: number }): IntegerDefinition {
  const sentence = `It has to be a whole number from ${range.min} to ${range.max}.`;
  return { kind: "integer", schema: z.int(sentence).min(range.min, sentence).max(range.max, sentence), ...range };
}

function flag(isOn: boolean): FlagDefinition {
  return { kind: "boolean", schema: z.boolean("It has to be on or off."), default: isOn };
}

/** Every setting that can be changed while the service runs. Each is read from memory; none costs a call a query. */
export const settingRegistry = {
  "trace.payloads": {
    ...flag(true),
    description: "Whether bodies of calls are kept, sealed. If so, each API key may still say no.",
    unit: null,
    variable: "TRACE_PAYLOADS",
  },
  "trace.max_payload_bytes": {
    ...integer({ default: 262_144, min: 0, max: 4_194_304 }),
    description: "How much of a request and of an answer is kept, each. Of an answer never more than 262144.",
    unit: "bytes",
    variable: "TRACE_MAX_PAYLOAD_BYTES",
  },
  "trace.payload_retention_days": {
    ...integer({ default: 7, min: 1, max: 90 }),
    description:
      "How long bodies of calls can be read. What is older is destroyed for good, at once also when the number becomes smaller.",
    unit: "days",
    variable: null,
  },
  "trace.metadata_retention_days": {
    ...integer({ default: 90, min: 1, max: 365 }),
    description:
      "How long the metadata of calls is kept for the search of traces. Bodies go no later than this. Usage and bills are not touched.",
    unit: "days",
    variable: null,
  },
  "trace.payload_reads_per_hour": {
    ...integer({ default: 30, min: 1, max: 1_000 }),
    description: "How many payloads one super-admin may read in an hour.",
    unit: "payloads",
    variable: null,
  },
  "admin.fresh_login_minutes": {
    ...integer({ default: 60, min: 5, max: 1_440 }),
    description:
      "How long a login of an admin is fresh. Payloads, addresses, credentials, prices and rights ask for a fresh one.",
    unit: "minutes",
    variable: null,
  },
  "admin.second_factor_required": {
    ...flag(false),
    description: "Whether an admin without an authenticator can do nothing but set one up.",
    unit: null,
    variable: null,
  },
  "admin.adjust_usd_max": {
    ...integer({ default: 20, min: 0, max: 1_000_000 }),
    description:
      "What an admin may give a user or take at once, by hand. More is up to super-admins with a fresh login.",
    unit: "US dollars",
    variable: null,
  },
  "admin.adjust_usd_per_day": {
    ...integer({ default: 100, min: 0, max: 1_000_000 }),
    description: "What one admin may give users and take in a UTC day, in all; more is up to super-admins.",
    unit: "US dollars",
    variable: null,
  },
  "admin.refund_usd_max": {
    ...integer({ default: 100, min: 0, max: 1_000_000 }),
    description: "What an admin may refund at once. More is up to super-admins with a fresh login.",
    unit: "US dollars",
    variable: null,
  },
  "admin.refund_usd_per_day": {
    ...integer({ default: 500, min: 0, max: 1_000_000 }),
    description: "What one admin may refund in a UTC day, in all; more is up to super-admins.",
    unit: "US dollars",
    variable: null,
  },
  "admin.second_person_above_usd": {
    ...integer({ default: 0, min: 0, max: 1_000_000 }),
    description:
      "Above this, at once or in all of a day, an adjustment or a refund waits until a second super-admin has agreed, and so do new rights, looser limits of admins, lower prices and credentials of payments and mail. 0: never. Have two super-admins before: one alone can't take it back.",
    unit: "US dollars",
    variable: "ADMIN_SECOND_PERSON_ABOVE_USD",
  },
  "analytics.retention_days": {
    ...integer({ default: 400, min: 1, max: 1_000 }),
    description: "How long what public pages report is kept, and which campaign a payment came from.",
    unit: "days",
    variable: null,
  },
  "accounts.logins_per_address": {
    ...integer({ default: 50, min: 5, max: 10_000 }),
    description: "Attempts of users to log in from one address, failed ones, before each further one waits longer.",
    unit: "attempts an hour",
    variable: null,
  },
  "accounts.admin_logins_per_address": {
    ...integer({ default: 20, min: 5, max: 1_000 }),
    description: "Attempts of admins to log in from one address, failed ones, before each further one waits longer.",
    unit: "attempts an hour",
    variable: null,
  },
  "accounts.registrations_per_address": {
    ...integer({ default: 30, min: 1, max: 10_000 }),
    description: "Accounts that may be registered from one address before each further one waits longer.",
    unit: "accounts an hour",
    variable: null,
  },
  "accounts.mails_per_address": {
    ...integer({ default: 30, min: 1, max: 10_000 }),
    description: "Mails with links that may be asked for from one address before each further one waits longer.",
    unit: "mails an hour",
    variable: null,
  },
} as const satisfies Record<`${string}.${string}`, SettingDefinition>;

export type SettingName = keyof typeof settingRegistry;

/** What a setting holds: a number or a boolean. */
export type SettingValue<Name extends SettingName> = (typeof settingRegistry)[Name]["kind"] extends "boolean"
  ? boolean
  : number;

/** A value for every setting. */
export type SettingValues = { readonly [Name in SettingName]: SettingValue<Name> };

export const settingNames = Object.keys(settingRegistry) as SettingName[];

/** The definition of a name that came from outside, typed wide; null when there is no such setting. */
export function findDefinition(name: string): SettingDefinition | null {
  return Object.hasOwn(settingRegistry, name) ? settingRegistry[name as SettingName] : null;
}

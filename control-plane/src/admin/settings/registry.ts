import { brandSettings } from "./brand-settings.ts";
import { flag, integer, type SettingDefinition } from "./definition.ts";

/**
 * Every setting that can be changed while the service runs. Settings are read from memory; none costs a call a query.
 */
export const settingRegistry = {
  ...brandSettings,
  "models.performance": {
    ...flag(false),
    description:
      "Show how soon each model begins to respond and how many tokens a second it streams, in the public list of models and on the page of each. Counted over the last seven whole days in UTC.",
    unit: null,
    variable: null,
  },
  "status.page": {
    ...flag(true),
    description:
      "Show a public status page, /status/, linked at the end of every public page. It does not name channels or count calls.",
    unit: null,
    variable: null,
  },
  "status.success": {
    ...flag(true),
    description:
      "Show the share of answered calls of each model: of each of the last 90 days on the status page, and of 30 days in the public list of models.",
    unit: null,
    variable: null,
  },
  "status.latency": {
    ...flag(true),
    description: "Show on the status page how soon each model begins to respond.",
    unit: null,
    variable: null,
  },
  "status.incidents": {
    ...flag(true),
    description: "Show the incidents that admins post on the status page.",
    unit: null,
    variable: null,
  },
  "trace.payloads": {
    ...flag(true),
    description: "Store the bodies of calls, encrypted. Each API key can opt out.",
    unit: null,
    variable: "TRACE_PAYLOADS",
  },
  "trace.max_payload_bytes": {
    ...integer({ default: 262_144, min: 0, max: 4_194_304 }),
    description: "How much of each request and each response is stored. A response never takes more than 262144.",
    unit: "bytes",
    variable: "TRACE_MAX_PAYLOAD_BYTES",
  },
  "trace.payload_retention_days": {
    ...integer({ default: 7, min: 1, max: 90 }),
    description:
      "How long stored bodies can be read. Older ones are permanently destroyed, immediately if you lower this number.",
    unit: "days",
    variable: null,
  },
  "trace.metadata_retention_days": {
    ...integer({ default: 90, min: 1, max: 365 }),
    description:
      "How long metadata of calls can be searched, and how long end users and tags stay in the usage. Bodies are destroyed no later than this. Amounts and billing are not affected.",
    unit: "days",
    variable: null,
  },
  "trace.payload_reads_per_hour": {
    ...integer({ default: 30, min: 1, max: 1_000 }),
    description: "How many payloads one super-admin can read per hour.",
    unit: "payloads",
    variable: null,
  },
  "trace.users_read_payloads": {
    ...flag(false),
    description:
      "Let users read the bodies of their own calls in the console, once they have switched that on for their account. Each access is recorded.",
    unit: null,
    variable: null,
  },
  "trace.own_payload_reads_per_hour": {
    ...integer({ default: 60, min: 1, max: 10_000 }),
    description: "How many payloads of their own calls a user can read per hour.",
    unit: "payloads",
    variable: null,
  },
  "cache.responses": {
    ...flag(false),
    description:
      "Answer repeated requests from stored responses, for API keys that ask for it. Turning it off deletes what is stored.",
    unit: null,
    variable: null,
  },
  "cache.price_basis_points": {
    ...integer({ default: 1_000, min: 0, max: 10_000 }),
    description: "What a response from the cache costs, in hundredths of a percent of its normal price: 1000 is 10 %.",
    unit: "hundredths of a percent",
    variable: null,
  },
  "cache.lifetime_seconds": {
    ...integer({ default: 3_600, min: 1, max: 2_592_000 }),
    description: "How long a response is stored, unless its call asks for another time.",
    unit: "seconds",
    variable: null,
  },
  "cache.lifetime_seconds_max": {
    ...integer({ default: 86_400, min: 1, max: 2_592_000 }),
    description: "The longest time for which a call can have its response stored.",
    unit: "seconds",
    variable: null,
  },
  "cache.memory_bytes": {
    ...integer({ default: 67_108_864, min: 1_048_576, max: 8_589_934_592 }),
    description: "The memory that each process uses for responses. The ones used longest ago make room for new ones.",
    unit: "bytes",
    variable: null,
  },
  "cache.answer_bytes_max": {
    ...integer({ default: 1_048_576, min: 1_024, max: 16_777_216 }),
    description: "Longer responses are not stored.",
    unit: "bytes",
    variable: null,
  },
  "cache.shared_across_users": {
    ...flag(false),
    description:
      "Answer a request with the response to an equal request of another user in the same group. Users can then find out whether somebody else has sent a request before.",
    unit: null,
    variable: null,
  },
  "admin.fresh_login_minutes": {
    ...integer({ default: 60, min: 5, max: 1_440 }),
    description:
      "How long an admin's login counts as recent. Payloads, addresses, credentials, prices and rights require a recent login.",
    unit: "minutes",
    variable: null,
  },
  "admin.second_factor_required": {
    ...flag(false),
    description: "Require an authenticator: without one, an admin can do nothing but set one up.",
    unit: null,
    variable: null,
  },
  "admin.adjust_usd_max": {
    ...integer({ default: 20, min: 0, max: 1_000_000 }),
    description:
      "The most an admin can add to or deduct from a user's balance in one adjustment. Larger amounts require a super-admin with a recent login.",
    unit: "US dollars",
    variable: null,
  },
  "admin.adjust_usd_per_day": {
    ...integer({ default: 100, min: 0, max: 1_000_000 }),
    description:
      "The most one admin can add to and deduct from balances per UTC day in total. Larger amounts require a super-admin.",
    unit: "US dollars",
    variable: null,
  },
  "admin.refund_usd_max": {
    ...integer({ default: 100, min: 0, max: 1_000_000 }),
    description: "The most an admin can refund in one step. Larger amounts require a super-admin with a recent login.",
    unit: "US dollars",
    variable: null,
  },
  "admin.refund_usd_per_day": {
    ...integer({ default: 500, min: 0, max: 1_000_000 }),
    description: "The most one admin can refund per UTC day in total. Larger amounts require a super-admin.",
    unit: "US dollars",
    variable: null,
  },
  "admin.second_person_above_usd": {
    ...integer({ default: 0, min: 0, max: 1_000_000 }),
    description:
      "Above this amount, in one step or in total per day, an adjustment or refund waits until a second super-admin has approved it. So do new rights, looser limits for admins, lower prices, and credentials for payments and mail. 0 turns this off. Make sure that there are two super-admins first: one alone can't undo it.",
    unit: "US dollars",
    variable: "ADMIN_SECOND_PERSON_ABOVE_USD",
  },
  "events.error_percent": {
    ...integer({ default: 25, min: 1, max: 100 }),
    description:
      "Report a channel once this share of its attempts fails within five minutes, and again when it is half of that. Failed attempts of all channels count together too.",
    unit: "percent",
    variable: null,
  },
  "events.error_attempts": {
    ...integer({ default: 20, min: 1, max: 10_000 }),
    description: "With fewer attempts than this in five minutes, no error rate is reported.",
    unit: "attempts",
    variable: null,
  },
  "analytics.retention_days": {
    ...integer({ default: 400, min: 1, max: 1_000 }),
    description: "How long reports of public pages, and which campaign a payment came from, are kept.",
    unit: "days",
    variable: null,
  },
  "accounts.closing_days": {
    ...integer({ default: 14, min: 1, max: 90 }),
    description: "How long the closing of an account can be undone. Its API keys are refused from the beginning.",
    unit: "days",
    variable: null,
  },
  "accounts.logins_per_address": {
    ...integer({ default: 50, min: 5, max: 10_000 }),
    description:
      "How many failed logins of users from one IP address are allowed before each further attempt has to wait longer.",
    unit: "attempts per hour",
    variable: null,
  },
  "accounts.admin_logins_per_address": {
    ...integer({ default: 20, min: 5, max: 1_000 }),
    description:
      "How many failed logins of admins from one IP address are allowed before each further attempt has to wait longer.",
    unit: "attempts per hour",
    variable: null,
  },
  "accounts.registrations_per_address": {
    ...integer({ default: 30, min: 1, max: 10_000 }),
    description:
      "How many accounts can be registered from one IP address before each further registration has to wait longer.",
    unit: "accounts per hour",
    variable: null,
  },
  "payments.walletpay": {
    ...flag(true),
    description:
      "Offer the wallet gateway for new payments. While it is off, orders that were opened before are still settled, and refunds still work.",
    unit: null,
    variable: null,
  },
  "payments.cardpay": {
    ...flag(true),
    description:
      "Offer the card gateway for new payments. While it is off, orders that were opened before are still settled, and refunds still work.",
    unit: null,
    variable: null,
  },
  "payments.renewal_grace_days": {
    ...integer({ default: 3, min: 0, max: 30 }),
    description:
      "How long a customer keeps a plan that renews while the card gateway fails to charge for the next month. Then it ends, and nothing more is charged.",
    unit: "days",
    variable: null,
  },
  "payments.price_notice_days": {
    ...integer({ default: 30, min: 1, max: 365 }),
    description:
      "How much notice customers whose plan renews get of a new price, balance or group. They get an e-mail immediately; months that begin earlier keep the old terms.",
    unit: "days",
    variable: null,
  },
  "referrals.is_on": {
    ...flag(false),
    description:
      "Reward users who invite others. Each user has a link; people who register with it count once their first payment through a gateway has lasted long enough.",
    unit: null,
    variable: null,
  },
  "referrals.inviter_cents": {
    ...integer({ default: 500, min: 0, max: 100_000 }),
    description: "What the inviter gets for a person. It holds for people who register from then on.",
    unit: "US cents of balance",
    variable: null,
  },
  "referrals.invited_cents": {
    ...integer({ default: 0, min: 0, max: 100_000 }),
    description: "What the invited person gets at the same time.",
    unit: "US cents of balance",
    variable: null,
  },
  "referrals.wait_days": {
    ...integer({ default: 14, min: 0, max: 365 }),
    description: "How long the first payment has to last before the reward is given: your time for refunds.",
    unit: "days",
    variable: null,
  },
  "referrals.minimum_usd": {
    ...integer({ default: 5, min: 0, max: 10_000 }),
    description: "The smallest first payment that counts.",
    unit: "US dollars",
    variable: null,
  },
  "referrals.month_max": {
    ...integer({ default: 10, min: 0, max: 10_000 }),
    description:
      "For how many people a user can be rewarded in a UTC month. There is never a reward for those above it.",
    unit: "people",
    variable: null,
  },
  "referrals.take_back_days": {
    ...integer({ default: 120, min: 0, max: 730 }),
    description:
      "How long after a reward it is taken back if the payment is refunded or disputed. Card holders can dispute for about 120 days.",
    unit: "days",
    variable: null,
  },
  "accounts.mails_per_address": {
    ...integer({ default: 30, min: 1, max: 10_000 }),
    description:
      "How many e-mails with links can be requested from one IP address before each further request has to wait longer.",
    unit: "e-mails per hour",
    variable: null,
  },
} as const satisfies Record<`${string}.${string}`, SettingDefinition>;

export type SettingName = keyof typeof settingRegistry;

type ValueOfKind = { readonly boolean: boolean; readonly integer: number; readonly text: string };

/** The type of a setting's value. */
export type SettingValue<Name extends SettingName> = ValueOfKind[(typeof settingRegistry)[Name]["kind"]];

/** A value for every setting. */
export type SettingValues = { readonly [Name in SettingName]: SettingValue<Name> };

export const settingNames = Object.keys(settingRegistry) as SettingName[];

/** A setting's definition by untrusted name; null if unknown. */
export function findDefinition(name: string): SettingDefinition | null {
  return Object.hasOwn(settingRegistry, name) ? settingRegistry[name as SettingName] : null;
}

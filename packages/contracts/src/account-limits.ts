import { z } from "zod";
import { planCode } from "./billing.ts";
import { groupName } from "./groups.ts";
import { recordId } from "./keys.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { wireInteger } from "./wire.ts";

/**
 * What operators limit for each account: `default` for all accounts, `group` for each account in a group, `plan` for each
 * account while a month of a plan runs, `user` for one account, of a person or an organisation, over all its groups.
 */
export const limitScopes = ["default", "group", "plan", "user"] as const;

/** The largest values are those of a key. */
const count = (max: number) => z.int().min(1).max(max).nullable();

/** Null for no limit. */
export const rateLimitFields = {
  requests_per_minute: count(1_000_000),
  tokens_per_minute: count(2_000_000_000),
  concurrency_max: count(10_000),
};
export const rateLimitNames = ["requests_per_minute", "tokens_per_minute", "concurrency_max"] as const;
export type RateLimitName = (typeof rateLimitNames)[number];

/** Quota per UTC day and month; 500,000 are 1 USD. */
export const spendLimitNames = ["spend_per_day", "spend_per_month"] as const;
export type SpendLimitName = (typeof spendLimitNames)[number];
const spendMax = 1_000_000_000_000_000;

export const limitNames = [...rateLimitNames, ...spendLimitNames] as const;
export type LimitName = RateLimitName | SpendLimitName;

const limits = strictObject(() => ({
  ...rateLimitFields,
  spend_per_day: count(spendMax).default(null),
  spend_per_month: count(spendMax).default(null),
}));
const reason = reasonText(500);

/** All limits of a scope; they replace those that it had. */
export const saveLimitsInput = z.discriminatedUnion("scope", [
  limits.extend({ scope: z.literal("default"), reason }),
  limits.extend({ scope: z.literal("group"), group_name: groupName, reason }),
  limits.extend({ scope: z.literal("plan"), plan_code: planCode, reason }),
  limits.extend({ scope: z.literal("user"), user_id: recordId, reason }),
  limits.extend({ scope: z.literal("organisation"), organisation_id: recordId, reason }),
]);
export type SaveLimitsInput = z.output<typeof saveLimitsInput>;
export const saveLimitsOutput = strictObject(() => ({ limits }));

/** Whose limits to explain: by default those of everyone. */
export const explainLimitsInput = strictObject(() => ({
  user_id: recordId.optional(),
  organisation_id: recordId.optional(),
  key_id: recordId.optional(),
  group_name: groupName.optional(),
  plan_code: planCode.optional(),
}));

export const limitSources = ["default", "group", "plan", "user", "key"] as const;

const appliedLimit = strictObject(() => ({ value: z.int(), source: z.enum(limitSources) })).nullable();

/** Which limits calls meet, where each comes from, and what is used of it. */
export const explainedLimits = strictObject(() => ({
  user_id: wireInteger.nullable(),
  organisation_id: wireInteger.nullable(),
  key_id: wireInteger.nullable(),
  /** The group of the calls; null for what everyone has. */
  group: z.string().nullable(),
  /** The group whose limits of spending count: that of calls whose keys name none. */
  spend_group: z.string().nullable(),
  /** The plans with limits whose month runs, or the one that was asked for. */
  plans: z.array(z.string()),
  /**
   * Null where nothing is set. A value set for a group or a plan replaces the default; of group, plan, user and key the
   * strictest counts, and of several plans the most generous. The limits of an organisation are in `user`: it has an
   * account as a user does.
   */
  by_source: z.strictObject({
    default: limits.nullable(),
    group: limits.nullable(),
    plan: limits.nullable(),
    user: limits.nullable(),
    key: limits.nullable(),
  }),
  /** Of each limit the value that counts, and where it is set; null without a limit. */
  applied: z.strictObject({
    requests_per_minute: appliedLimit,
    tokens_per_minute: appliedLimit,
    concurrency_max: appliedLimit,
    spend_per_day: appliedLimit,
    spend_per_month: appliedLimit,
  }),
  /** What the account has used of each: calls that began in the last minute, and quota; null without an account. */
  used: z
    .strictObject({
      requests_per_minute: z.int(),
      tokens_per_minute: z.int(),
      spend_per_day: z.int(),
      spend_per_month: z.int(),
    })
    .nullable(),
}));

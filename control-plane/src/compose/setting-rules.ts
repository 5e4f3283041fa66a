import type { SettingValues } from "../admin/settings/registry.ts";
import type { CacheRules } from "../gateway/response-cache/model.ts";
import type { ReferralRules } from "../payments/referrals/reward-referrals.ts";
import type { TraceRules } from "../trace/model.ts";
import type { ErrorRule } from "../usage/reports/watch-errors.ts";

/** What operators have set about the response cache. */
export function cacheRules(values: SettingValues): CacheRules {
  return {
    isOn: values["cache.responses"],
    basisPoints: values["cache.price_basis_points"],
    lifetimeSeconds: values["cache.lifetime_seconds"],
    lifetimeSecondsMax: values["cache.lifetime_seconds_max"],
    memoryBytesMax: values["cache.memory_bytes"],
    answerBytesMax: values["cache.answer_bytes_max"],
    isSharedByUsers: values["cache.shared_across_users"],
  };
}

/** When an alert is sent about attempts that fail. */
export function errorRule(values: SettingValues): ErrorRule {
  return { percent: values["events.error_percent"], attemptsMin: values["events.error_attempts"] };
}

/** What an invitation earns. */
export function referralRules(values: SettingValues): ReferralRules {
  return {
    isOn: values["referrals.is_on"],
    inviterCents: values["referrals.inviter_cents"],
    invitedCents: values["referrals.invited_cents"],
    waitDays: values["referrals.wait_days"],
    monthMax: values["referrals.month_max"],
    minimumUsd: values["referrals.minimum_usd"],
    takeBackDays: values["referrals.take_back_days"],
  };
}

/** How long traces are kept, and how many may be read. */
export function traceRules(values: SettingValues): TraceRules {
  return {
    payloadRetentionDays: values["trace.payload_retention_days"],
    metadataRetentionDays: values["trace.metadata_retention_days"],
    readsPerHour: values["trace.payload_reads_per_hour"],
  };
}

import type { SettingValues } from "../admin/settings/registry.ts";
import type { CacheRules } from "../gateway/response-cache/model.ts";

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

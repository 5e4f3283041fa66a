import type { KnownColumns } from "./unread-columns.ts";

/** The tables of one-api and new-api that are read, with the columns of either program and of newer versions. */
export const knownColumns = {
  users: {
    read: [
      ...["id", "username", "password", "display_name", "role", "status", "email", "quota", "aff_quota", "group"],
      ...["deleted_at", "github_id", "oidc_id", "lark_id", "wechat_id", "telegram_id", "linux_do_id", "discord_id"],
    ],
    immaterial: [
      "used_quota",
      "request_count",
      "created_at",
      "updated_at",
      "last_login_at",
      "aff_count",
      "aff_history",
    ],
    lost: {
      access_token: "They are tokens of its management API: their owners create access tokens here.",
      aff_code: "They are links of invitations: users get links of their own here.",
      inviter_id: "It says who was invited by whom.",
      setting: "It says what owners are told, and how: they choose that here.",
      remark: "It is a remark of the operator.",
    },
  },
  tokens: {
    read: [
      ...["id", "user_id", "key", "status", "name", "expired_time", "remain_quota", "unlimited_quota", "models"],
      ...["subnet", "model_limits_enabled", "model_limits", "allow_ips", "group", "deleted_at"],
    ],
    immaterial: ["created_time", "accessed_time", "used_quota"],
    lost: { cross_group_retry: "These keys switch to another group when theirs fails." },
  },
  channels: {
    read: [
      ...["id", "type", "key", "status", "name", "weight", "base_url", "other", "models", "group", "model_mapping"],
      ...["priority", "config", "system_prompt", "status_code_mapping", "param_override", "header_override"],
      ...["open_ai_organization", "openai_organization", "channel_info", "setting", "settings", "auto_ban"],
    ],
    immaterial: [
      ...["created_time", "test_time", "response_time", "balance", "balance_updated_time", "used_quota"],
      ...["other_info", "test_model"],
    ],
    lost: { tag: "It groups channels.", remark: "It is a remark of the operator." },
  },
  redemptions: {
    read: ["id", "key", "status", "name", "quota", "expired_time", "deleted_at"],
    immaterial: ["user_id", "created_time", "redeemed_time", "used_user_id"],
  },
  abilities: { read: ["group", "model", "channel_id", "enabled", "priority"], immaterial: ["weight", "tag"] },
  options: { read: ["key", "value"], immaterial: [] },
  logs: {
    read: [
      ...["id", "user_id", "created_at", "type", "model_name", "quota", "prompt_tokens", "completion_tokens"],
      "token_name",
    ],
    immaterial: [
      ...["content", "username", "channel_id", "channel", "channel_name", "request_id", "elapsed_time", "use_time"],
      ...["is_stream", "system_prompt_reset", "token_id", "group", "ip", "other", "upstream_request_id"],
    ],
  },
  quota_data: {
    read: ["id", "user_id", "model_name", "created_at", "token_used", "count", "quota"],
    immaterial: ["username"],
  },
  two_fas: {
    read: ["id", "user_id", "secret", "is_enabled", "deleted_at"],
    immaterial: ["failed_attempts", "locked_until", "last_used_at", "created_at", "updated_at"],
  },
  two_fa_backup_codes: {
    read: ["id", "user_id", "code_hash", "is_used", "deleted_at"],
    immaterial: ["used_at", "created_at"],
  },
} as const satisfies Readonly<Record<string, KnownColumns>>;

export type KnownTable = keyof typeof knownColumns;

/** Tables that hold what customers or operators could miss; they are counted. */
export const countedTables = [
  ...["top_ups", "midjourneys", "tasks", "checkins", "prefill_groups", "vendors", "models", "subscription_plans"],
  ...["subscription_orders", "user_subscriptions", "user_subscription_items", "subscription_pre_consume_records"],
  ...["passkey_credentials", "user_oauth_bindings", "custom_oauth_providers", "external_identity_claims"],
];

/** Tables of the program's own work, which nobody misses. */
const ownTables = [
  ...["setups", "user_sessions", "auth_flows", "casbin_rules", "authz_roles", "system_tasks", "system_task_locks"],
  ...["system_instances", "perf_metrics"],
];

export const knownTables: ReadonlySet<string> = new Set([...Object.keys(knownColumns), ...countedTables, ...ownTables]);

import type { KnownColumns } from "../source/unread-columns.ts";

/** The columns of the tables that are read, in the version of the fixture; newer ones may have others. */
export const knownColumns = {
  LiteLLM_UserTable: {
    read: [
      ...["user_id", "user_alias", "team_id", "sso_user_id", "organization_id", "password", "user_role"],
      ...["max_budget", "spend", "user_email", "models", "metadata", "max_parallel_requests", "tpm_limit"],
      ...["rpm_limit", "budget_duration", "allowed_cache_controls", "model_max_budget", "object_permission_id"],
      ...["policies"],
    ],
    immaterial: ["teams", "budget_reset_at", "model_spend", "created_at", "updated_at", "last_breach_check_at"],
    lost: {
      password_reset_required: "Their owners were to set another password.",
    },
  },
  LiteLLM_TeamTable: {
    read: [
      ...["team_id", "team_alias", "organization_id", "admins", "members", "members_with_roles", "metadata"],
      ...["max_budget", "spend", "models", "max_parallel_requests", "tpm_limit", "rpm_limit", "budget_duration"],
      ...["blocked", "model_max_budget", "model_id", "object_permission_id", "router_settings", "policies"],
      ...["soft_budget", "access_group_ids", "budget_limits", "default_team_member_models", "tpd_limit"],
    ],
    immaterial: ["budget_reset_at", "created_at", "updated_at", "model_spend", "allow_team_guardrail_config"],
    lost: {
      team_member_permissions: "It says which keys members may manage; roles decide that here.",
    },
  },
  LiteLLM_ProjectTable: {
    read: [
      ...["project_id", "project_alias", "team_id", "budget_id", "metadata", "models", "spend", "blocked"],
      ...["object_permission_id", "model_rpm_limit", "model_tpm_limit"],
    ],
    immaterial: ["model_spend", "created_at", "created_by", "updated_at", "updated_by"],
    lost: {
      description: "It describes the project.",
    },
  },
  LiteLLM_BudgetTable: {
    read: [
      ...["budget_id", "max_budget", "soft_budget", "max_parallel_requests", "tpm_limit", "rpm_limit"],
      ...["model_max_budget", "budget_duration", "tpd_limit"],
    ],
    immaterial: ["budget_reset_at", "created_at", "created_by", "updated_at", "updated_by", "temp_budget_expiry"],
    lost: {
      allowed_models: "They are models that the budget is for.",
      temp_budget_increase: "It is more for some time.",
    },
  },
  LiteLLM_VerificationToken: {
    read: [
      ...["token", "key_name", "key_alias", "spend", "expires", "models", "aliases", "config", "user_id", "team_id"],
      ...["permissions", "max_parallel_requests", "metadata", "blocked", "tpm_limit", "rpm_limit", "max_budget"],
      ...["budget_duration", "allowed_cache_controls", "model_max_budget", "budget_id", "organization_id"],
      ...["allowed_routes", "object_permission_id", "rotation_interval", "project_id", "router_settings", "policies"],
      ...["access_group_ids", "agent_id", "budget_limits", "budget_fallbacks", "tpd_limit"],
    ],
    immaterial: [
      ...["soft_budget_cooldown", "budget_reset_at", "model_spend", "created_at", "created_by", "updated_at"],
      ...["updated_by", "key_rotation_at", "last_rotation_at", "rotation_count", "last_active", "key_type"],
      ...["settings_updated_at", "total_spend"],
    ],
    lost: {
      auto_rotate: "These keys were rotated automatically.",
    },
  },
  LiteLLM_DeprecatedVerificationToken: {
    read: ["id", "token", "active_token_id", "revoke_at"],
    immaterial: ["created_at"],
  },
  LiteLLM_ProxyModelTable: {
    read: ["model_id", "model_name", "litellm_params", "model_info", "blocked"],
    immaterial: ["created_at", "created_by", "updated_at", "updated_by"],
  },
  LiteLLM_CredentialsTable: {
    read: ["credential_id", "credential_name", "credential_values"],
    immaterial: ["credential_info", "created_at", "created_by", "updated_at", "updated_by", "display_name"],
  },
  LiteLLM_DailyUserSpend: {
    read: [
      ...["id", "user_id", "date", "model", "model_group", "prompt_tokens", "completion_tokens", "spend"],
      "successful_requests",
    ],
    immaterial: [
      ...["api_key", "custom_llm_provider", "created_at", "updated_at", "api_requests", "failed_requests", "endpoint"],
      ...["cache_creation_input_tokens", "cache_read_input_tokens", "mcp_namespaced_tool_name"],
      ...["compression_saved_tokens", "compression_savings_spend", "prompt_caching_savings_spend"],
      ...["autorouter_savings_spend", "gateway_injected_caching_savings_spend", "total_response_time_ms"],
      "timed_requests",
    ],
  },
} as const satisfies Readonly<Record<string, KnownColumns>>;

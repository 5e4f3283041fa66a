import { type AccountShape, accountPaths, accountReadsPerMinute, accountUsageDaysMax } from "./account-paths.ts";
import type { ErrorCode } from "./errors.ts";
import type { JsonSchema, NativeRoute } from "./native-route.ts";

const text: JsonSchema = { type: "string" };
const number: JsonSchema = { type: "number" };
const integer: JsonSchema = { type: "integer" };
const optionalText: JsonSchema = { type: ["string", "null"] };
const usd: JsonSchema = { type: "string", pattern: String.raw`^-?\d+\.\d{6}$`, description: "US dollars, exact." };

function record(properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required };
}

const day = record({ day: text, calls: integer, input_tokens: integer, output_tokens: integer, cost_usd: usd });

const shapes: Readonly<Record<AccountShape, { readonly summary: string; readonly schema: JsonSchema }>> = {
  usage: {
    summary: `Get what the API key can spend, has spent and, without a limit of its own, the sums of each UTC day; \`start_date\` and \`end_date\` choose at most ${accountUsageDaysMax} days`,
    schema: record(
      {
        object: { const: "usage" },
        currency: { const: "USD" },
        scope: { enum: ["account", "api_key"] },
        limit_usd: usd,
        used_usd: usd,
        remaining_usd: usd,
        resets_at: optionalText,
        from_day: text,
        to_day: text,
        days: { type: "array", items: day },
      },
      ["from_day", "to_day", "days"],
    ),
  },
  credits: {
    summary: "Get all credit ever given and all usage, in US dollars, in the form of OpenRouter",
    schema: record({ data: record({ total_credits: number, total_usage: number }) }),
  },
  key: {
    summary: "Get the limit and usage of the API key, in US dollars, in the form of OpenRouter",
    schema: record({
      data: record(
        {
          label: text,
          limit: { type: ["number", "null"] },
          limit_remaining: { type: ["number", "null"] },
          limit_reset: optionalText,
          usage: number,
          usage_daily: number,
          usage_weekly: number,
          usage_monthly: number,
          is_free_tier: { type: "boolean" },
          expires_at: optionalText,
          rate_limit: record({ requests: integer, interval: text }),
        },
        ["usage_daily", "usage_weekly", "usage_monthly"],
      ),
    }),
  },
  subscription: {
    summary: "Get the limit in US dollars, in the form that clients of the dashboard API read",
    schema: record({
      object: { const: "billing_subscription" },
      has_payment_method: { type: "boolean" },
      soft_limit_usd: number,
      hard_limit_usd: number,
      system_hard_limit_usd: number,
      access_until: integer,
    }),
  },
  billing_usage: {
    summary: "Get all usage of that limit in US cents, whatever days are asked for",
    schema: record({ object: { const: "list" }, total_usage: number }),
  },
  token_usage: {
    summary: "Get what the API key can spend and has spent in quota, in the form of new-api; 500,000 are 1 US dollar",
    schema: record({
      code: { type: "boolean" },
      message: text,
      data: record({
        object: { const: "token_usage" },
        name: text,
        total_granted: integer,
        total_used: integer,
        total_available: integer,
        unlimited_quota: { type: "boolean" },
        model_limits: { type: "object", additionalProperties: { type: "boolean" } },
        model_limits_enabled: { type: "boolean" },
        expires_at: integer,
      }),
    }),
  },
  credit_grants: {
    summary: "Get what was given, used and is left, in US dollars",
    schema: record({
      object: { const: "credit_summary" },
      total_granted: number,
      total_used: number,
      total_available: number,
    }),
  },
};

/** Usage and balance with the API key alone, at every address that clients know. */
export function accountRoutes(callErrors: readonly ErrorCode[]): NativeRoute[] {
  // The same address without its last slash is not described again.
  const described = Object.entries(accountPaths).filter(([path]) => !Object.hasOwn(accountPaths, `${path}/`));
  return described.map(([path, shape]): NativeRoute => {
    const { summary, schema } = shapes[shape];
    return {
      method: "GET",
      path,
      group: "account",
      summary,
      access: "api_key",
      answers: [{ status: 200, type: "application/json", summary: "The figures.", schema }],
      dialect: "openai",
      errors: [...callErrors, ...(shape === "usage" ? (["invalid_parameter"] as const) : [])],
      limits: [`${accountReadsPerMinute} times per minute and account, for all of these addresses together.`],
    };
  });
}

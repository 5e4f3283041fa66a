import { type ErrorCode, errorDefinition } from "@sluice/contracts/errors";
import type { DocTexts } from "../messages/en.ts";
import type { DocBlock } from "../model.ts";
import type { ErrorTexts } from "./messages/en.ts";

type Texts = { readonly docs: DocTexts["clients"]; readonly errors: ErrorTexts };

export type ErrorGroup = keyof ErrorTexts["group"];

type ErrorRow = {
  readonly group: ErrorGroup;
  readonly codes: readonly ErrorCode[];
  readonly meaning: (texts: Texts) => string;
  readonly fix: keyof ErrorTexts["fix"];
  readonly isCharged?: boolean;
};

/** The errors that a client gets, those with the same meaning in one row; what they are comes from the table of codes. */
export const errorRows: readonly ErrorRow[] = [
  {
    group: "request",
    codes: ["invalid_json", "missing_field", "invalid_value", "invalid_type", "invalid_parameter"],
    meaning: ({ docs }) => docs.error.request,
    fix: "request",
  },
  {
    group: "request",
    codes: ["unpriced_option", "provider_object", "unknown_field"],
    meaning: ({ docs }) => docs.error.option,
    fix: "option",
  },
  {
    group: "request",
    codes: ["not_found", "method_not_allowed", "malformed_request", "upgrade_required"],
    meaning: ({ errors }) => errors.meaning.path,
    fix: "path",
  },
  {
    group: "request",
    codes: ["unsupported_media_type", "unsupported_encoding"],
    meaning: ({ errors }) => errors.meaning.body,
    fix: "body",
  },
  { group: "request", codes: ["request_too_large"], meaning: ({ docs }) => docs.error.size, fix: "size" },
  { group: "request", codes: ["request_timeout"], meaning: ({ errors }) => errors.meaning.slow, fix: "slow" },
  {
    group: "key",
    codes: ["missing_api_key", "invalid_api_key"],
    meaning: ({ docs }) => docs.error.key,
    fix: "key",
  },
  { group: "key", codes: ["ambiguous_credentials"], meaning: ({ errors }) => errors.meaning.twoKeys, fix: "twoKeys" },
  {
    group: "key",
    codes: ["account_disabled", "key_locked", "group_unavailable", "ip_not_allowed"],
    meaning: ({ docs }) => docs.error.forbidden,
    fix: "forbidden",
  },
  {
    group: "key",
    codes: ["model_not_found", "model_ended"],
    meaning: ({ docs }) => docs.error.model,
    fix: "model",
  },
  { group: "balance", codes: ["insufficient_quota"], meaning: ({ docs }) => docs.error.quota, fix: "quota" },
  { group: "balance", codes: ["spend_limit_reached"], meaning: ({ docs }) => docs.error.spend, fix: "spend" },
  { group: "balance", codes: ["rate_limit_exceeded"], meaning: ({ docs }) => docs.error.rate, fix: "rate" },
  {
    group: "provider",
    codes: ["upstream_rate_limited"],
    meaning: ({ docs }) => docs.error.providerRate,
    fix: "providerRate",
  },
  { group: "provider", codes: ["upstream_rejected"], meaning: ({ docs }) => docs.error.rejected, fix: "rejected" },
  {
    group: "provider",
    codes: ["upstream_error", "upstream_unreachable"],
    meaning: ({ docs }) => docs.error.provider,
    fix: "provider",
  },
  { group: "provider", codes: ["upstream_timeout"], meaning: ({ docs }) => docs.error.timeout, fix: "timeout" },
  {
    group: "provider",
    codes: ["stream_interrupted"],
    meaning: ({ docs }) => docs.error.cut,
    fix: "cut",
    isCharged: true,
  },
  {
    group: "service",
    codes: ["no_upstream", "temporarily_unavailable", "storage_unavailable", "shutting_down"],
    meaning: ({ docs }) => docs.error.unavailable,
    fix: "unavailable",
  },
  {
    group: "service",
    codes: ["client_closed_request"],
    meaning: ({ docs }) => docs.error.closed,
    fix: "closed",
    isCharged: true,
  },
  { group: "service", codes: ["loop_detected"], meaning: ({ errors }) => errors.meaning.loop, fix: "loop" },
  { group: "service", codes: ["internal_error"], meaning: ({ errors }) => errors.meaning.internal, fix: "internal" },
];

/** The errors of a group, each with its status, type, meaning, price and cure. */
export function errorBlocks(group: ErrorGroup, texts: Texts): DocBlock[] {
  return errorRows
    .filter((row) => row.group === group)
    .map(({ codes, meaning, fix, isCharged = false }) => ({
      kind: "error",
      codes: codes.map((code) => ({ code, status: errorDefinition(code).status })),
      meaning: meaning(texts),
      facts: [
        [texts.errors.toDo, texts.errors.fix[fix]],
        [texts.docs.charged, isCharged ? texts.docs.delivered : texts.docs.no],
        [texts.errors.inAnthropic, [...new Set(codes.map(anthropicForm))].join(", ")],
      ],
    }));
}

function anthropicForm(code: ErrorCode): string {
  const { status, anthropicStatus = status, anthropicType } = errorDefinition(code);
  return `${anthropicStatus} \`${anthropicType}\``;
}

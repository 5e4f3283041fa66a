import { type ErrorCode, errorDefinition } from "@sluice/contracts/errors";
import type { DocTexts } from "./messages/en.ts";

type ErrorRow = {
  readonly codes: readonly ErrorCode[];
  readonly meaning: (texts: DocTexts["clients"]["error"]) => string;
  readonly isCharged?: boolean;
};

/** The errors that a client gets, those with the same meaning in one row. */
const errorRows: readonly ErrorRow[] = [
  { codes: ["invalid_json", "missing_field", "invalid_value"], meaning: (texts) => texts.request },
  { codes: ["unpriced_option", "provider_object", "unknown_field"], meaning: (texts) => texts.option },
  { codes: ["upstream_rejected"], meaning: (texts) => texts.rejected },
  { codes: ["missing_api_key", "invalid_api_key"], meaning: (texts) => texts.key },
  {
    codes: ["account_disabled", "key_locked", "group_unavailable", "ip_not_allowed"],
    meaning: (texts) => texts.forbidden,
  },
  { codes: ["model_not_found", "model_ended"], meaning: (texts) => texts.model },
  { codes: ["request_too_large"], meaning: (texts) => texts.size },
  { codes: ["insufficient_quota"], meaning: (texts) => texts.quota },
  { codes: ["spend_limit_reached"], meaning: (texts) => texts.spend },
  { codes: ["rate_limit_exceeded"], meaning: (texts) => texts.rate },
  { codes: ["upstream_rate_limited"], meaning: (texts) => texts.providerRate },
  { codes: ["client_closed_request"], meaning: (texts) => texts.closed, isCharged: true },
  { codes: ["upstream_error", "upstream_unreachable"], meaning: (texts) => texts.provider },
  { codes: ["stream_interrupted"], meaning: (texts) => texts.cut, isCharged: true },
  {
    codes: ["no_upstream", "temporarily_unavailable", "storage_unavailable", "shutting_down"],
    meaning: (texts) => texts.unavailable,
  },
  { codes: ["upstream_timeout"], meaning: (texts) => texts.timeout },
];

/** Status, code, meaning, and whether it is charged; the statuses are those that the program sends. */
export function errorTableRows(texts: DocTexts["clients"]): string[][] {
  return errorRows.map(({ codes, meaning, isCharged = false }) => [
    [...new Set(codes.map(statuses))].join(", "),
    codes.map((code) => `\`${code}\``).join(" "),
    meaning(texts.error),
    isCharged ? texts.delivered : texts.no,
  ]);
}

function statuses(code: ErrorCode): string {
  const { status, anthropicStatus = status } = errorDefinition(code);
  return anthropicStatus === status ? String(status) : `${status} / ${anthropicStatus}`;
}

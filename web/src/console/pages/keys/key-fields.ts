import { usdOfQuota } from "../../../i18n/format.ts";
import type { ApiKey } from "../../parts/queries.ts";
import { quotaOfUsd } from "../../parts/quota.ts";
import { resetPeriods } from "../../parts/reset-periods.ts";
import type { KeysMessages } from "./messages/en.ts";

/** A key as it is typed, by the names that the backend has for its fields. */
export type KeyValues = {
  readonly name: string;
  readonly quota_limit: string;
  readonly reset_period: ApiKey["reset_period"];
  readonly allowed_models: string;
  readonly allowed_ips: string;
  readonly expires_at: string;
  readonly requests_per_minute: string;
  readonly tokens_per_minute: string;
  readonly concurrency_max: string;
  readonly is_payload_traced: boolean;
};

export const emptyKey: KeyValues = {
  name: "",
  quota_limit: "",
  reset_period: "none",
  allowed_models: "",
  allowed_ips: "",
  expires_at: "",
  requests_per_minute: "",
  tokens_per_minute: "",
  concurrency_max: "",
  is_payload_traced: false,
};

const counts = ["requests_per_minute", "tokens_per_minute", "concurrency_max"] as const;

/** What is wrong with it, by field. */
export function checkKey(values: KeyValues, texts: KeysMessages): Partial<Record<keyof KeyValues, string>> {
  const wrongCounts = counts.filter((name) => values[name] !== "" && !/^[1-9]\d{0,9}$/.test(values[name].trim()));
  const amount = quotaOfUsd(values.quota_limit);
  const isAmountWrong = values.quota_limit.trim() !== "" && (amount === null || amount === 0n);
  return {
    ...Object.fromEntries(wrongCounts.map((name) => [name, texts.notANumber])),
    ...(isAmountWrong ? { quota_limit: texts.notAnAmount } : {}),
  };
}

/** What the backend is sent. */
export function toKeyInput(values: KeyValues): Readonly<Record<string, unknown>> {
  const quota = quotaOfUsd(values.quota_limit);
  return {
    name: values.name,
    quota_limit: quota === null ? null : Number(quota),
    reset_period: quota === null ? "none" : values.reset_period,
    allowed_models: toLines(values.allowed_models),
    allowed_ips: toLines(values.allowed_ips),
    expires_at: values.expires_at === "" ? null : `${values.expires_at}T23:59:59Z`,
    ...Object.fromEntries(counts.map((name) => [name, values[name] === "" ? null : Number(values[name])])),
    is_payload_traced: values.is_payload_traced,
  };
}

/** The values of a key that there is. */
export function toKeyValues(key: ApiKey): KeyValues {
  return {
    name: key.name,
    quota_limit: key.quota_limit === null ? "" : usdOfQuota(key.quota_limit),
    reset_period: resetPeriods.find((period) => period === key.reset_period) ?? "none",
    allowed_models: key.allowed_models?.join("\n") ?? "",
    allowed_ips: key.allowed_ips?.join("\n") ?? "",
    expires_at: key.expires_at?.slice(0, 10) ?? "",
    requests_per_minute: key.requests_per_minute?.toString() ?? "",
    tokens_per_minute: key.tokens_per_minute?.toString() ?? "",
    concurrency_max: key.concurrency_max?.toString() ?? "",
    is_payload_traced: key.is_payload_traced,
  };
}

function toLines(text: string): string[] | null {
  const lines = text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);
  return lines.length === 0 ? null : lines;
}

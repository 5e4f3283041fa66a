import {
  type ByKeyField,
  byKeyField,
  type KeyFieldName,
  keyFields,
  type ResetPeriod,
} from "@sluice/contracts/key-fields";
import { usdOfQuota } from "../../../i18n/format.ts";
import { quotaOfUsd } from "../../../i18n/quota.ts";
import type { ApiKey } from "../../parts/queries.ts";
import type { KeysMessages } from "./messages/en.ts";

type Typed = {
  readonly name: string;
  readonly quota: string;
  readonly period: ResetPeriod;
  readonly models: string;
  readonly addresses: string;
  readonly moment: string;
  readonly count: string;
  readonly flag: boolean;
};

/** A key as typed, under the backend's field names. */
export type KeyValues = ByKeyField<Typed> & {
  /** Empty for the group of the account. */
  readonly group: string;
};

type FieldTexts = { readonly label: string; readonly hint?: string; readonly short?: string };

/** What each field is called; `short` where it is shown, if it differs from the form. */
export function fieldTexts({ fields }: KeysMessages): Readonly<Record<KeyFieldName, FieldTexts>> {
  return fields;
}

const untyped: Typed = {
  name: "",
  quota: "",
  period: "none",
  models: "",
  addresses: "",
  moment: "",
  count: "",
  flag: false,
};

export const emptyKey: KeyValues = { ...byKeyField<Typed>(keyFields, ({ kind }) => untyped[kind]), group: "" };

/** The errors of the input, by field. */
export function checkKey(values: KeyValues, texts: KeysMessages): Partial<Record<KeyFieldName, string>> {
  const problems = keyFields.map((field) => {
    if (field.kind === "count") {
      const typed = values[field.name].trim();
      return [field.name, typed === "" || /^[1-9]\d{0,9}$/.test(typed) ? null : texts.notANumber];
    }
    if (field.kind === "quota") {
      const amount = quotaOfUsd(values[field.name]);
      const isWrong = values[field.name].trim() !== "" && (amount === null || amount === 0n);
      return [field.name, isWrong ? texts.notAnAmount : null];
    }
    return [field.name, null];
  });
  return Object.fromEntries(problems.filter(([, problem]) => problem !== null));
}

/** The input as sent to the backend. */
export function toKeyInput(values: KeyValues): Readonly<Record<string, unknown>> {
  const quota = quotaOfUsd(values.quota_limit);
  const input = keyFields.map((field) => {
    switch (field.kind) {
      case "quota":
        return [field.name, quota === null ? null : Number(quota)];
      case "period":
        return [field.name, quota === null ? "none" : values[field.name]];
      case "models":
      case "addresses":
        return [field.name, toLines(values[field.name])];
      case "moment":
        return [field.name, values[field.name] === "" ? null : `${values[field.name]}T23:59:59Z`];
      case "count":
        return [field.name, values[field.name].trim() === "" ? null : Number(values[field.name])];
      default:
        return [field.name, values[field.name]];
    }
  });
  return { ...Object.fromEntries(input), group: values.group === "" ? null : values.group };
}

/**
 * The input that changes an existing key: only what was changed. A form shows an expiry by its day and a budget in
 * dollars; sent back as shown, they would move an expiry to the end of its day, even one that has passed.
 */
export function toKeyChange(values: KeyValues, key: ApiKey): Readonly<Record<string, unknown>> {
  const input = toKeyInput(values);
  const before = toKeyValues(key);
  const names = [...keyFields.map(({ name }) => name), "group" as const];
  const changed = names.filter((name) => values[name] !== before[name]);
  return Object.fromEntries(changed.map((name) => [name, input[name]]));
}

/** The values of an existing key. */
export function toKeyValues(key: ApiKey): KeyValues {
  const values = byKeyField<Typed>(keyFields, (field) => {
    switch (field.kind) {
      case "quota": {
        const quota = key[field.name];
        return quota === null ? "" : usdOfQuota(quota);
      }
      case "models":
      case "addresses":
        return key[field.name]?.join("\n") ?? "";
      case "moment":
        return key[field.name]?.slice(0, 10) ?? "";
      case "count":
        return key[field.name]?.toString() ?? "";
      default:
        return key[field.name];
    }
  });
  return { ...values, group: key.own_group ?? "" };
}

function toLines(text: string): string[] | null {
  const lines = text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);
  return lines.length === 0 ? null : lines;
}

import { type CamelCase, camelCase } from "@sluice/contracts/camel-case";
import {
  type ByKeyField,
  byKeyField,
  type CallSetting,
  callSettings,
  type KeySetting,
  keySettings,
} from "@sluice/contracts/key-fields";
import type { ApiKeyView } from "@sluice/contracts/keys";
import { AppError } from "../../platform/errors.ts";

/** Ours have 48 letters and digits. Those of other gateways may have any that a Bearer credential may have. */
const secretPattern = /^[A-Za-z0-9._~+/=-]{22,128}$/;
const prefix = "sk-";

/**
 * A key as it is looked up and stored, with `sk-` even if the client leaves it out, which other gateways allow; null for a
 * text that can't be a key, which is refused without querying the database.
 */
export function canonicalApiKey(text: string): string | null {
  const secret = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  return secretPattern.test(secret) ? `${prefix}${secret}` : null;
}

/** The refusal of a locked key, with the reason that the operator gave its owner. */
export function keyLocked(reason: string): AppError {
  return new AppError("key_locked", { message: `The operator has locked this API key: ${reason}` });
}

/** What people may see of a key. */
export function describeApiKey(key: string): { keyPrefix: string; keyLastFour: string } {
  return { keyPrefix: key.slice(0, 7), keyLastFour: key.slice(-4) };
}

type SettingValues = {
  readonly name: string;
  readonly models: readonly string[] | null;
  readonly addresses: readonly string[] | null;
  /** The time in ISO 8601. */
  readonly moment: string | null;
  readonly count: number | null;
  readonly flag: boolean;
};

/** The settings of a key, except its quota limit. */
export type KeySettings = ByKeyField<SettingValues, KeySetting>;

/** The settings of a key that is created by its name alone. */
export function defaultSettings(name: string): KeySettings {
  return byKeyField<SettingValues, KeySetting>(keySettings, (field) => (field.kind === "name" ? name : field.default));
}

/** The settings after a request: its values, else the previous ones. */
export function mergeSettings(
  current: KeySettings,
  input: { readonly [Name in keyof KeySettings]?: KeySettings[Name] | undefined },
): KeySettings {
  return byKeyField<SettingValues, KeySetting>(keySettings, ({ name }) =>
    input[name] === undefined ? current[name] : input[name],
  );
}

/** The settings of a key as it is shown. */
export function settingsOf(view: ApiKeyView): KeySettings {
  return byKeyField<SettingValues, KeySetting>(keySettings, (field) =>
    field.kind === "moment" ? (view[field.name]?.toISOString() ?? null) : view[field.name],
  );
}

/** The settings that calls are admitted by, as rows of the database have them. */
export type CallRow = ByKeyField<
  {
    readonly models: readonly string[] | null;
    readonly addresses: readonly string[] | null;
    readonly moment: Date | null;
    readonly count: number | null;
    readonly flag: boolean;
  },
  CallSetting
>;

type CallValues = {
  readonly models: ReadonlySet<string> | null;
  readonly addresses: readonly string[] | null;
  /** Milliseconds since 1970, or null for never. */
  readonly moment: number | null;
  readonly count: number | null;
  readonly flag: boolean;
};

type CallName<Setting extends CallSetting> = Setting["kind"] extends "moment"
  ? `${CamelCase<Setting["name"]>}Ms`
  : CamelCase<Setting["name"]>;

/** The settings that calls are admitted by, in the form that admission reads fastest. */
export type CallSettings = { readonly [Setting in CallSetting as CallName<Setting>]: CallValues[Setting["kind"]] };

export function toCallSettings(row: CallRow): CallSettings {
  return Object.fromEntries(callSettings.map((setting) => toCallSetting(setting, row))) as CallSettings;
}

function toCallSetting(setting: CallSetting, row: CallRow): [name: string, value: CallValues[keyof CallValues]] {
  const name = camelCase(setting.name);
  if (setting.kind === "moment") {
    return [`${name}Ms`, row[setting.name]?.getTime() ?? null];
  }
  const value = row[setting.name];
  return [name, setting.kind === "models" && Array.isArray(value) ? new Set(value) : value];
}

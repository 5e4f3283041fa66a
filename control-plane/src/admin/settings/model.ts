import type { SettingView } from "@sluice/contracts/settings";
import { findDefinition, type SettingName, type SettingValues, settingNames, settingRegistry } from "./registry.ts";

/** A setting as it is stored. */
export type StoredSetting = {
  readonly name: string;
  /** Null when an admin has reset it to its default. */
  readonly value: unknown;
  readonly version: number;
  readonly updatedByName: string;
  readonly updatedAt: Date;
};

/** The values fixed by the environment. */
export type FixedSettings = { readonly [Name in SettingName]?: SettingValues[Name] };

/** The settings fixed by environment variables; an unset variable fixes nothing. */
export function fixedBy(environment: {
  readonly TRACE_PAYLOADS?: boolean | undefined;
  readonly TRACE_MAX_PAYLOAD_BYTES?: number | undefined;
  readonly ADMIN_SECOND_PERSON_ABOVE_USD?: number | undefined;
}): FixedSettings {
  const { TRACE_PAYLOADS: payloads, TRACE_MAX_PAYLOAD_BYTES: bytesMax } = environment;
  const { ADMIN_SECOND_PERSON_ABOVE_USD: aboveUsd } = environment;
  return {
    ...(payloads === undefined ? {} : { "trace.payloads": payloads }),
    ...(bytesMax === undefined ? {} : { "trace.max_payload_bytes": bytesMax }),
    ...(aboveUsd === undefined ? {} : { "admin.second_person_above_usd": aboveUsd }),
  };
}

/** The stored value while it is allowed, else null. */
function soundValue(name: SettingName, value: unknown): SettingView["value"] | null {
  const read = settingRegistry[name].schema.safeParse(value);
  return read.success ? read.data : null;
}

/** Every setting: the environment's value, else what an admin saved, else the default. */
export function effectiveSettings(stored: readonly StoredSetting[], fixed: FixedSettings): SettingValues {
  const saved = new Map(stored.map(({ name, value }) => [name, value]));
  const values = settingNames.map((name) => [
    name,
    fixed[name] ?? soundValue(name, saved.get(name)) ?? settingRegistry[name].default,
  ]);
  return Object.freeze(Object.fromEntries(values)) as SettingValues;
}

/** The names of settings whose stored value is not, or no longer, allowed, so that their default applies. */
export function invalidSettings(stored: readonly StoredSetting[]): string[] {
  return stored
    .filter(({ name, value }) => value !== null && findDefinition(name)?.schema.safeParse(value).success === false)
    .map(({ name }) => name);
}

/** A setting as admins see it. */
export function toSettingView(name: SettingName, stored: StoredSetting | null, fixed: FixedSettings): SettingView {
  const definition = findDefinition(name);
  if (definition === null) {
    throw new Error(`there is no setting ${name}`);
  }
  const saved = stored === null ? null : soundValue(name, stored.value);
  const own = fixed[name];
  return {
    name,
    description: definition.description,
    kind: definition.kind,
    unit: definition.unit,
    min: definition.kind === "integer" ? definition.min : null,
    max: definition.kind === "integer" ? definition.max : null,
    value: own ?? saved ?? definition.default,
    default: definition.default,
    source: own !== undefined ? "environment" : saved !== null ? "admin" : "default",
    variable: definition.variable,
    version: stored?.version ?? 0,
    updated_by: stored?.updatedByName ?? null,
    updated_at: stored?.updatedAt ?? null,
  };
}

type GuardedSetting = Extract<SettingName, `admin.${string}`> | "cache.responses" | "cache.price_basis_points";

/** The direction of change that lets admins do more without a second person, or lowers prices. */
const givesMore: { readonly [Name in GuardedSetting]: "up" | "down" } = {
  "admin.fresh_login_minutes": "up",
  "admin.second_factor_required": "down",
  "admin.adjust_usd_max": "up",
  "admin.adjust_usd_per_day": "up",
  "admin.refund_usd_max": "up",
  "admin.refund_usd_per_day": "up",
  "admin.second_person_above_usd": "up",
  "cache.responses": "up",
  "cache.price_basis_points": "down",
};

/** Whether a change of a setting lets admins do more without a second person, or lowers prices. */
export function givesAdminsMore(name: SettingName, before: SettingView["value"], after: SettingView["value"]): boolean {
  if (!Object.hasOwn(givesMore, name)) {
    return false;
  }
  // 0 means that no second person is needed, which is the highest limit.
  const sizeOf = (value: SettingView["value"]): number =>
    name === "admin.second_person_above_usd" && value === 0 ? Number.POSITIVE_INFINITY : Number(value);
  const isUp = givesMore[name as GuardedSetting] === "up";
  return isUp ? sizeOf(after) > sizeOf(before) : sizeOf(after) < sizeOf(before);
}

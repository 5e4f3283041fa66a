import { type KeySetting, keySettings } from "@sluice/contracts/key-fields";
import { isAddressOrRange } from "../../platform/address-list.ts";
import { dayMs } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import type { KeySettings } from "./model.ts";
import { findUnknownModels } from "./settings-store.ts";

const yearsMax = 10;

/**
 * Checks the settings that a change touches.
 * @param current what they are now; null for a new key
 * @throws AppError `invalid_value`
 */
export async function checkSettings(
  tx: Transaction,
  settings: KeySettings,
  current: KeySettings | null,
): Promise<void> {
  const fields: Record<string, string> = {};
  for (const setting of keySettings) {
    const isNew = settings[setting.name] !== current?.[setting.name];
    const problem = isNew ? await problemOf(tx, setting, settings) : null;
    if (problem !== null) {
      fields[setting.name] = problem;
    }
  }
  if (Object.keys(fields).length > 0) {
    throw new AppError("invalid_value", { fields });
  }
}

/** What the schema can't check: whether the expiry is in the future, the models exist, the addresses are valid. */
async function problemOf(tx: Transaction, setting: KeySetting, settings: KeySettings): Promise<string | null> {
  if (setting.kind === "moment") {
    const text = settings[setting.name];
    const untilMs = text === null ? null : Date.parse(text) - Date.now();
    const isNear = untilMs === null || (untilMs > 0 && untilMs < yearsMax * 366 * dayMs);
    return isNear ? null : `Choose a time within the next ${yearsMax} years.`;
  }
  if (setting.kind === "addresses") {
    const wrong = settings[setting.name]?.find((each) => !isAddressOrRange(each));
    return wrong === undefined ? null : `${wrong} is neither an address nor a range.`;
  }
  if (setting.kind === "models") {
    const [unknown] = await findUnknownModels(tx, settings[setting.name] ?? []);
    return unknown === undefined ? null : `The model ${unknown} does not exist.`;
  }
  return null;
}

import { z } from "zod";
import { waitingResponse } from "./approvals.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireMoment } from "./wire.ts";

/** Settings that admins change while the service runs. The server defines which ones exist. */

export const saveSettingInput = strictObject(() => ({
  name: z.string().min(1).max(100),
  /** Null resets the setting to its default. */
  value: z.union([z.int(), z.boolean(), z.string().max(300), z.null()]),
  /** The loaded version; 0 if nobody has changed it yet. */
  version: z.int().min(0),
}));
export type SaveSettingInput = z.output<typeof saveSettingInput>;

const value = z.union([z.int(), z.boolean(), z.string()]);

/** A setting as shown: its effective value, and its allowed values. */
export const settingView = strictObject(() => ({
  name: z.string(),
  description: z.string(),
  kind: z.enum(["integer", "boolean", "text"]),
  /** The unit of an integer, such as `days`. */
  unit: z.string().nullable(),
  min: z.int().nullable(),
  max: z.int().nullable(),
  value,
  default: value,
  /** Where the value comes from. Admins can't change a value from the environment. */
  source: z.enum(["default", "admin", "environment"]),
  /** The environment variable that would override the setting, if there is one. */
  variable: z.string().nullable(),
  version: z.int().min(0),
  updated_by: z.string().nullable(),
  updated_at: wireMoment.nullable(),
}));
export type SettingView = Unsent<z.output<typeof settingView>>;

export const settingListOutput = strictObject(() => ({ settings: z.array(settingView) }));
export const settingOutput = z.union([strictObject(() => ({ setting: settingView })), waitingResponse]);

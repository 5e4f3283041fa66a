import { z } from "zod";
import { waitingAnswer } from "./approvals.ts";
import { type Unsent, wireMoment } from "./wire.ts";

/** Settings that admins change while the service runs. What there is to set is a list of the server. */

export const saveSettingInput = z.strictObject({
  name: z.string().min(1).max(100),
  /** Null gives the setting its default back. */
  value: z.union([z.int(), z.boolean(), z.null()]),
  /** The version that was loaded; 0 for one that nobody has changed yet. */
  version: z.int().min(0),
});
export type SaveSettingInput = z.output<typeof saveSettingInput>;

const value = z.union([z.int(), z.boolean()]);

/** A setting as it is shown: what counts now, and what may be set. */
export const settingView = z.strictObject({
  name: z.string(),
  description: z.string(),
  kind: z.enum(["integer", "boolean"]),
  /** What an integer counts, like `days`. */
  unit: z.string().nullable(),
  min: z.int().nullable(),
  max: z.int().nullable(),
  value,
  default: value,
  /** Where the value comes from. One of the environment can't be changed here. */
  source: z.enum(["default", "admin", "environment"]),
  /** The variable of the environment that would decide over it, if there is one. */
  variable: z.string().nullable(),
  version: z.int().min(0),
  updated_by: z.string().nullable(),
  updated_at: wireMoment.nullable(),
});
export type SettingView = Unsent<z.output<typeof settingView>>;

export const settingListOutput = z.strictObject({ settings: z.array(settingView) });
export const settingOutput = z.union([z.strictObject({ setting: settingView }), waitingAnswer]);

import { adminOperation } from "@sluice/contracts/admin-rights";
import { type SaveSettingInput, saveSettingInput, settingListOutput, settingOutput } from "@sluice/contracts/settings";
import { z } from "zod";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import type { Act } from "../approvals/port.ts";
import type { Approvals } from "../approvals/service.ts";
import type { Settings } from "./service.ts";

export type SettingDeps = {
  readonly settings: Settings;
  readonly approvals: Approvals;
  readonly act: Act<SaveSettingInput>;
};

/** What admins do with settings. Changing one can destroy stored data, so only super-admins may. */
export function settingEndpoints({ settings, approvals, act }: SettingDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/settings/list/",
      access: "admin",
      input: z.strictObject({}),
      summary: "List every setting of the running service: its value, where it comes from, and what can be set",
      output: settingListOutput,
      errors: [],
      handle: async () => ({ settings: await settings.list() }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/settings/save/"),
      input: saveSettingInput,
      summary: "Change a setting or reset it to its default, unless it was changed meanwhile",
      output: settingOutput,
      errors: ["not_found", "conflict", "setting_fixed"],
      limits: [
        "With admin.second_person_above_usd, a change that lets a single admin do more waits until another super-admin has approved it.",
      ],
      handle: async ({ input, admin, requestId, clientIp }) =>
        await approvals.carryOut(act, input, { admin, requestId, clientIp }),
    }),
  ];
}

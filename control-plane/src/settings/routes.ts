import { adminOperation } from "@sluice/contracts/admin-rights";
import { saveSettingInput, settingListOutput, settingOutput } from "@sluice/contracts/settings";
import { z } from "zod";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import type { Settings } from "./service.ts";

/** What admins do with the settings. Changing one can destroy what is kept, so that only super-admins may. */
export function settingEndpoints(settings: Settings): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/settings/list/",
      access: "admin",
      input: z.strictObject({}),
      summary: "Every setting of the running service: its value, where that comes from, and what may be set.",
      output: settingListOutput,
      errors: [],
      handle: async () => ({ settings: await settings.list() }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/settings/save/"),
      input: saveSettingInput,
      summary: "Changes a setting, or gives it its default back, if nobody else has changed it meanwhile.",
      output: settingOutput,
      errors: ["not_found", "conflict", "setting_fixed"],
      handle: async ({ input, admin, requestId, clientIp }) => {
        const actor = { kind: "admin", id: admin.adminId, name: admin.username } as const;
        return { setting: await settings.save(input, { actor, requestId, ip: clientIp }) };
      },
    }),
  ];
}

import { type SaveSettingInput, type SettingView, saveSettingInput } from "@sluice/contracts/settings";
import type { Transaction } from "../../platform/db.ts";
import type { Act } from "../approvals/port.ts";
import { recordAct } from "../approvals/service.ts";
import { givesAdminsMore } from "./model.ts";
import type { SettingName } from "./registry.ts";
import type { SettingChange, Settings } from "./service.ts";

const shown = (value: SettingView["value"]): string =>
  typeof value === "boolean" ? (value ? "on" : "off") : `${value}`;

/** What the change of some settings does beside it, in its transaction. */
export type SettingEffects = Readonly<
  Partial<Record<SettingName, (tx: Transaction, change: Pick<SettingChange, "after">) => Promise<void>>>
>;

/**
 * Changes a setting. A change that lets admins do more without a second person takes two admins, if the current rules
 * require two.
 */
export function saveSettingAct(settings: Settings, also: SettingEffects): Act<SaveSettingInput> {
  return {
    kind: "setting.save",
    schema: saveSettingInput,
    reasonOf: () => "",
    perform: async (tx, input, origin) => {
      const { name, stored, written, before, after } = await settings.change(tx, input, origin);
      await also[name]?.(tx, { after });
      await recordAct(tx, origin, {
        action: "setting.save",
        subjectKind: "setting",
        subjectId: name,
        before: { value: stored?.value ?? null, version: stored?.version ?? 0 },
        after: { value: written.value, version: written.version },
      });
      return {
        isNew: true,
        amount: null,
        takesTwo: givesAdminsMore(name, before.value, after.value),
        effects: { setting: name, value_before: shown(before.value), value_after: shown(after.value) },
        finish: async () => {
          await settings.reload();
          return { setting: after };
        },
      };
    },
  };
}

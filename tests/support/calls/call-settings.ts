import { byKeyField, callSettings } from "@sluice/contracts/key-fields";
import { type CallRow, type CallSettings, toCallSettings } from "@sluice/control-plane/gateway/keys/model.ts";

/** What calls see of a key that was created by its name alone. */
export const defaultCallSettings: CallSettings = toCallSettings(
  byKeyField(callSettings, (setting) => setting.default) as CallRow,
);

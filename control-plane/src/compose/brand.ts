import { type Brand, defaultBrandName } from "@sluice/contracts/brand";
import type { SettingValues } from "../admin/settings/registry.ts";
import type { Settings } from "../admin/settings/service.ts";

/** What the public pages show of the operator. */
export function brandOf(values: SettingValues): Brand {
  const name = values["brand.name"];
  return {
    name,
    support_address: values["brand.support_address"],
    says_powered_by: values["brand.powered_by"] && name !== defaultBrandName,
  };
}

/** The name that an admin has given the service; null if none has. */
export function ownBrandName({ values }: Settings): string | null {
  const name = values["brand.name"];
  return name === defaultBrandName ? null : name;
}

import { type Announcement, type Brand, defaultBrandName, legalPages } from "@sluice/contracts/brand";
import { minuteOf } from "../admin/settings/brand-texts.ts";
import type { SettingValues } from "../admin/settings/registry.ts";
import type { Settings } from "../admin/settings/service.ts";

/** What the public pages show of the operator. */
export function brandOf(values: SettingValues): Brand {
  const name = values["brand.name"];
  return {
    name,
    support_address: values["brand.support_address"],
    says_powered_by: values["brand.powered_by"] && name !== defaultBrandName,
    legal: legalPages.map((page) => ({ page, url: values[`brand.${page}_url`] })).filter(({ url }) => url !== ""),
  };
}

/** What the operator announces at this time; null if nothing. */
export function announcementOf(values: SettingValues, nowMs: number): Announcement | null {
  const text = values["announcement.text"];
  const from = minuteOf(values["announcement.from"]) ?? Number.NEGATIVE_INFINITY;
  const until = minuteOf(values["announcement.until"]) ?? Number.POSITIVE_INFINITY;
  return text === "" || nowMs < from || nowMs >= until ? null : { text, url: values["announcement.url"] };
}

/** The name that an admin has given the service; null if none has. */
export function ownBrandName({ values }: Settings): string | null {
  const name = values["brand.name"];
  return name === defaultBrandName ? null : name;
}

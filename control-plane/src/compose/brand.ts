import { accentColours } from "@sluice/contracts/accent-colours";
import {
  type Announcement,
  type Brand,
  defaultBrandName,
  type LegalLink,
  type LegalPage,
  legalPages,
  legalPath,
} from "@sluice/contracts/brand";
import type { SiteLegalText } from "@sluice/contracts/site-catalogue";
import { minuteOf } from "../admin/settings/brand-texts.ts";
import type { SettingValues } from "../admin/settings/registry.ts";
import type { Settings } from "../admin/settings/service.ts";
import type { BrandState, CurrentLegal, LookRules } from "../branding/model.ts";
import { renderLegal } from "../branding/render-legal.ts";
import type { Branding } from "../branding/service.ts";
import { type MailLook, plainMailLook } from "../mail/model.ts";
import type { StatusRules } from "../status/model.ts";

/** What the public pages show of the operator. */
export function brandOf(values: SettingValues, { files, texts, legal }: BrandState): Brand {
  const name = values["brand.name"];
  return {
    name,
    support_address: values["brand.support_address"],
    says_powered_by: values["brand.powered_by"] && name !== defaultBrandName,
    ...files,
    texts,
    legal: legalPages.flatMap((page) => legalLink(page, values[`brand.${page}_url`], legal)),
  };
}

/** The operator's link, or the page that the operator has written here. */
function legalLink(page: LegalPage, url: string, written: BrandState["legal"]): LegalLink[] {
  if (url !== "") {
    return [{ page, url, is_translated: false }];
  }
  return written.some((text) => text.page === page) ? [{ page, url: legalPath(page), is_translated: true }] : [];
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

/** The name that mails come from, if an admin has set one; else that of the service, if an admin has. */
export function mailSenderName(settings: Settings): string | null {
  const name = settings.values["brand.mail_sender"];
  return name === "" ? ownBrandName(settings) : name;
}

/** How mails look. Their programs show one theme, the light one. */
export function mailLookOf({ values }: Settings, branding: Branding, origin: string): MailLook {
  const accent = values["brand.accent"];
  const logo = branding.mailLogo();
  return {
    accent: accent === "" ? plainMailLook.accent : accentColours(accent, "light").ink,
    logo: logo === null ? null : { ...logo, url: `${origin}${logo.url}` },
  };
}

/** What the settings say of the look. */
export function lookRules(values: SettingValues): LookRules {
  return { accent: values["brand.accent"], isLogoAlone: values["brand.logo_alone"] };
}

/** A legal page as the site shows it. */
export function siteLegalText({ page, locale, markdown, version, effectiveOn }: CurrentLegal): SiteLegalText {
  return { page, locale, html: renderLegal(markdown), version, effective_on: effectiveOn };
}

/** What the status page shows. */
export function statusRules(values: SettingValues): StatusRules {
  return {
    isShown: values["status.page"],
    showsSuccess: values["status.success"],
    showsLatency: values["status.latency"],
    showsIncidents: values["status.incidents"],
  };
}

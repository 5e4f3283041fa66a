import { defaultBrandName } from "@sluice/contracts/brand";
import { linkText } from "@sluice/contracts/shown-texts";
import {
  accentText,
  announcementText,
  brandNameText,
  minuteText,
  senderNameText,
  supportAddressText,
} from "./brand-texts.ts";
import { flag, type SettingDefinition, text } from "./definition.ts";

const legalLink = (page: string) => ({
  ...text(linkText, ""),
  description: `Your ${page}, linked at the end of every public page and below the registration form: a URL that begins with https://, or a path of this site. Leave it empty for the page that you write under Branding, or no link if there is none.`,
  unit: null,
  variable: null,
});

/** The settings of what the service is called, looks like and announces. */
export const brandSettings = {
  "brand.name": {
    ...text(brandNameText, defaultBrandName),
    description:
      "The name of your service, on every page, in e-mails, in authenticators and in the API description. It may have up to 40 characters.",
    unit: null,
    variable: null,
  },
  "brand.support_address": {
    ...text(supportAddressText, ""),
    description: "The e-mail address for support, linked at the end of every public page. Leave it empty for no link.",
    unit: null,
    variable: null,
  },
  "brand.powered_by": {
    ...flag(true),
    description: `Say "Powered by ${defaultBrandName}" at the end of every public page if your service has another name.`,
    unit: null,
    variable: null,
  },
  "brand.accent": {
    ...text(accentText, ""),
    description:
      "The colour of buttons and links on every page and in e-mails, such as #0b6b5f. Each theme uses the nearest colour in which text is readable. Leave it empty for the default.",
    unit: null,
    variable: null,
  },
  "brand.logo_alone": {
    ...flag(false),
    description: "Show your logo without the name beside it, because it contains the name.",
    unit: null,
    variable: null,
  },
  "brand.mail_sender": {
    ...text(senderNameText, ""),
    description: "The name that e-mails come from. Leave it empty for the name of your service.",
    unit: null,
    variable: null,
  },
  "brand.terms_url": legalLink("terms of service"),
  "brand.privacy_url": legalLink("privacy policy"),
  "brand.imprint_url": legalLink("legal notice"),
  "announcement.text": {
    ...text(announcementText, ""),
    description:
      "A line at the top of every public page, the login pages and the console, such as a planned maintenance. It may have up to 200 characters. Leave it empty for no announcement.",
    unit: null,
    variable: null,
  },
  "announcement.url": {
    ...text(linkText, ""),
    description: "Where the announcement leads: a URL that begins with https://, or a path of this site.",
    unit: null,
    variable: null,
  },
  "announcement.from": {
    ...text(minuteText, ""),
    description: "When the announcement begins, in UTC, such as 2030-12-24 18:00. Leave it empty to begin immediately.",
    unit: null,
    variable: null,
  },
  "announcement.until": {
    ...text(minuteText, ""),
    description:
      "When the announcement ends, in UTC, such as 2030-12-24 20:00. Leave it empty to show it until you remove its text.",
    unit: null,
    variable: null,
  },
} as const satisfies Record<`${string}.${string}`, SettingDefinition>;

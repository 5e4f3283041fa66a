import type { Locale } from "@sluice/contracts/locales";
import { apiTexts } from "./api/messages/messages.ts";
import { changelogTexts } from "./changelog/messages/messages.ts";
import { errorPageTexts } from "./errors/messages/messages.ts";
import { guideTexts } from "./guides/messages/messages.ts";
import type { DocTexts } from "./messages/en.ts";

/** What a page of the docs is called, and what it is for. */
export type DocName = (texts: DocTexts, locale: Locale) => { readonly title: string; readonly description: string };

export type DocPath = keyof typeof docNames;

/** The pages of the docs in reading order. */
export const docNames = {
  "/docs/quickstart/": (texts) => texts.quickstart,
  "/docs/clients/": (texts) => texts.clients,
  "/docs/agents/": (texts) => texts.agents,
  "/docs/guides/": (_, locale) => guideTexts[locale].guides,
  "/docs/api/": (_, locale) => apiTexts[locale],
  "/docs/errors/": (_, locale) => errorPageTexts[locale],
  "/docs/limits/": (_, locale) => guideTexts[locale].limits,
  "/docs/billing/": (texts) => texts.billing,
  "/docs/automation/": (texts) => texts.automation,
  "/docs/troubleshooting/": (_, locale) => guideTexts[locale].troubleshooting,
  "/docs/changelog/": (_, locale) => changelogTexts[locale],
} as const satisfies Readonly<Record<`/docs/${string}/`, DocName>>;

/** The same as a list. */
export const docList = Object.entries(docNames) as readonly (readonly [path: DocPath, name: DocName])[];

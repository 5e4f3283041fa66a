import type { DocTexts } from "./messages/en.ts";

/** The pages of the docs in reading order. */
export const docList: readonly { readonly path: string; readonly title: (texts: DocTexts) => string }[] = [
  { path: "/docs/quickstart/", title: (texts) => texts.quickstart.title },
  { path: "/docs/clients/", title: (texts) => texts.clients.title },
  { path: "/docs/agents/", title: (texts) => texts.agents.title },
  { path: "/docs/billing/", title: (texts) => texts.billing.title },
  { path: "/docs/automation/", title: (texts) => texts.automation.title },
];

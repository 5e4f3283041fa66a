import type { Component } from "solid-js";
import type { Area } from "./locales.ts";
import { accountArea } from "./pages/account/messages/messages.ts";
import { billingArea } from "./pages/billing/messages/messages.ts";
import { consentArea } from "./pages/consent/messages/messages.ts";
import { figuresArea } from "./pages/figures/messages/messages.ts";
import { homeArea } from "./pages/home/messages/messages.ts";
import { keysArea } from "./pages/keys/messages/messages.ts";
import { organisationArea } from "./pages/organisation/messages/messages.ts";
import { playgroundArea } from "./pages/playground/messages/messages.ts";
import { tokensArea } from "./pages/tokens/messages/messages.ts";
import { upstreamsArea } from "./pages/upstreams/messages/messages.ts";
import { usageArea } from "./pages/usage/messages/messages.ts";
import { webhooksArea } from "./pages/webhooks/messages/messages.ts";

/** By the folder of the page that has the texts. */
const areas = {
  account: accountArea,
  billing: billingArea,
  consent: consentArea,
  figures: figuresArea,
  home: homeArea,
  keys: keysArea,
  organisation: organisationArea,
  playground: playgroundArea,
  tokens: tokensArea,
  upstreams: upstreamsArea,
  usage: usageArea,
  webhooks: webhooksArea,
} satisfies Readonly<Record<string, Area<unknown>>>;

export type TextArea = keyof typeof areas;

type PageFile = { readonly Page: Component };

const files = import.meta.glob<PageFile>("./pages/*/page.tsx");

/** Loads a page together with its texts. */
export async function loadPage(page: string, texts: readonly TextArea[]): Promise<PageFile> {
  // The build refuses routes whose page does not exist.
  const load = files[`./pages/${page}/page.tsx`] as () => Promise<PageFile>;
  const [file] = await Promise.all([load(), ...texts.map((area) => areas[area].load())]);
  return file;
}

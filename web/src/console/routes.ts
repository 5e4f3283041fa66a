import type { Locale } from "@sluice/contracts/locales";
import type { Component } from "solid-js";
import type { AppRoute } from "../shell/app-routes.ts";
import type { Area } from "./locales.ts";
import { pageNames } from "./page-names.ts";
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

type PageFile = { readonly Page: Component };

/** Loads a page together with its texts. */
function page(load: () => Promise<PageFile>, ...areas: readonly Area<unknown>[]): () => Promise<PageFile> {
  return async () => {
    const [file] = await Promise.all([load(), ...areas.map((each) => each.load())]);
    return file;
  };
}

/**
 * Every page of the console, in the order of the sidebar. A page is a folder below `pages` with a `page.tsx` that exports
 * `Page`; one without `nav` is reached by links only.
 */
export const consoleRoutes: readonly AppRoute<Locale>[] = [
  {
    path: "/",
    nav: { label: (locale) => pageNames.home[locale], icon: "home", key: "h" },
    load: page(() => import("./pages/home/page.tsx"), homeArea),
  },
  {
    path: "/keys/",
    nav: { label: (locale) => pageNames.keys[locale], icon: "key", key: "k" },
    load: page(() => import("./pages/keys/page.tsx"), keysArea),
  },
  {
    path: "/usage/",
    nav: { label: (locale) => pageNames.usage[locale], icon: "chart", key: "u" },
    load: page(() => import("./pages/usage/page.tsx"), usageArea),
  },
  {
    path: "/billing/",
    nav: { label: (locale) => pageNames.billing[locale], icon: "card", key: "b" },
    load: page(() => import("./pages/billing/page.tsx"), billingArea),
  },
  {
    path: "/playground/",
    nav: { label: (locale) => pageNames.playground[locale], icon: "chat", key: "y" },
    load: page(() => import("./pages/playground/page.tsx"), playgroundArea),
  },
  {
    path: "/upstreams/",
    nav: { label: (locale) => pageNames.upstreams[locale], icon: "box", key: "p" },
    load: page(() => import("./pages/upstreams/page.tsx"), upstreamsArea),
  },
  {
    path: "/tokens/",
    nav: { label: (locale) => pageNames.tokens[locale], icon: "lock", key: "t" },
    load: page(() => import("./pages/tokens/page.tsx"), tokensArea),
  },
  {
    path: "/webhooks/",
    nav: { label: (locale) => pageNames.webhooks[locale], icon: "globe" },
    load: page(() => import("./pages/webhooks/page.tsx"), webhooksArea),
  },
  {
    path: "/organisation/",
    nav: { label: (locale) => pageNames.organisation[locale], icon: "users", key: "o" },
    load: page(() => import("./pages/organisation/page.tsx"), organisationArea),
  },
  { path: "/consent/", load: page(() => import("./pages/consent/page.tsx"), consentArea, accountArea) },
  { path: "/figures/", load: page(() => import("./pages/figures/page.tsx"), figuresArea) },
  { path: "/invitation/", load: page(() => import("./pages/invitation/page.tsx"), organisationArea) },
  {
    path: "/account/",
    nav: { label: (locale) => pageNames.account[locale], icon: "user", key: "a" },
    load: page(() => import("./pages/account/page.tsx"), accountArea),
  },
];

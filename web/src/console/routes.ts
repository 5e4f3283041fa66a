import type { Locale } from "@sluice/contracts/locales";
import type { AppRoute } from "../shell/app-routes.ts";
import type { TextArea } from "./load-page.ts";
import { pageNames } from "./page-names.ts";

type ConsoleRoute = AppRoute<Locale> & {
  /** The texts that a page needs are loaded with it. */
  readonly texts: readonly TextArea[];
  /** The area whose `title` and `text` are the head of the page, which its document then has; see `ConsoleHead`. */
  readonly head?: TextArea;
};

/**
 * Every page of the console, in the order of the sidebar. A page is a folder below `pages` with a `page.tsx` that exports
 * `Page`; one without `nav` is reached by links only. The build reads this, too: the document of a page names what it loads.
 */
export const consoleRoutes: readonly ConsoleRoute[] = [
  {
    path: "/",
    nav: { label: (locale) => pageNames.home[locale], icon: "home", key: "h" },
    page: "home",
    texts: ["home"],
    head: "home",
  },
  {
    path: "/keys/",
    nav: { label: (locale) => pageNames.keys[locale], icon: "key", key: "k" },
    page: "keys",
    texts: ["keys"],
    head: "keys",
  },
  {
    path: "/usage/",
    nav: { label: (locale) => pageNames.usage[locale], icon: "chart", key: "u" },
    page: "usage",
    texts: ["usage"],
    head: "usage",
  },
  {
    path: "/billing/",
    nav: { label: (locale) => pageNames.billing[locale], icon: "card", key: "b" },
    page: "billing",
    texts: ["billing"],
    head: "billing",
  },
  {
    path: "/playground/",
    nav: { label: (locale) => pageNames.playground[locale], icon: "chat", key: "y" },
    page: "playground",
    texts: ["playground"],
    head: "playground",
  },
  {
    path: "/upstreams/",
    nav: { label: (locale) => pageNames.upstreams[locale], icon: "box", key: "p" },
    page: "upstreams",
    texts: ["upstreams"],
    head: "upstreams",
  },
  {
    path: "/tokens/",
    nav: { label: (locale) => pageNames.tokens[locale], icon: "lock", key: "t" },
    page: "tokens",
    texts: ["tokens"],
    head: "tokens",
  },
  {
    path: "/webhooks/",
    nav: { label: (locale) => pageNames.webhooks[locale], icon: "globe" },
    page: "webhooks",
    texts: ["webhooks"],
    head: "webhooks",
  },
  {
    path: "/organisation/",
    nav: { label: (locale) => pageNames.organisation[locale], icon: "users", key: "o" },
    page: "organisation",
    texts: ["organisation"],
    head: "organisation",
  },
  { path: "/consent/", page: "consent", texts: ["consent", "account"] },
  { path: "/figures/", page: "figures", texts: ["figures"], head: "figures" },
  { path: "/invitation/", page: "invitation", texts: ["organisation"] },
  {
    path: "/account/",
    nav: { label: (locale) => pageNames.account[locale], icon: "user", key: "a" },
    page: "account",
    texts: ["account"],
    head: "account",
  },
];

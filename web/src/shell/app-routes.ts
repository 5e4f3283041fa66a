import type { Component } from "solid-js";
import type { IconName } from "../kit/icon.tsx";
import { type Gate, loadedPage } from "./loaded-page.tsx";
import type { NavEntry } from "./nav-entry.ts";

/** A page of the console or the admin area, parametrised by the texts of its sidebar labels. */
export type AppRoute<Texts> = {
  /** The path below the base of the entry, with both slashes; `:name` is a parameter. */
  readonly path: string;
  readonly nav?: {
    readonly label: (texts: Texts) => string;
    readonly icon: IconName;
    readonly key?: string;
    readonly group?: (texts: Texts) => string;
  };
  /** Its folder below `pages`. */
  readonly page: string;
};

export function toNavEntries<Texts>(routes: readonly AppRoute<Texts>[], texts: Texts): NavEntry[] {
  return routes.flatMap(({ path, nav }) =>
    nav === undefined
      ? []
      : [
          {
            path,
            label: nav.label(texts),
            icon: nav.icon,
            ...(nav.key === undefined ? {} : { key: nav.key }),
            ...(nav.group === undefined ? {} : { group: nav.group(texts) }),
          },
        ],
  );
}

/**
 * The routes in the router's format; each page is a separate chunk.
 * @param gate decides whether a page is drawn
 */
export function toRouterRoutes<Route extends AppRoute<never>>(
  routes: readonly Route[],
  load: (route: Route) => Promise<{ readonly Page: Component }>,
  gate?: Gate,
): { path: string; component: Component }[] {
  return routes.map((route) => ({ path: route.path, component: loadedPage(() => load(route), gate) }));
}

import type { AppPage } from "@sluice/contracts/app-page";
import { adminRoutes } from "../src/admin/routes.ts";
import { consoleFirstRequests } from "../src/console/first-requests.ts";
import { consoleRoutes } from "../src/console/routes.ts";
import type { HeadTexts } from "../src/shell/head-texts.ts";
import { firstHead } from "./app-document.ts";
import { type AppManifest, chunkOf, chunksFor, entryOf } from "./app-manifest.ts";

type Area = "console" | "admin";

/** The head of pages whose texts are in an area, in a language. */
export type ConsoleHeadTexts = HeadTexts & { readonly area: string; readonly locale: string };

/** The pages of the console and of the admin area, with what each of them loads besides the frame. */
export function appPages(
  manifest: AppManifest,
  heads: readonly ConsoleHeadTexts[],
): Readonly<Record<Area, readonly AppPage[]>> {
  return {
    console: consoleRoutes.map(({ path, page, texts, head }) => ({
      path: `/console${path}`,
      ...filesOf(manifest, "console", page),
      texts: textsOf(manifest, ["src/console/messages", ...texts.map((area) => `src/console/pages/${area}/messages`)]),
      heads: Object.fromEntries(
        heads.filter(({ area }) => area === head).map((each) => [each.locale, firstHead(each)]),
      ),
      ...consoleFirstRequests(page),
    })),
    admin: adminRoutes.map(({ path, page }) => ({
      path: `/admin${path}`,
      ...filesOf(manifest, "admin", page),
      // English is in the modules.
      texts: { zh: [`/${chunkOf(manifest, "src/admin/zh/zh.ts").file}`] },
      heads: {},
      // The role decides what else may be asked.
      requests: [],
      frameRequests: ["/backend/auth/admin/me/"],
    })),
  };
}

/** What a page loads that the document of its area does not name yet. */
function filesOf(manifest: AppManifest, area: Area, page: string): Pick<AppPage, "modules" | "styles"> {
  const known = chunksFor(manifest, entryOf(manifest, area));
  const knownStyles = new Set(known.flatMap(({ css = [] }) => css));
  const key = `src/${area}/pages/${page}/page.tsx`;
  chunkOf(manifest, key);
  const own = chunksFor(manifest, key).filter((chunk) => !known.includes(chunk));
  const styles = new Set(own.flatMap(({ css = [] }) => css));
  return {
    modules: own.map(({ file }) => `/${file}`),
    styles: [...styles].filter((file) => !knownStyles.has(file)).map((file) => `/${file}`),
  };
}

/** The files of some folders of texts, by language. */
function textsOf(manifest: AppManifest, folders: readonly string[]): AppPage["texts"] {
  const texts: Record<string, string[]> = {};
  for (const [key, { file }] of Object.entries(manifest)) {
    const [, folder = "", locale = ""] = /^(.+)\/(\w\w)\.ts$/.exec(key) ?? [];
    if (folders.includes(folder)) {
      texts[locale] = [...(texts[locale] ?? []), `/${file}`];
    }
  }
  return texts;
}

/**
 * Renders every public page in every language: `prerender.js` of a build, with a `PrerenderOrder` as JSON on its
 * standard input. It is a separate program, so that the service neither contains the renderer nor waits for it.
 */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { allLocales, type Locale } from "@sluice/contracts/locales";
import type { PrerenderOrder } from "@sluice/contracts/site-catalogue";
import { changesFeedPath } from "../src/site/docs/changelog/changes.ts";
import { changesFeed } from "../src/site/docs/changelog/changes-feed.ts";
import { searchIndexPath } from "../src/site/docs/doc-link.ts";
import { markdownPath } from "../src/site/docs/markdown.ts";
import { localizedPath } from "../src/site/locales.ts";
import type { SitePage } from "../src/site/model.ts";
import { legalTextPages } from "../src/site/pages/legal/page.tsx";
import { modelPages } from "../src/site/pages/model/page.tsx";
import { statusPages } from "../src/site/pages/status/page.tsx";
import { sitePages } from "../src/site/routes.ts";
import { brandPlace, withBrandInMarkdown } from "./brand-place.ts";
import { drawDocument, pageContext } from "./document.tsx";
import { readPageAssets } from "./page-assets.ts";
import { escapeXml, llmsText, robotsText, searchIndexJson, sitemapXml } from "./site-files.ts";

type Compression = { readonly brotli: number; readonly gzip: number };

const usualCompression: Compression = { brotli: 8, gzip: 9 };
const quickCompression: Compression = { brotli: 1, gzip: 1 };
const bytesWorthCompressing = 600;

async function writePages({ catalogue, directory, isQuick }: PrerenderOrder): Promise<number> {
  const [manifest = "", images = ""] = await Promise.all(
    ["manifest-site.json", "manifest-social.json"].map((name) =>
      readFile(join(import.meta.dirname, "../client", name), "utf8"),
    ),
  );
  const assets = readPageAssets(manifest, images);
  const files = new Map<string, string>();
  const pages = [...sitePages, ...modelPages(catalogue), ...legalTextPages(catalogue), ...statusPages(catalogue)];
  for (const page of pages) {
    for (const locale of localesOf(page)) {
      const prefix = locale === "en" ? "" : `/${locale}`;
      const path = page.path.endsWith("/") ? `${page.path}index.html` : page.path;
      files.set(prefix + path, drawDocument({ page, locale, catalogue, assets }));
      if (page.markdown !== undefined) {
        files.set(
          prefix + markdownPath(page.path),
          withBrandInMarkdown(page.markdown(pageContext(locale, catalogue)), catalogue.brand.name),
        );
      }
    }
  }
  for (const locale of allLocales) {
    const context = pageContext(locale, catalogue);
    files.set(localizedPath(searchIndexPath, locale), searchIndexJson(sitePages, context));
    files.set(
      localizedPath(changesFeedPath, locale),
      changesFeed(context, escapeXml).replaceAll(brandPlace, () => escapeXml(catalogue.brand.name)),
    );
  }
  files.set("/sitemap.xml", sitemapXml(pages, catalogue.origin));
  files.set("/robots.txt", robotsText(catalogue.origin));
  files.set("/llms.txt", withBrandInMarkdown(llmsText(sitePages, catalogue), catalogue.brand.name));
  const compression = isQuick === true ? quickCompression : usualCompression;
  for (const [path, text] of files) {
    await writeCompressed(join(directory, path), Buffer.from(text), compression);
  }
  return files.size;
}

/** The languages that a page exists in. */
function localesOf({ translationsAt }: SitePage): readonly Locale[] {
  return translationsAt === undefined ? allLocales : ["en"];
}

async function writeCompressed(file: string, bytes: Buffer, { brotli, gzip }: Compression): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, bytes);
  if (bytes.length >= bytesWorthCompressing) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: brotli };
    await writeFile(`${file}.br`, brotliCompressSync(bytes, { params }));
    await writeFile(`${file}.gz`, gzipSync(bytes, { level: gzip }));
  }
}

const count = await writePages((await Bun.stdin.json()) as PrerenderOrder);
process.stdout.write(`${JSON.stringify({ files: count })}\n`);

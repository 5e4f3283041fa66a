/**
 * `bun run shots`: photographs of every page in `pages.ts`, on a desktop and a phone, in light and dark, and in Arabic, as
 * PNG files in `.data/shots`. Words on the command line choose pages by their names.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type PageOptions, TestBrowser } from "../support/browser.ts";
import { startTestCluster } from "../support/test-cluster.ts";
import { inArabic, pageOptions, startWebRig, type WebRig } from "../support/web-rig.ts";
import { type ShownPage, shownPages } from "./pages.ts";

type Variant = { readonly name: string; readonly options: Partial<PageOptions>; readonly isArabic?: boolean };

const variants: readonly Variant[] = [
  { name: "desktop", options: { width: 1280, height: 800 } },
  { name: "phone", options: { width: 390, height: 800 } },
  { name: "dark", options: { width: 1280, height: 800, isDark: true } },
  { name: "dark-phone", options: { width: 390, height: 800, isDark: true } },
  { name: "arabic", options: { width: 1280, height: 800 }, isArabic: true },
  { name: "arabic-phone", options: { width: 390, height: 800 }, isArabic: true },
];

const folder = join(import.meta.dir, "../../.data/shots");

async function photograph(browser: TestBrowser, web: WebRig, shown: ShownPage, variant: Variant): Promise<string[]> {
  const { path, locale } = variant.isArabic === true ? inArabic(shown) : { path: shown.path };
  const options = { ...pageOptions(web, shown), ...variant.options, ...(locale === undefined ? {} : { locale }) };
  const watched = await browser.open(options);
  try {
    await watched.page.goto(path);
    await watched.page.waitForSelector(shown.ready);
    await watched.page.screenshot({ path: join(folder, `${shown.name}-${variant.name}.png`), fullPage: true });
    return [...watched.faults];
  } finally {
    await watched.close();
  }
}

async function main(words: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const cluster = process.env["TEST_POSTGRES_URL"] === undefined ? await startTestCluster() : null;
  if (cluster !== null) {
    process.env["TEST_POSTGRES_URL"] = cluster.url;
  }
  const web = await startWebRig();
  const browser = await TestBrowser.launch();
  try {
    const chosen = shownPages.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
    for (const shown of chosen) {
      for (const variant of variants.filter(({ isArabic }) => isArabic !== true || shown.arabic !== "none")) {
        const faults = await photograph(browser, web, shown, variant);
        process.stdout.write(`${shown.name} ${variant.name}${faults.length === 0 ? "" : `: ${faults.join("; ")}`}\n`);
      }
    }
    process.stdout.write(`in ${folder}\n`);
  } finally {
    await browser.close();
    await web.close();
    await cluster?.destroy();
  }
}

await main(process.argv.slice(2));

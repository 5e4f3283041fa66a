/**
 * `bun run shots`: photographs of every page in `pages.ts` and `dialogs.ts`, on a desktop and a phone, in light and dark, and in Arabic,
 * as PNG files in `.data/shots`. Words on the command line choose pages by their names. The account and the house are
 * full; with `--first-use` they are empty, and the names of the files begin with `first-`. `--phone`, `--dark` and the
 * like restrict the run to that look. With `--in=de,ja` pages that have languages are photographed in these instead,
 * and those that are wider than the narrowest screen are reported.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { startTestCluster } from "../support/postgres/test-cluster.ts";
import { type PageOptions, TestBrowser } from "../support/web/browser.ts";
import { hiddenColumns } from "../support/web/hidden-columns.ts";
import { inLanguage, isShownIn, pageOptions, shownEmail, startWebRig, type WebRig } from "../support/web/web-rig.ts";
import { shownDialogs } from "./dialogs.ts";
import { fillHouse } from "./full-house.ts";
import { fullPages } from "./full-pages.ts";
import { namesIn } from "./names-in.ts";
import { type ShownPage, shownPages } from "./pages.ts";

type Variant = { readonly name: string; readonly options: Partial<PageOptions>; readonly locale?: string };

const variants: readonly Variant[] = [
  { name: "desktop", options: { width: 1280, height: 800 } },
  { name: "phone", options: { width: 390, height: 800 } },
  { name: "dark", options: { width: 1280, height: 800, isDark: true } },
  { name: "dark-phone", options: { width: 390, height: 800, isDark: true } },
  { name: "arabic", options: { width: 1280, height: 800 }, locale: "ar" },
  { name: "arabic-phone", options: { width: 390, height: 800 }, locale: "ar" },
];

/** In every requested language. */
const variantsIn = (locales: readonly string[]): readonly Variant[] =>
  locales.flatMap((locale) => [
    { name: locale, options: { width: 1280, height: 800 }, locale },
    { name: `${locale}-phone`, options: { width: 390, height: 800 }, locale },
    { name: `${locale}-narrow`, options: { width: 320, height: 800 }, locale },
  ]);

const folder = join(import.meta.dir, "../../.data/shots");

type Studio = { readonly browser: TestBrowser; readonly web: WebRig; readonly isFirstUse: boolean };

async function photograph(studio: Studio, page: ShownPage, variant: Variant): Promise<string[]> {
  const shown = namesIn(page, variant.locale);
  const { browser, web, isFirstUse } = studio;
  const { path, locale } = variant.locale === undefined ? { path: shown.path } : inLanguage(shown, variant.locale);
  const options = { ...pageOptions(web, shown), ...variant.options, ...(locale === undefined ? {} : { locale }) };
  await web.speak(locale ?? "en");
  const watched = await browser.open(options);
  try {
    await watched.page.goto(path);
    await watched.page.waitForSelector(shown.ready);
    // Parts of a page with requests of their own. The page of the kit always shows some.
    if (!path.startsWith("/__kit")) {
      await watched.page.waitForSelector(".skeleton", { state: "detached" });
    }
    if (shown.check !== undefined) {
      await watched.page.getByRole("checkbox", { name: shown.check }).first().check();
    }
    for (const name of shown.press ?? []) {
      const button = watched.page.getByRole("button", { name });
      await button.or(watched.page.getByRole("menuitem", { name })).first().click();
    }
    await fillIn(watched.page, shown);
    // Cards of a long list are only drawn near the screen.
    if ((await watched.page.$(".side-panel, dialog[open]")) === null) {
      const height = await watched.page.evaluate<number>("document.documentElement.scrollHeight");
      await watched.page.setViewportSize({ width: options.width ?? 1280, height });
    }
    const name = `${isFirstUse ? "first-" : ""}${shown.name}-${variant.name}.png`;
    await watched.page.screenshot({ path: join(folder, name), fullPage: true });
    const isTooWide = await watched.page.evaluate<boolean>(
      "document.documentElement.scrollWidth > document.documentElement.clientWidth",
    );
    const hidden = (options.width ?? 0) < 1280 ? [] : await watched.page.evaluate<string[]>(hiddenColumns);
    return [...watched.faults, ...(isTooWide ? ["wider than the screen"] : []), ...hidden];
  } finally {
    await watched.close();
  }
}

async function fillIn(page: Page, { fill = {}, waitFor }: ShownPage): Promise<void> {
  for (const [label, value] of Object.entries(fill)) {
    const dialog = page.locator("dialog[open]");
    const list = dialog.getByRole("combobox", { name: label, exact: true });
    await ((await list.count()) > 0
      ? list.selectOption(value)
      : dialog.getByLabel(label, { exact: true }).first().fill(value));
  }
  if (waitFor !== undefined) {
    const found = page.locator(waitFor).first();
    await found.waitFor();
    await found.scrollIntoViewIfNeeded();
  }
}

async function main(words: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const cluster = process.env["TEST_POSTGRES_URL"] === undefined ? await startTestCluster() : null;
  if (cluster !== null) {
    process.env["TEST_POSTGRES_URL"] = cluster.url;
  }
  const isFirstUse = words.includes("--first-use");
  const languages = words.find((word) => word.startsWith("--in="))?.slice("--in=".length);
  const all = languages === undefined ? variants : variantsIn(languages.split(","));
  const looks = all.filter(({ name }) => words.includes(`--${name}`));
  const asked = looks.length === 0 ? all : looks;
  const named = words.filter((word) => !word.startsWith("--"));
  // Passkeys are shown for a domain name alone.
  const web = await startWebRig(undefined, { PUBLIC_BASE_URL: "http://localhost" });
  const browser = await TestBrowser.launch();
  try {
    if (!isFirstUse) {
      await fillHouse(web.rig, shownEmail);
    }
    const pages = isFirstUse ? shownPages : [...fullPages, ...shownDialogs];
    const chosen = pages.filter(({ name }) => named.length === 0 || named.some((word) => name.includes(word)));
    for (const shown of chosen) {
      for (const variant of asked.filter(({ locale }) => locale === undefined || isShownIn(shown, locale))) {
        const faults = await photograph({ browser, web, isFirstUse }, shown, variant).catch((error: unknown) => {
          process.exitCode = 1;
          return [`no picture: ${error}`];
        });
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

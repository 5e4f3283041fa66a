import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { type ShownPage, shownPages } from "../../shots/pages.ts";
import { TestBrowser, type WatchedPage } from "./browser.ts";
import { goWithin } from "./go-within.ts";
import { hiddenColumns } from "./hidden-columns.ts";
import { findJumps } from "./layout-shift.ts";
import { PageTabs } from "./page-tabs.ts";
import { inLanguage, pageOptions, startWebRig, type WebRig } from "./web-rig.ts";

const { TEST_FULL } = process.env;
const wide = { width: 1280, height: 800 };
const narrow = { width: 390, height: 800 };
const narrowest = { width: 320, height: 640 };

let web: WebRig;
let browser: TestBrowser;
let tabs: PageTabs;

type Look = readonly [size: { readonly width: number; readonly height: number }, scheme: "light" | "dark"];

const first: Look = [wide, "light"];
const second: Look = [narrow, "dark"];
const allLooks: readonly Look[] = [first, second, [wide, "dark"], [narrow, "light"]];

/**
 * A page of each template and every part of the kit: in an ordinary run axe compares the colours of these, in both themes, and
 * looks at the links of their sidebars. The others have the same ones, and are compared with TEST_FULL=1.
 */
const colorPages = [
  ...["site-home", "site-pricing", "site-docs-quickstart", "site-model", "site-status", "login", "kit", "kit-error"],
  ...["console-home", "console-keys", "console-account", "console-playground", "admin-dashboard", "admin-plans-open"],
  ...["admin-users", "admin-settings", "admin-upstreams", "admin-mail-template"],
];

/** What axe finds in a theme and a width, and columns that are cut; an open page does not have to be loaded again for another one. */
async function look({ page, axe }: WatchedPage, [size, colorScheme]: Look, withColors: boolean): Promise<string[]> {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme });
  const hidden = size.width < wide.width ? [] : await page.evaluate<string[]>(hiddenColumns);
  return [...hidden, ...(await axe({ withColors }))].map((line) => `${size.width} ${colorScheme}: ${line}`);
}

/** What the looks find at a page that is shown, and whether it fits the narrowest phone. */
async function lookAll(watched: WatchedPage, looks: readonly Look[], withColors: boolean): Promise<string[]> {
  const found: string[] = [];
  for (const each of looks) {
    found.push(...(await look(watched, each, withColors)));
  }
  const { page } = watched;
  await page.setViewportSize(narrowest);
  // A chart takes its new width in a separate frame.
  await page.waitForFunction("document.documentElement.scrollWidth <= document.documentElement.clientWidth");
  return found;
}

/** What an ordinary run finds at a page of the admin area that another test shows: the widths and themes take turns. */
export async function lookInTurn(watched: WatchedPage, index: number): Promise<string[]> {
  return await lookAll(watched, [index % 2 === 0 ? first : second], false);
}

/** An expression for a page: removes these elements, and says how many they were. */
const removal = (selector: string): string => `(() => {
  const elements = document.querySelectorAll(${JSON.stringify(selector)});
  elements.forEach((element) => element.remove());
  return elements.length;
})()`;

/**
 * The pages that a run tests here, each address once: what is pressed on a page is for its photograph. In an ordinary run
 * `web-languages` shows each page of the admin area and looks at it, so that only those are left whose colours are compared.
 */
function testedPages(pages: readonly ShownPage[]): ShownPage[] {
  const addresses = new Set<string>();
  return pages.filter(({ name, as, path }) => {
    const isFirst = !addresses.has(`${as} ${path}`);
    addresses.add(`${as} ${path}`);
    return isFirst && (TEST_FULL === "1" || as !== "admin" || colorPages.includes(name));
  });
}

/**
 * Whether an ordinary run goes to the page within a document that has shown others: to load an app takes half the processor
 * time of such a test. Each path of the console is loaded here once, pages of the admin area in `web-languages`.
 */
function isWalkedTo({ name, path, as, expectedStatuses }: ShownPage): boolean {
  if (TEST_FULL === "1" || expectedStatuses !== undefined) {
    return false;
  }
  const isOfPath = (other: ShownPage): boolean => other.as === as && pathOf(other) === pathOf({ path });
  return as === "admin" || (path.startsWith("/console/") && shownPages.find(isOfPath)?.name !== name);
}

/**
 * Whether the page has to be shown as on a first visit, with nothing stored and nothing cached: in an ordinary run a page of
 * each template. A load from the cache takes two thirds of the time, and its tab does not have to be emptied.
 */
const isFirstVisit = ({ name }: ShownPage): boolean => TEST_FULL === "1" || colorPages.includes(name);

const pathOf = ({ path }: Pick<ShownPage, "path">): string | undefined => path.split("?")[0];

type Direction = "english" | "arabic";

/**
 * What is checked: with TEST_FULL=1 every theme in every width and direction, otherwise one combination per page in turn, and
 * both themes where colours are compared.
 */
function looksAt(shown: ShownPage, index: number): readonly (readonly [Direction, readonly Look[]])[] {
  const isArabic = shown.arabic !== "none";
  if (TEST_FULL === "1") {
    return isArabic
      ? [
          ["english", allLooks],
          ["arabic", allLooks],
        ]
      : [["english", allLooks]];
  }
  const direction = isArabic ? "arabic" : "english";
  if (colorPages.includes(shown.name)) {
    return [[direction, [first, second]]];
  }
  return [[direction, isArabic || index % 2 === 1 ? [second] : [first]]];
}

type Target = { readonly path: string; readonly ready: string };

/** @returns what moved meanwhile */
async function load(page: Page, { path, ready }: Target): Promise<string[]> {
  await page.goto(path);
  await page.waitForSelector(ready);
  return await findJumps(page);
}

async function walkTo(page: Page, { path, ready }: Target): Promise<string[]> {
  await goWithin(page, path);
  await page.waitForSelector(ready);
  return [];
}

/**
 * Tests that each of these pages has no fault that axe finds, does not jump while it loads, shows every column on a screen of
 * 1280 pixels, and fits the narrowest phone. A file of tests calls it once; the browser and the service are its own.
 */
export function testPages(pages: readonly ShownPage[]): void {
  beforeAll(async () => {
    [web, browser] = await Promise.all([startWebRig(), TestBrowser.launch()]);
    tabs = new PageTabs(browser);
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await web?.close();
  });

  describe.each(testedPages(pages).map((shown, index) => [shown.name, shown, index] as const))(
    "%s",
    (_name, shown, index) => {
      test.each([...looksAt(shown, index)])("in %s has no fault that axe finds", async (direction, looks) => {
        const { path, locale } = direction === "arabic" ? inLanguage(shown, "ar") : { path: shown.path };
        await web.speak(locale ?? "en");
        const options = { ...pageOptions(web, shown), ...(locale === undefined ? {} : { locale }) };
        await (isFirstVisit(shown) && !isWalkedTo(shown) ? tabs.visit : tabs.stay)(options, async (watched) => {
          const { page } = watched;
          const found = await (isWalkedTo(shown) ? walkTo : load)(page, { path, ready: shown.ready });
          if (shown.alike !== undefined && TEST_FULL !== "1") {
            expect(await page.evaluate<number>(removal(shown.alike))).toBeGreaterThan(0);
          }
          found.push(...(await lookAll(watched, looks, colorPages.includes(shown.name))));
          expect({ found, faults: watched.faults }).toEqual({ found: [], faults: [] });
        });
      });
    },
  );
}

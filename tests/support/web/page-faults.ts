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

/** What axe finds in a theme and a width, and columns that are cut; an open page does not have to be loaded again for another one. */
async function look(
  { page, axe }: WatchedPage,
  size: { readonly width: number; readonly height: number },
  colorScheme: "light" | "dark",
): Promise<string[]> {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme });
  const hidden = size.width < wide.width ? [] : await page.evaluate<string[]>(hiddenColumns);
  return [...hidden, ...(await axe())].map((line) => `${size.width} ${colorScheme}: ${line}`);
}

type Look = readonly [size: { readonly width: number; readonly height: number }, scheme: "light" | "dark"];

const first: Look = [wide, "light"];
const second: Look = [narrow, "dark"];
const allLooks: readonly Look[] = [first, second, [wide, "dark"], [narrow, "light"]];

/** An expression for a page: removes these elements, and says how many they were. */
const removal = (selector: string): string => `(() => {
  const elements = document.querySelectorAll(${JSON.stringify(selector)});
  elements.forEach((element) => element.remove());
  return elements.length;
})()`;

/**
 * Whether an ordinary run goes to the page within a document that has shown others: to load an app takes half the processor
 * time of such a test. `web-languages` loads each page of the admin area, and each path of the console is loaded here once.
 */
function isWalkedTo({ name, path, as, expectedStatuses }: ShownPage): boolean {
  if (TEST_FULL === "1" || expectedStatuses !== undefined) {
    return false;
  }
  const isOfPath = (other: ShownPage): boolean => other.as === as && pathOf(other) === pathOf({ path });
  return as === "admin" || (path.startsWith("/console/") && shownPages.find(isOfPath)?.name !== name);
}

const pathOf = ({ path }: Pick<ShownPage, "path">): string | undefined => path.split("?")[0];

type Direction = "english" | "arabic";

/**
 * What is checked: with TEST_FULL=1 every theme in every width and direction, otherwise one combination per page in
 * turn, as a browser takes more than a second for each.
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
  if (!isArabic) {
    return [["english", index % 2 === 0 ? [first] : [second]]];
  }
  return [["arabic", [second]]];
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

  describe.each(pages.map((shown, index) => [shown.name, shown, index] as const))("%s", (_name, shown, index) => {
    test.each([...looksAt(shown, index)])("in %s has no fault that axe finds", async (direction, looks) => {
      const { path, locale } = direction === "arabic" ? inLanguage(shown, "ar") : { path: shown.path };
      await web.speak(locale ?? "en");
      const options = { ...pageOptions(web, shown), ...(locale === undefined ? {} : { locale }) };
      await (isWalkedTo(shown) ? tabs.stay : tabs.visit)(options, async (watched) => {
        const { page } = watched;
        const found = await (isWalkedTo(shown) ? walkTo : load)(page, { path, ready: shown.ready });
        if (shown.alike !== undefined && TEST_FULL !== "1") {
          expect(await page.evaluate<number>(removal(shown.alike))).toBeGreaterThan(0);
        }
        for (const [size, scheme] of looks) {
          found.push(...(await look(watched, size, scheme)));
        }
        await page.setViewportSize(narrowest);
        // A chart takes its new width in a separate frame.
        await page.waitForFunction("document.documentElement.scrollWidth <= document.documentElement.clientWidth");
        expect({ found, faults: watched.faults }).toEqual({ found: [], faults: [] });
      });
    });
  });
}

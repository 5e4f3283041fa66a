import { afterAll, beforeAll, expect, test } from "bun:test";
import { zh } from "@sluice/web/src/admin/zh/zh.ts";
import { type ShownPage, shownPages } from "../shots/pages.ts";
import { consoleClient } from "../support/accounts/console-client.ts";
import { TestBrowser, type WatchedPage } from "../support/web/browser.ts";
import { goWithin } from "../support/web/go-within.ts";
import { findJumps } from "../support/web/layout-shift.ts";
import { lookInTurn } from "../support/web/page-faults.ts";
import { pageOptions, startWebRig, type WebRig } from "../support/web/web-rig.ts";

const { TEST_FULL } = process.env;
const testMsMax = 300_000;

let web: WebRig;
let browser: TestBrowser;

beforeAll(async () => {
  [web, browser] = await Promise.all([startWebRig(), TestBrowser.launch()]);
});

afterAll(async () => {
  await browser?.close();
  await web?.close();
});

/** The pages with charts, which format numbers in the browser's language. */
const pages = shownPages.filter(({ path }) =>
  ["/console/", "/console/usage/", "/admin/", "/admin/reports/"].some((each) => path.split("?")[0] === each),
);

test("plans are called in the language of the reader on the site, in the console and where they are bought", async () => {
  const { page, faults, close } = await browser.open({ url: web.sluice.url, cookie: web.cookies.user ?? "" });
  await web.speak("de");
  await page.goto("/de/pricing/");
  await page.getByRole("heading", { name: "Aufladung 10" }).waitFor();
  await page.getByText("10 USD Guthaben ohne Ablauf.").waitFor();
  await page.goto("/console/billing/?plan=credit-10");
  await page.getByRole("dialog", { name: /Aufladung 10/ }).waitFor();
  await page.goto("/console/billing/");
  await page.getByRole("heading", { name: "Aufladung 10" }).waitFor();
  await page.getByText("Bezahlung nach Verbrauch").first().waitFor();
  // What was bought is called as where it was bought.
  const user = consoleClient(web.sluice.url, web.cookies.user ?? "");
  const { body } = await user.post("/backend/billing/order/create/", { plan_code: "monthly-20" });
  const { order_no } = body["order"] as { readonly order_no: string };
  expect((await user.post("/backend/payment/mock-settle/", { order_no })).status).toBe(200);
  await page.reload();
  const months = page.getByRole("region", { name: "Monatstarif" });
  await months.getByText("Monatlich 20", { exact: true }).waitFor();
  await page.goto("/console/billing/?tab=orders");
  await page.getByRole("cell", { name: "Monatlich 20", exact: true }).waitFor();
  await web.speak("en");
  expect(faults).toEqual([]);
  await close();
});

test("there are pages with charts", () => {
  expect(pages.length).toBeGreaterThanOrEqual(4);
});

/** Each path once; with TEST_FULL=1 with other data and charts, too. */
const isOfRun = ({ path }: ShownPage): boolean => TEST_FULL === "1" || !path.includes("?");

test.each(pages.filter(isOfRun).map((shown) => [shown.name, shown] as const))(
  "%s is shown to a browser whose language is not a valid tag",
  async (_name, shown) => {
    const watched = await browser.open(pageOptions(web, shown));
    try {
      await watched.page.addInitScript(() => {
        for (const [name, value] of Object.entries({ language: "en-US@posix", languages: ["en-US@posix"] })) {
          Object.defineProperty(navigator, name, { get: () => value, configurable: true });
        }
      });
      await watched.page.goto(shown.path);
      await watched.page.waitForSelector(shown.ready);
      await watched.page.waitForLoadState("networkidle");
      expect(await watched.page.locator("main [data-kind=error]").count()).toBe(0);
      expect(watched.faults).toEqual([]);
    } finally {
      await watched.close();
    }
  },
  testMsMax,
);

/** Each page of the admin once; its states show the same texts. */
const adminPaths = [
  ...new Map(
    shownPages.filter(({ as, press }) => as === "admin" && press === undefined).map((shown) => [shown.path, shown]),
  ).values(),
];
/** To load the app takes longer than all else: an ordinary run loads every third page, and goes to the others within one that has. */
const isLoaded = (index: number): boolean => TEST_FULL === "1" || index % 3 === 0;
const chinese: Readonly<Record<string, string>> = zh;
/** Names of groups, channels and admins in the data of this test, and the unit, which is the same word in Chinese. */
const named: ReadonlySet<string> = new Set(["default", "first", "chat", "test", "Token"]);
const isLeft = (text: string): boolean => Object.hasOwn(chinese, text) && chinese[text] !== text && !named.has(text);

/** The visible texts and the names of controls that are English texts of the admin. */
async function englishOf({ page }: WatchedPage): Promise<string[]> {
  const texts = await page.evaluate<string[]>(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [document.title.split(" - ")[0]];
    while (walker.nextNode() !== null) {
      const { parentElement, textContent } = walker.currentNode;
      if (parentElement.closest("code, pre, bdi, script, noscript") === null) found.push(textContent.trim());
    }
    for (const each of document.querySelectorAll("[aria-label], [title], [placeholder]")) {
      found.push(each.ariaLabel ?? "", each.title ?? "", each.getAttribute("placeholder") ?? "");
    }
    return found;
  })()`);
  return [...new Set(texts)].filter(isLeft);
}

test("an admin switches to Chinese in the menu of the account, and no page of the admin is left in English, jumps while it loads or has a fault that axe finds", async () => {
  const watched = await browser.open({ url: web.sluice.url, cookie: web.cookies.admin ?? "" });
  const { page } = watched;
  try {
    await page.goto("/admin/");
    await page.getByRole("button", { name: "Your account" }).click();
    const reloaded = page.waitForEvent("load");
    await page.getByRole("menuitemcheckbox", { name: "中文" }).click();
    await reloaded;
    await page.waitForSelector("html[lang=zh] main h1");
    const left: [path: string, texts: string[]][] = [];
    const wrong: [path: string, faults: string[]][] = [];
    const loaded = new Set<string>();
    for (const [index, { path, ready, name }] of adminPaths.entries()) {
      await page.setViewportSize({ width: 1280, height: 800 });
      const { pathname } = new URL(path, web.sluice.url);
      const isWalkedTo = loaded.has(pathname) || !isLoaded(index);
      await (isWalkedTo ? goWithin(page, path) : page.goto(path));
      loaded.add(pathname);
      // What the test does here is in the audit log, so that not every list is empty.
      await page.waitForSelector(`${ready}, main tbody th`);
      // Other widths move what is shown, too.
      const jumps = isWalkedTo && TEST_FULL !== "1" ? [] : await findJumps(page);
      const texts = await englishOf(watched);
      const found = TEST_FULL === "1" ? [] : await lookInTurn(watched, index);
      wrong.push(...(jumps.length + found.length === 0 ? [] : [[name, [...jumps, ...found]] as [string, string[]]]));
      left.push(...(texts.length === 0 ? [] : [[path, texts] as [string, string[]]]));
    }
    expect(adminPaths.length).toBeGreaterThan(35);
    expect({ left, wrong }).toEqual({ left: [], wrong: [] });
    expect(watched.faults).toEqual([]);
    // Kept with the login: another browser of the same admin is in Chinese, too.
    const other = await browser.open({ url: web.sluice.url, cookie: web.cookies.admin ?? "" });
    await other.page.goto("/admin/account/");
    expect(await other.page.getAttribute("html", "lang")).toBe("zh");
    await other.page.waitForSelector(`main h1:text("${chinese["Account"]}")`);
    await other.close();
  } finally {
    await web.rig.db.sql`update shared_admin_credentials set locale = null`;
    await watched.close();
  }
}, 180_000);

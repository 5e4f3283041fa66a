import { afterAll, beforeAll, expect, test } from "bun:test";
import { shownPages } from "../shots/pages.ts";
import { TestBrowser } from "../support/web/browser.ts";
import { pageOptions, startWebRig, type WebRig } from "../support/web/web-rig.ts";

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
  await web.speak("en");
  expect(faults).toEqual([]);
  await close();
});

test("there are pages with charts", () => {
  expect(pages.length).toBeGreaterThanOrEqual(4);
});

test.each(pages.map((shown) => [shown.name, shown] as const))(
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

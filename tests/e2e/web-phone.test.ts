import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { consoleClient } from "../support/accounts/console-client.ts";
import { loginUser } from "../support/accounts/logins.ts";
import { chat } from "../support/calls/chat-call.ts";
import type { WatchedPage } from "../support/web/browser.ts";
import { type ConsoleScene, faultsOf, startConsoleScene } from "../support/web/console-scene.ts";
import { findJumps } from "../support/web/layout-shift.ts";

/** The frame, the days, the figures, and the chart without its plot: a page that is drawn completely has twice as many. */
const elementsMax = 270;
/** What is below the first screen, and the requests that only that needs. */
const below = ".uplot, [role=tablist], .table-area";
const laterRequests = ["/backend/usage/list/", "/backend/usage/performance/", "/backend/keys/list/"];
/** Longer than a part waits that is drawn: two frames, and then a moment in which the browser is idle. */
const untilDrawn = `new Promise((resolve) => {
  let rounds = 10;
  const next = () => (rounds-- > 0 ? requestAnimationFrame(() => requestIdleCallback(next, { timeout: 500 })) : resolve());
  next();
})`;

/** What the driver of the browser evaluates counts as something that the reader did. */
const untouched = `Object.defineProperty(navigator, "userActivation", { value: { hasBeenActive: false } })`;

let scene: ConsoleScene;
let cookie: string;
let requestId: string;

beforeAll(async () => {
  scene = await startConsoleScene();
  const { rig, sluice } = scene.web;
  ({ cookie } = await loginUser(rig, { quota: 1_000_000_000n }));
  const { body } = await consoleClient(sluice.url, cookie).post("/backend/keys/create/", { name: "mine" });
  const call = { model: "gpt-4o-mini", max_tokens: 5, messages: [{ role: "user", content: "What is a sluice?" }] };
  requestId = (await chat({ url: sluice.url, apiKey: String(body["secret"]) }, call)).requestId ?? "";
  await rig.waitForUsageRows(1);
});

afterAll(() => scene?.close());

type Visit = WatchedPage & { readonly asked: readonly string[] };

/** Opens usage on a phone, and waits until nothing more is drawn. */
async function visit(search = "", before = ""): Promise<Visit> {
  const { url } = scene.web.sluice;
  const watched = await scene.browser.open({ url, cookie, width: 412, height: 823, isTouch: true });
  const { page } = watched;
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.addInitScript(`${untouched}; ${before}`);
  await page.goto(`/console/usage/${search}`);
  await page.getByRole("button", { name: "gpt-4o-mini" }).waitFor();
  await page.evaluate(untilDrawn);
  return { ...watched, asked };
}

const partsBelow = (page: Page): Promise<number> => page.locator(below).count();

async function expectAll(page: Page): Promise<void> {
  await page.getByRole("tab", { name: "By model" }).waitFor();
  await page.locator(".row-open").first().waitFor();
  await page.locator(".uplot").waitFor();
}

test("usage draws only what is near the screen of a phone, and the rest once the reader scrolls, without a jump", async () => {
  const watched = await visit();
  const { page, asked } = watched;
  try {
    expect(await partsBelow(page)).toBe(0);
    expect(asked.filter((path) => laterRequests.includes(path))).toEqual([]);
    const elements = await page.evaluate<number>("document.querySelectorAll('*').length");
    expect({ isWithin: elements <= elementsMax, elements }).toMatchObject({ isWithin: true });
    // What is read aloud by its headings is there.
    expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
      "By day",
      "Breakdown",
      "Speed by model",
    ]);
    expect(await faultsOf(watched)).toEqual([]);
    await page.mouse.wheel(0, 300);
    await expectAll(page);
    expect([...(await findJumps(page)), ...(await faultsOf(watched))]).toEqual([]);
  } finally {
    await watched.close();
  }
});

test.each(["keydown", "beforeprint"])("all of usage is drawn on a phone after a %s", async (sign) => {
  const { page, close } = await visit();
  try {
    expect(await partsBelow(page)).toBe(0);
    await page.evaluate<boolean>(`dispatchEvent(new Event("${sign}"))`);
    await expectAll(page);
  } finally {
    await close();
  }
});

test("a link to a call opens its receipt on a phone, and the list of calls is there once that is closed", async () => {
  const { page, close } = await visit(`?open=${requestId}`);
  try {
    await page.getByRole("heading", { name: "How the cost was calculated" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "How the cost was calculated" }).waitFor({ state: "hidden" });
    await page.locator(".row-open").first().waitFor();
  } finally {
    await close();
  }
});

test("a browser that cannot say what is near the screen draws all of usage", async () => {
  const { page, close } = await visit("", "delete globalThis.IntersectionObserver");
  try {
    await expectAll(page);
  } finally {
    await close();
  }
});

test("the list of time zones is complete when it is opened", async () => {
  const { page, close } = await visit();
  try {
    const zones = page.getByLabel("Days in");
    const before = await zones.locator("option").count();
    await zones.focus();
    expect([before < 5, (await zones.locator("option").count()) > 300]).toEqual([true, true]);
    await zones.selectOption("Asia/Tokyo");
    await page.waitForURL("**/?zone=Asia%2FTokyo");
  } finally {
    await close();
  }
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { TestBrowser } from "../support/web/browser.ts";
import { startWebRig, type WebRig } from "../support/web/web-rig.ts";

const password = "tango olive brook";

let web: WebRig;
let browser: TestBrowser;

beforeAll(async () => {
  [web, browser] = await Promise.all([startWebRig(), TestBrowser.launch()]);
});

afterAll(async () => {
  await browser?.close();
  await web?.close();
});

describe("a visitor without JavaScript", () => {
  test("signs up, is logged in by the link that verifies the address, and logs in elsewhere", async () => {
    const { page, faults, close } = await browser.open({ url: web.sluice.url, hasScript: false });
    await page.goto("/de/");
    await page.getByRole("link", { name: "Konto anlegen" }).click();
    await page.getByLabel("E-Mail").fill("grace@example.org");
    await page.getByLabel("Passwort").fill(password);
    await page.getByRole("button", { name: "Registrieren" }).click();
    await page.getByRole("heading", { name: "Sehen Sie in Ihr Postfach" }).waitFor();
    // The program does not know its port here, so only the path of its link is right.
    const link = new URL((await page.getAttribute("main .notice a", "href")) ?? "", web.sluice.url);
    await page.goto(link.pathname + link.search);
    await page.getByRole("button", { name: "Adresse bestätigen" }).click();
    await page.waitForURL("**/console/");
    await page.context().clearCookies();
    await page.goto("/de/login/");
    await page.getByLabel("E-Mail").fill("grace@example.org");
    await page.getByLabel("Passwort").fill(password);
    await page.getByRole("button", { name: "Anmelden" }).click();
    await page.waitForURL("**/console/");
    expect(faults).toEqual([]);
    await close();
  });

  test("requests an offer, which admins find", async () => {
    const { page, faults, close } = await browser.open({ url: web.sluice.url, hasScript: false });
    await page.goto("/contact/");
    await page.getByLabel("Company").fill("Analytical Engines");
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("E-mail").fill("ada@engines.example");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("heading", { name: "We received your request" }).waitFor();
    const rows = await web.rig.db.sql<{ company: string }>`select company from enterprise_lead`;
    expect({ faults, rows: rows.map(({ company }) => company) }).toEqual({ faults: [], rows: ["Analytical Engines"] });
    await close();
  });

  test("switches to Arabic, where the page runs from right to left and its form is in Arabic", async () => {
    const { page, faults, close } = await browser.open({ url: web.sluice.url, hasScript: false });
    await page.goto("/models/");
    await page.getByRole("button", { name: "Language" }).click();
    await page.getByRole("link", { name: "العربية" }).click();
    await page.waitForURL("**/ar/models/");
    expect(await page.getAttribute("html", "dir")).toBe("rtl");
    await page.getByRole("link", { name: "تسجيل الدخول" }).click();
    await page.getByRole("heading", { name: "تسجيل الدخول" }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

test("a visit and a click are counted without cookies", async () => {
  const { page, faults, close } = await browser.open({ url: web.sluice.url });
  // Automated browsers are not counted; this one pretends to be a person.
  await page.addInitScript(() => Object.defineProperty(navigator, "webdriver", { get: () => false }));
  const sent = page.waitForResponse("**/backend/analytics/landing/");
  await page.goto("/?utm_source=letter");
  await sent;
  const clicked = page.waitForRequest("**/backend/analytics/landing/");
  const viewed = page.waitForResponse(
    (response) =>
      response.url().endsWith("/backend/analytics/landing/") &&
      (response.request().postData() ?? "").includes("page_view"),
  );
  await page.getByRole("link", { name: "See prices" }).click();
  await clicked;
  await page.waitForURL("**/pricing/");
  await viewed;
  // The page that reported the click is gone before the answer.
  await waitUntil(async () => {
    const clicks = await web.rig.db.sql`select 1 from campaign_event where target = 'home-pricing'`;
    return clicks.length > 0;
  });
  const rows = await web.rig.db.sql<{ kind: string; source: string; visitors: bigint }>`
    select kind, min(utm_source) as source, count(distinct visitor_id) as visitors from campaign_event
    where target is null or target = 'home-pricing' group by kind order by kind`;
  expect(rows.map(({ kind, source, visitors }) => [kind, source, Number(visitors)])).toEqual([
    ["cta_click", "letter", 1],
    ["page_view", "letter", 1],
  ]);
  expect({ faults, cookies: await page.context().cookies() }).toEqual({ faults: [], cookies: [] });
  await close();
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { findFreePort } from "@sluice/deploy/start/port";
import type { Page } from "playwright-core";
import { AccountClient } from "../support/accounts/account-client.ts";
import { consoleClient } from "../support/accounts/console-client.ts";
import { TestBrowser, type WatchedPage } from "../support/web/browser.ts";
import { countActs } from "../support/web/count-acts.ts";
import { type RealIssuer, realClient, startRealIssuer } from "../support/web/real-issuer.ts";
import { startWebRig, type WebRig } from "../support/web/web-rig.ts";

const testMsMax = 300_000;
const password = "correct horse battery";
let web: WebRig;
let browser: TestBrowser;
let issuer: RealIssuer;

beforeAll(async () => {
  // The issuer sends the browser back to the address that the program says it has, so the port has to be known.
  const port = await findFreePort();
  const env = { PORT: String(port), PUBLIC_BASE_URL: `http://127.0.0.1:${port}` };
  [web, browser, issuer] = await Promise.all([startWebRig(undefined, env), TestBrowser.launch(), startRealIssuer()]);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([web?.close(), issuer?.close()]);
});

/** The issuer's own pages: log in, and allow the program to know who it is. */
async function logInAtIssuer(page: Page, name: string): Promise<void> {
  // Its pages would load a font from another site.
  await page.route("https://**", (route) => route.abort());
  await page.waitForURL((url) => url.href.startsWith(issuer.url));
  await page.locator("input[name=login]").fill(name);
  await page.locator("input[name=password]").fill("anything");
  await page.locator("button[type=submit]").click();
  await page.getByRole("button", { name: "Continue" }).click();
}

/** What our pages did wrong: the visit to the issuer is meant, and its pages ask for a font. */
const faultsOf = ({ faults }: WatchedPage): string[] =>
  faults.filter((fault) => !fault.includes(issuer.url) && !fault.includes("https://fonts."));

test(
  "an admin tests and adds an issuer, and a newcomer signs in with it",
  async () => {
    const { admin } = web.cookies;
    const watched = await browser.open({
      url: web.sluice.url,
      ...(admin === undefined ? {} : { cookie: admin }),
      expectedStatuses: [409],
    });
    const { page } = watched;
    const acts = await countActs(watched.page, web.sluice.url);
    try {
      await page.goto("/admin/sign-in/");
      await page.getByRole("button", { name: "Add service" }).first().click();
      const dialog = page.getByRole("dialog", { name: "Add a sign-in service" });
      await dialog.getByLabel("Name", { exact: true }).fill("Example");
      await dialog.getByLabel("Short name").fill("example");
      const callback = (await dialog.locator(".copy-text, code").first().textContent()) ?? "";
      expect(callback).toContain(`${web.sluice.url}/login/with/example/callback/`);
      await dialog.getByLabel("Issuer", { exact: true }).fill("http://127.0.0.1:9");
      await dialog.getByRole("button", { name: "Test the issuer" }).click();
      await dialog.getByText("The issuer can't be used").first().waitFor();
      issuer.allow(`${web.sluice.url}/login/with/example/callback/`);
      await dialog.getByLabel("Issuer", { exact: true }).fill(issuer.url);
      await dialog.getByRole("button", { name: "Test the issuer" }).click();
      await dialog.getByText("It responds.").waitFor();
      await dialog.getByLabel("Client ID").fill(realClient.id);
      await dialog.getByLabel("Client secret").fill(realClient.secret);
      await dialog.getByLabel("Reason").fill("for our staff");
      expect(await watched.axe()).toEqual([]);
      await dialog.getByRole("button", { name: "Add service" }).click();
      await page.getByText("The service was saved.").waitFor();
      expect(await page.content()).not.toContain(realClient.secret);
      // To open the form, to test a wrong issuer and the right one, and to save.
      expect(acts.clicks).toBe(4);
      expect(faultsOf(watched)).toEqual([]);
    } finally {
      await watched.close();
    }
    const visitor = await browser.open({ url: web.sluice.url });
    const visitorActs = await countActs(visitor.page, web.sluice.url);
    try {
      await visitor.page.goto("/login/?next=/console/keys/");
      expect(await visitor.axe()).toEqual([]);
      await visitor.page.getByRole("link", { name: "Continue with Example" }).click();
      await logInAtIssuer(visitor.page, "ada");
      await visitor.page.waitForURL((url) => url.pathname === "/console/keys/");
      expect(visitorActs.clicks).toBe(1);
      await visitor.page.goto("/console/account/");
      await visitor.page.getByText("Your account has no password.").waitFor();
      await visitor.page.getByRole("main").getByText("ada@issuer.example").first().waitFor();
      await visitor.page.goto("/console/tokens/");
      await visitor.page.getByRole("button", { name: "Create token" }).first().click();
      const form = visitor.page.getByRole("dialog", { name: "Create token" });
      await form.getByLabel("Name").fill("nightly report");
      await form.getByLabel("Read usage and balance").check();
      expect(await form.getByLabel("Your password").count()).toBe(0);
      await form.getByRole("button", { name: "Create token" }).click();
      await visitor.page.getByRole("dialog", { name: "Your new access token" }).waitFor();
      expect(faultsOf(visitor)).toEqual([]);
    } finally {
      await visitor.close();
    }
  },
  testMsMax,
);

test(
  "a user links the issuer's account with the password, signs in with it, and removes it",
  async () => {
    const email = "linker@example.org";
    const client = new AccountClient(web.sluice);
    await client.makeUser(email, password);
    const { cookie } = await client.logIn(email, password);
    const watched = await browser.open({ url: web.sluice.url, cookie });
    const { page } = watched;
    try {
      await page.goto("/console/account/");
      await page.getByRole("button", { name: "Link Example" }).click();
      const dialog = page.getByRole("dialog", { name: "Link Example" });
      await dialog.getByLabel("Current password").fill(password);
      await dialog.getByRole("button", { name: "Continue" }).click();
      await logInAtIssuer(page, "unlinked");
      await page.getByText("The account was linked.").waitFor();
      expect(await watched.axe()).toEqual([]);
      expect(faultsOf(watched)).toEqual([]);
    } finally {
      await watched.close();
    }
    const again = await browser.open({ url: web.sluice.url });
    try {
      await again.page.goto("/login/");
      await again.page.getByRole("link", { name: "Continue with Example" }).click();
      await logInAtIssuer(again.page, "unlinked");
      await again.page.waitForURL((url) => url.pathname === "/console/");
      await again.page.goto("/console/account/");
      await again.page.getByRole("main").getByText(email).first().waitFor();
      await again.page.getByRole("button", { name: "Remove: Example" }).click();
      const dialog = again.page.getByRole("dialog", { name: "Remove Example?" });
      await dialog.getByLabel("Current password").fill(password);
      await dialog.getByRole("button", { name: "Remove" }).click();
      await again.page.getByText("No account of another service is linked.").waitFor();
      expect(faultsOf(again)).toEqual([]);
    } finally {
      await again.close();
    }
  },
  testMsMax,
);

test(
  "an address that the issuer has not verified leads back to the login page, with the reason",
  async () => {
    const watched = await browser.open({ url: web.sluice.url, expectedStatuses: [403] });
    try {
      await watched.page.goto("/login/");
      await watched.page.getByRole("link", { name: "Continue with Example" }).click();
      await logInAtIssuer(watched.page, "unproven");
      await watched.page.getByText("does not confirm").waitFor();
      expect(await watched.axe()).toEqual([]);
    } finally {
      await watched.close();
    }
  },
  testMsMax,
);

test(
  "an operator publishes terms that need consent, after reading how many users that asks",
  async () => {
    const { admin } = web.cookies;
    const watched = await browser.open({ url: web.sluice.url, ...(admin === undefined ? {} : { cookie: admin }) });
    const { page } = watched;
    try {
      await page.goto("/admin/branding/");
      const card = page.getByRole("region", { name: "Legal pages" });
      await card.getByRole("textbox", { name: "Text" }).fill("# Refunds\n\nYou get your money back within 14 days.");
      await card.getByRole("combobox", { name: "This change" }).selectOption("consent");
      await card.getByText(/\d+ active users are asked to accept it\./).waitFor();
      expect(await watched.axe()).toEqual([]);
      await card.getByRole("button", { name: "Publish this version" }).click();
      await card.getByText(/\d+ active users have yet to accept edition 1\./).waitFor();
      await card.getByText("Version 1, edition 1, in force since").waitFor();
      expect(watched.faults).toEqual([]);
    } finally {
      await watched.close();
    }
  },
  testMsMax,
);

test(
  "a newcomer by another service reads and accepts them in two clicks, before anything else",
  async () => {
    const watched = await browser.open({ url: web.sluice.url });
    const { page } = watched;
    const acts = await countActs(watched.page, web.sluice.url);
    try {
      await page.goto("/login/?next=/console/keys/");
      await page.getByRole("link", { name: "Continue with Example" }).click();
      await logInAtIssuer(page, "newcomer");
      await page.waitForURL((url) => url.pathname === "/console/consent/");
      await page.getByText("You get your money back within 14 days.").waitFor();
      expect(await watched.axe()).toEqual([]);
      await page.getByRole("button", { name: "Accept and continue" }).click();
      await page.waitForURL((url) => url.pathname === "/console/keys/");
      await page.getByRole("heading", { name: "Keys", exact: true }).waitFor();
      expect(acts.clicks).toBe(2);
      expect(faultsOf(watched)).toEqual([]);
    } finally {
      await watched.close();
    }
  },
  testMsMax,
);

test(
  "a page that is open stays when the terms change, and a user who declines can leave with the data or close the account",
  async () => {
    const email = "decliner@example.org";
    const client = new AccountClient(web.sluice);
    const accepts = [{ page: "terms", edition: 1 }];
    const { body } = await client.post("/backend/auth/register/", { email, password, accepts });
    const link = new URL(body.verification_url ?? "");
    await client.get(`${link.pathname}${link.search}`);
    const { cookie } = await client.logIn(email, password);
    const watched = await browser.open({ url: web.sluice.url, cookie, expectedStatuses: [403] });
    const { page } = watched;
    try {
      await page.goto("/console/keys/");
      await page.getByRole("button", { name: "Create key" }).first().click();
      const form = page.getByRole("dialog", { name: "Create key" });
      await form.getByRole("textbox", { name: "Name" }).fill("typed before");
      await publishSecondEdition(client);
      // The page may ask for something by itself first, and the dialog is then above the form.
      await form.getByRole("button", { name: "Create key" }).dispatchEvent("click");
      const dialog = page.getByRole("dialog", { name: "The terms have changed" });
      await dialog.waitFor();
      expect(await watched.axe()).toEqual([]);
      const [tab] = await Promise.all([
        page.context().waitForEvent("page"),
        dialog.getByRole("link", { name: "Open in a new tab" }).click(),
      ]);
      await tab.getByText("Refunds are faster.").waitFor();
      await tab.getByText(/What you accepted on/).click();
      await tab.getByText("You get your money back within 14 days.").waitFor();
      await tab.getByRole("button", { name: "I don’t accept" }).click();
      await tab.getByRole("button", { name: "Log out" }).waitFor();
      await tab.getByRole("region", { name: "Your data" }).waitFor();
      await tab.getByRole("region", { name: "Close the account" }).waitFor();
      await tab.getByRole("button", { name: "Accept and continue" }).click();
      await tab.waitForURL((url) => url.pathname === "/console/");
      await dialog.getByRole("button", { name: "I have accepted them" }).click();
      expect(await form.getByRole("textbox", { name: "Name" }).inputValue()).toBe("typed before");
      await form.getByRole("button", { name: "Create key" }).click();
      await page.locator("dialog[open]").filter({ hasText: "sk-" }).waitFor();
      expect(watched.faults).toEqual([]);
    } finally {
      await watched.close();
    }
  },
  testMsMax,
);

async function publishSecondEdition(client: AccountClient): Promise<void> {
  const saved = await consoleClient(web.sluice.url, web.cookies.admin ?? "").post(
    "/backend/admin/branding/legal/save/",
    {
      ...{ page: "terms", locale: "en", markdown: "Within 7 days.", effective_on: "2026-12-01", version: 1 },
      ...{ asks_consent: true, changes: "Refunds are faster." },
    },
  );
  expect(saved.status).toBe(200);
  const edition = async (): Promise<unknown> => {
    const { body } = await client.get("/backend/auth/register/rules/");
    return (body["accepts"] as { edition: number }[])[0]?.edition;
  };
  for (let attempt = 0; (await edition()) !== 2; attempt += 1) {
    expect(attempt).toBeLessThan(2_000);
    await Bun.sleep(10);
  }
}

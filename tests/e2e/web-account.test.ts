import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { AccountClient } from "../support/accounts/account-client.ts";
import { TestBrowser } from "../support/web/browser.ts";
import { startWebRig, type WebRig } from "../support/web/web-rig.ts";

const testMsMax = 300_000;
const password = "correct horse battery";
let web: WebRig;
let browser: TestBrowser;

beforeAll(async () => {
  [web, browser] = await Promise.all([startWebRig(), TestBrowser.launch()]);
});

afterAll(async () => {
  await browser?.close();
  await web?.close();
});

async function newUser(): Promise<{ email: string; cookie: string }> {
  const email = `user-${crypto.randomUUID().slice(0, 8)}@example.org`;
  const client = new AccountClient(web.sluice);
  await client.makeUser(email, password);
  return { email, cookie: (await client.logIn(email, password)).cookie };
}

test(
  "a user sees what closing the account means, begins it, and keeps the account after all",
  async () => {
    const { cookie } = await newUser();
    const watched = await browser.open({ url: web.sluice.url, cookie });
    const { page } = watched;
    try {
      await page.goto("/console/account/");
      await page.getByRole("button", { name: "Close my account" }).click();
      const dialog = page.getByRole("dialog", { name: "Close the account" });
      await dialog.getByText("Sessions:").waitFor();
      expect(await watched.axe()).toEqual([]);
      await dialog.getByLabel("Current password").fill(password);
      await dialog.getByRole("button", { name: "Close my account" }).click();
      await page.getByText("This account will be closed on").waitFor();
      expect(await watched.axe()).toEqual([]);
      await page.getByRole("button", { name: "Keep my account" }).click();
      const keeping = page.getByRole("dialog", { name: "Keep my account" });
      await keeping.getByLabel("Current password").fill(password);
      await keeping.getByRole("button", { name: "Keep my account" }).click();
      await page.getByRole("button", { name: "Close my account" }).waitFor();
      expect(watched.faults).toEqual([]);
    } finally {
      await watched.close();
    }
  },
  testMsMax,
);

test(
  "a user asks for a new address and downloads the data that the service has",
  async () => {
    const { email, cookie } = await newUser();
    const watched = await browser.open({ url: web.sluice.url, cookie });
    const { page } = watched;
    try {
      await page.goto("/console/account/");
      const form = page.locator("form", { has: page.getByLabel("New e-mail address") });
      await form.getByLabel("New e-mail address").fill(`new-${email}`);
      await form.getByLabel("Current password").fill(password);
      await form.getByRole("button", { name: "Change the e-mail address" }).click();
      await page.getByText("an e-mail with a link is on its way").waitFor();
      const data = page.locator("form", { has: page.getByRole("button", { name: "Download my data" }) });
      await data.getByLabel("Current password").fill(password);
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        data.getByRole("button", { name: "Download my data" }).click(),
      ]);
      const file = JSON.parse(await readFile(await download.path(), "utf8")) as { profile: { email: string } };
      expect(file.profile.email).toBe(email);
      expect(watched.faults).toEqual([]);
    } finally {
      await watched.close();
    }
  },
  testMsMax,
);

test(
  "an admin sees what closing a user's account means, closes it with a reason, and keeps it",
  async () => {
    const { email } = await newUser();
    const [row] = await web.rig.db.sql<{ id: string }>`select id::text from user_profile where email = ${email}`;
    const { admin } = web.cookies;
    const watched = await browser.open({ url: web.sluice.url, ...(admin === undefined ? {} : { cookie: admin }) });
    const { page } = watched;
    try {
      await page.goto(`/admin/users/${row?.id}/`);
      await page.getByRole("button", { name: "Close account" }).click();
      const dialog = page.getByRole("dialog", { name: "Close the account" });
      await dialog.getByText("Ends: sessions").waitFor();
      expect(await watched.axe()).toEqual([]);
      await dialog.getByLabel("Reason").fill("asked for by mail");
      await dialog.getByRole("button", { name: "Close account" }).click();
      await page.getByText("The account is being closed.").waitFor();
      await page.getByRole("button", { name: "Close account" }).click();
      await dialog.getByText("as the operator requested").waitFor();
      await dialog.getByLabel("Reason").fill("a mistake");
      await dialog.getByRole("button", { name: "Keep account" }).click();
      await page.getByText("The account will not be closed.").waitFor();
      expect(watched.faults).toEqual([]);
    } finally {
      await watched.close();
    }
  },
  testMsMax,
);

import { afterAll, beforeAll, expect, test } from "bun:test";
import { AccountClient } from "../support/accounts/account-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
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

const statusWith = async (secret: string, path: string): Promise<number> => {
  const headers = { authorization: `Bearer ${secret}` };
  return (await fetch(`${web.sluice.url}${path}`, { headers })).status;
};

test(
  "a user creates a token with the password, a program uses it, and the user revokes it",
  async () => {
    const email = "tokens@example.org";
    const client = new AccountClient(web.sluice);
    await client.makeUser(email, password);
    const { cookie } = await client.post("/backend/auth/login/", { email, password });
    const watched = await browser.open({ url: web.sluice.url, cookie, expectedStatuses: [401] });
    const { page } = watched;
    try {
      await page.goto("/console/tokens/");
      await page.getByText("No access tokens").waitFor();
      await page.getByRole("button", { name: "Create token" }).first().click();
      const dialog = page.getByRole("dialog", { name: "Create token" });
      await dialog.getByRole("button", { name: "Create token" }).click();
      await dialog.getByText("Choose what the token may do.").waitFor();
      await dialog.getByLabel("Name").fill("nightly report");
      await dialog.getByLabel("Read usage and balance").check();
      await dialog.getByLabel("Your password").fill("not the password");
      await dialog.getByRole("button", { name: "Create token" }).click();
      await dialog.getByText("The token was not created").waitFor();
      expect(await watched.axe()).toEqual([]);
      await dialog.getByLabel("Your password").fill(password);
      await dialog.getByRole("button", { name: "Create token" }).click();
      const made = page.getByRole("dialog", { name: "Your new access token" });
      const secret = (await made.locator("[data-secret]").textContent()) ?? "";
      expect(secret).toMatch(/^sl-mgmt-[A-Za-z0-9]{48}$/);
      expect(await watched.axe()).toEqual([]);
      expect(await statusWith(secret, "/backend/usage/list/")).toBe(200);
      expect(await statusWith(secret, "/backend/keys/list/")).toBe(403);
      await made.getByRole("button", { name: "I have saved it" }).click();
      await page.reload();
      await page.getByText("nightly report").waitFor();
      expect(await page.content()).not.toContain(secret);
      await page.getByRole("button", { name: "Revoke: nightly report" }).click();
      await page
        .getByRole("dialog", { name: "Revoke this token?" })
        .getByRole("button", { name: "Revoke", exact: true })
        .click();
      await page.getByText("revoked", { exact: true }).waitFor();
      expect(await statusWith(secret, "/backend/usage/list/")).toBe(401);
      expect(watched.faults).toEqual([]);
    } finally {
      await watched.close();
    }
  },
  testMsMax,
);

test(
  "an admin creates a token with scopes, and one who is not a super-admin is not offered what takes a fresh login",
  async () => {
    const { cookie } = await loginAdmin(web.rig, { isSuper: false });
    const watched = await browser.open({ url: web.sluice.url, cookie });
    const { page } = watched;
    try {
      await page.goto("/admin/tokens/");
      await page.getByText("No access tokens").waitFor();
      await page.getByRole("button", { name: "Create token" }).first().click();
      const dialog = page.getByRole("dialog", { name: "Create an access token" });
      await dialog.getByLabel("Name").fill("on call");
      expect(await dialog.getByLabel("What requires a recent login").count()).toBe(0);
      await dialog.getByLabel("Users", { exact: false }).first().check();
      await dialog.getByRole("button", { name: "Create", exact: true }).click();
      const made = page.getByRole("dialog", { name: "Your new access token" });
      const secret = ((await made.locator("pre, code").first().textContent()) ?? "").trim();
      expect(await statusWith(secret, "/backend/admin/user/list/")).toBe(200);
      expect(await statusWith(secret, "/backend/admin/order/list/")).toBe(403);
      await made.getByRole("button", { name: "I have saved it" }).click();
      await page.getByRole("button", { name: "Revoke on call" }).click();
      await page
        .getByRole("dialog", { name: "Revoke this token?" })
        .getByRole("button", { name: "Revoke", exact: true })
        .click();
      await page.getByText("revoked", { exact: true }).waitFor();
      expect(await statusWith(secret, "/backend/admin/user/list/")).toBe(401);
      expect(watched.faults).toEqual([]);
    } finally {
      await watched.close();
    }
  },
  testMsMax,
);

import { afterAll, beforeAll, expect, test } from "bun:test";
import { createAdmin } from "@sluice/control-plane/accounts/admins/command-admins.ts";
import type { Page } from "playwright-core";
import { keptPages } from "../runner/lighter-program.ts";
import { AccountClient } from "../support/accounts/account-client.ts";
import { Authenticator } from "../support/accounts/authenticator.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { type PageOptions, TestBrowser, type WatchedPage } from "../support/web/browser.ts";
import { PageTabs } from "../support/web/page-tabs.ts";
import { startWebRig, type WebRig } from "../support/web/web-rig.ts";

const testMsMax = 300_000;
const password = "correct horse battery";
const narrowest = { width: 320, height: 640 };

let web: WebRig;
let browser: TestBrowser;
let tabs: PageTabs;
let plainAdmin: string;

beforeAll(async () => {
  [web, browser] = await Promise.all([startWebRig(undefined, keptPages), TestBrowser.launch()]);
  tabs = new PageTabs(browser);
  plainAdmin = (await loginAdmin(web.rig, { isSuper: false })).cookie;
});

afterAll(async () => {
  await browser?.close();
  await web?.close();
});

type Walked = Pick<PageOptions, "cookie" | "expectedStatuses">;

async function walk(path: string, steps: (page: Page, watched: WatchedPage) => Promise<void>, walked: Walked = {}) {
  const { cookie = web.cookies.admin ?? "", expectedStatuses = [] } = walked;
  await tabs.walk({ url: web.sluice.url, cookie, expectedStatuses }, async (watched) => {
    await watched.page.goto(path);
    await steps(watched.page, watched);
    expect(watched.faults).toEqual([]);
  });
}

/** A super-admin with a password, whose login is too old for anything that requires a fresh one. */
async function staleAdmin(username: string): Promise<string> {
  const made = { username, email: null, mobile: null, password, isSuper: true };
  await web.rig.db.withTransaction((tx) => createAdmin(tx, made, "test"));
  const client = new AccountClient(web.sluice);
  const { cookie } = await client.post("/backend/auth/admin/login/", { login: username, password });
  await web.rig.db.sql`
    update session set created_at = created_at - interval '3 hours'
    where admin_id = (select id from shared_admin_credentials where username = ${username})`;
  return cookie ?? "";
}

test(
  "an admin whose login is too old logs in again on the page, and the typed input is then sent",
  async () => {
    await walk(
      "/admin/plans/",
      async (page, { axe }) => {
        await page.getByRole("button", { name: "New plan" }).click();
        const form = page.getByRole("dialog", { name: "New plan" });
        await form.getByLabel("Code").fill("typed-before");
        await form.getByLabel("Name", { exact: true }).fill("Typed before");
        await form.getByLabel("Price, USD").fill("12.00");
        await form.getByLabel("Grants, USD of balance").fill("12");
        await form.getByRole("button", { name: "Create plan" }).click();
        const login = page.getByRole("dialog", { name: "Log in again" });
        await login.getByLabel("Your password").fill("not the password");
        await login.getByRole("button", { name: "Log in and continue" }).click();
        await login
          .getByText("The login or the password is wrong")
          .or(login.getByText("Nothing was changed"))
          .first()
          .waitFor();
        await page.emulateMedia({ colorScheme: "dark" });
        await page.setViewportSize(narrowest);
        expect(await axe()).toEqual([]);
        await login.getByRole("button", { name: "Cancel" }).click();
        await form.getByText("This requires a recent login.").waitFor();
        expect(await form.getByLabel("Name", { exact: true }).inputValue()).toBe("Typed before");
        await form.getByRole("button", { name: "Create plan" }).click();
        await login.getByLabel("Your password").fill(password);
        await login.getByRole("button", { name: "Log in and continue" }).click();
        await page.getByText("The plan was saved.").waitFor();
      },
      { cookie: await staleAdmin("latecomer"), expectedStatuses: [401, 403] },
    );
    const rows = await web.rig.db.sql`select name from plan where plan_code = 'typed-before'`;
    expect([...rows]).toEqual([{ name: "Typed before" }]);
  },
  testMsMax,
);

test(
  "a plain admin is offered no page and no button of super-admins, and can't submit a field of theirs",
  async () => {
    await walk(
      "/admin/plans/",
      async (page, { axe }) => {
        await page.locator(".row-open").first().waitFor();
        await page.getByRole("link", { name: "Secrets" }).waitFor({ state: "detached" });
        expect(await page.getByRole("link", { name: "Users" }).count()).toBe(1);
        expect(await page.getByRole("button", { name: "New plan" }).count()).toBe(0);
        expect(await axe()).toEqual([]);
        const form = page.getByRole("dialog");
        await page.goto("/admin/users/1/");
        await page.getByRole("button", { name: "Edit user" }).click();
        await form.getByText("Only super-admins can change it.").waitFor();
        expect(await form.getByLabel("Rate multiplier").isDisabled()).toBe(true);
        await form.getByLabel(/^Name/).fill("Ada L.");
        await form.getByRole("button", { name: "Save user" }).click();
        await page.getByText("The user was saved.").waitFor();
      },
      { cookie: plainAdmin },
    );
  },
  testMsMax,
);

test(
  "a billing admin sees the pages of money alone, and what each role may do",
  async () => {
    const { cookie } = await loginAdmin(web.rig, { isSuper: false, role: "billing" });
    await walk(
      "/admin/roles/",
      async (page, { axe }) => {
        const actsOn = (area: string) => page.locator(`dt:text-is("${area}: do") + dd`).allTextContents();
        await page.locator('dt:text-is("user: do")').first().waitFor();
        const [ofSupport = "", ofAdmin = "", ofSuper = ""] = await actsOn("user");
        expect(ofSupport).toContain("save (only user id, status, updated, reason)");
        expect(ofAdmin).toContain("save (not multiplier)");
        expect([ofAdmin.includes("closing begin"), ofSuper.includes("closing begin*")]).toEqual([false, true]);
        expect(await actsOn("secret")).toHaveLength(1);
        await page.getByRole("link", { name: "Trace" }).waitFor({ state: "detached" });
        for (const name of ["Orders", "Invoices", "Roles"]) {
          expect([name, await page.getByRole("link", { name, exact: true }).count()]).toEqual([name, 1]);
        }
        for (const name of ["Secrets", "Models", "Mail", "Approvals", "Audit log"]) {
          expect([name, await page.getByRole("link", { name, exact: true }).count()]).toEqual([name, 0]);
        }
        expect(await axe()).toEqual([]);
        await page.goto("/admin/users/1/");
        await page.getByRole("tab", { name: "Ledger" }).waitFor();
        await page.locator("main").getByText("Adjust balance").waitFor({ state: "detached" });
        expect(await page.getByRole("button", { name: "Suspend" }).count()).toBe(0);
        await page.getByRole("tab", { name: "E-mails" }).waitFor({ state: "detached" });
        await page.waitForLoadState("networkidle");
        expect(await page.getByRole("heading", { name: "Limits" }).count()).toBe(0);
        expect(await page.getByRole("button", { name: "Add to a group" }).count()).toBe(0);
      },
      { cookie },
    );
  },
  testMsMax,
);

test(
  "a large adjustment waits, is shown with its effect, and is done when another super-admin approves",
  async () => {
    const client = new AccountClient(web.sluice);
    const setting = { name: "admin.second_person_above_usd", value: 50, version: 0 };
    const saved = await client.post("/backend/admin/settings/save/", setting, { cookie: web.cookies.admin ?? "" });
    expect(saved.status).toBe(200);
    const [user] = await web.rig.db.sql<{ id: bigint }>`select gateway_user_id as id from user_profile limit 1`;
    const ask = async (page: Page) => {
      await page.getByLabel("Account ID").fill(String(user?.id));
      await page.getByLabel("Amount, USD").fill("60");
      await page.getByLabel("Reason").fill("the outage of yesterday");
      await page.getByRole("button", { name: "Preview" }).click();
    };
    await walk(
      "/admin/manual-adjust/",
      async (page) => {
        await ask(page);
        await page.getByText("This exceeds an admin's limit").waitFor();
      },
      { cookie: plainAdmin },
    );
    await walk("/admin/manual-adjust/", async (page) => {
      await ask(page);
      await page.getByText("This waits until another super-admin has approved it.").waitFor();
      await page.getByRole("button", { name: "Add" }).click();
      await page.getByText("Nothing has changed yet").waitFor();
      const toast = await page.locator(".toast").boundingBox();
      expect((toast?.x ?? 0) + (toast?.width ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
      await page.screenshot({ path: ".data/shots/toast.png" });
      await page.goto("/admin/approvals/");
      await page.locator(".row-open").first().click();
      await page.getByText("You requested this: another super-admin has to approve it.").waitFor();
      expect(await page.locator("option", { hasText: "Approve" }).count()).toBe(0);
    });
    await walk(
      "/admin/approvals/",
      async (page, { axe }) => {
        await page.locator(".row-open").first().click();
        const panel = page.locator(".side-panel");
        await panel.getByText("If approved now").waitFor();
        await panel.locator("dt:text-is('Amount') + dd", { hasText: "60" }).waitFor();
        await page.screenshot({ path: ".data/shots/approval-wide.png" });
        await page.emulateMedia({ colorScheme: "dark" });
        await page.setViewportSize(narrowest);
        expect(await axe()).toEqual([]);
        await page.screenshot({ path: ".data/shots/approval-narrow-dark.png", fullPage: true });
        await panel.getByLabel("Decision").selectOption("approve");
        await panel.getByLabel("Reason").fill("agreed on the phone");
        await panel.getByRole("button", { name: "Decide" }).click();
        await page.getByText("Approved and done.").waitFor();
      },
      { cookie: (await loginAdmin(web.rig)).cookie },
    );
    expect(await web.rig.checkMoney()).toEqual([]);
  },
  testMsMax,
);

/** Amounts above this wait for a second super-admin; 0 for none. */
async function askForTwo(aboveUsd: number): Promise<void> {
  await web.rig.db.sql`
    insert into setting (name, value, updated_by, updated_by_name)
    select 'admin.second_person_above_usd', ${String(aboveUsd)}::text::jsonb, id, username
    from shared_admin_credentials limit 1
    on conflict (name) do update set value = excluded.value`;
}

const formsOfTwo = [
  ["/admin/admins/", "Create an admin", "This waits until another super-admin has approved it."],
  ["/admin/plans/", "New plan", "More balance for a dollar than it is worth waits until"],
  ["/admin/models/", "New model", "A new model waits until"],
  ["/admin/secrets/", "Save secret", "A credential of payment gateways or mail waits until"],
] as const;

test(
  "forms say before submission what waits for a second super-admin, and say nothing when one is enough",
  async () => {
    await askForTwo(50);
    await walk("/admin/settings/", async (page, { axe }) => {
      await page.getByText("What lets one admin do more than now waits until").waitFor();
      for (const [path, button, text] of formsOfTwo) {
        await page.goto(path);
        await page.getByRole("button", { name: button }).click();
        await page.getByRole("dialog").getByText(text).waitFor();
        await page.screenshot({ path: `.data/shots/two-${path.replaceAll("/", "")}.png` });
      }
      await page.emulateMedia({ colorScheme: "dark" });
      await page.setViewportSize(narrowest);
      expect(await axe()).toEqual([]);
      await page.screenshot({ path: ".data/shots/two-narrow-dark.png", fullPage: true });
      await page.goto("/admin/users/1/");
      await page.getByRole("button", { name: "Edit user" }).click();
      const form = page.getByRole("dialog");
      await form.getByLabel("Rate multiplier").fill("0.5");
      await form.getByText("A lower multiplier waits").waitFor();
      await form.getByLabel("Rate multiplier").fill("1.5");
      await form.getByText("A lower multiplier waits").waitFor({ state: "detached" });
    });
    await askForTwo(0);
    await walk("/admin/plans/", async (page) => {
      await page.getByRole("button", { name: "New plan" }).click();
      await page.getByRole("dialog").getByLabel("Code").waitFor();
      await page.waitForLoadState("networkidle");
      expect(await page.getByText("until another super-admin").count()).toBe(0);
    });
  },
  testMsMax,
);

test(
  "a plan that waits is described in words",
  async () => {
    await askForTwo(50);
    const plan = { plan_code: "two_for_one", name: "Two for one", kind: "wallet_balance", price_usd: "1.00" };
    const client = new AccountClient(web.sluice);
    const asked = await client.post(
      "/backend/admin/plan/save/",
      { ...plan, quota: 1_000_000 },
      { cookie: (await loginAdmin(web.rig)).cookie },
    );
    expect(asked.body["approval"]).toMatchObject({ status: "pending" });
    await walk("/admin/approvals/", async (page) => {
      await page.locator(".row-open").first().click();
      const panel = page.locator(".side-panel");
      await panel.locator("dt:text-is('Kind') + dd:text-is('wallet balance')").waitFor();
      await panel.locator("dt:text-is('Plan') + dd:text-is('two_for_one')").waitFor();
      await page.screenshot({ path: ".data/shots/approval-plan.png" });
    });
    await askForTwo(0);
  },
  testMsMax,
);

test(
  "an admin who needs an authenticator is led to its setup, and continues from there",
  async () => {
    const made = { username: "unfinished", email: null, mobile: null, password, isSuper: true };
    await web.rig.db.withTransaction((tx) => createAdmin(tx, made, "test"));
    const client = new AccountClient(web.sluice);
    const { cookie = "" } = await client.post("/backend/auth/admin/login/", { login: "unfinished", password });
    const setting = { name: "admin.second_factor_required", value: true, version: 0 };
    const saved = await client.post("/backend/admin/settings/save/", setting, { cookie: web.cookies.admin ?? "" });
    expect(saved.status).toBe(200);
    await walk(
      "/admin/users/",
      async (page, { axe }) => {
        await page.getByText("Admins must have an authenticator here.").waitFor();
        expect(new URL(page.url()).pathname).toBe("/admin/account/");
        expect(await axe()).toEqual([]);
        const card = page.getByRole("region", { name: "Authenticator" });
        await card.getByLabel("Your password").fill(password);
        await card.getByRole("button", { name: "Set up" }).click();
        const authenticator = new Authenticator((await card.locator("code").first().textContent()) ?? "");
        await card.getByLabel("Code").fill(await authenticator.next());
        await card.getByRole("button", { name: "Turn on" }).click();
        await card.getByRole("button", { name: "I have saved them" }).click();
        await page.getByRole("link", { name: "Users" }).first().click();
        await page.getByRole("table").waitFor();
      },
      { cookie, expectedStatuses: [403] },
    );
  },
  testMsMax,
);

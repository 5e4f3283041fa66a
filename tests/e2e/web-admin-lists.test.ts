import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { consoleClient } from "../support/accounts/console-client.ts";
import { loginUser } from "../support/accounts/logins.ts";
import { chat } from "../support/calls/chat-call.ts";
import { makeKey } from "../support/calls/key-scene.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { AdminWeb } from "../support/web/admin-web.ts";

const testMsMax = 300_000;

let admin: AdminWeb;

beforeAll(async () => {
  admin = await AdminWeb.start();
});

afterAll(() => admin?.close());

const addUsers = async (name: string, count: number): Promise<string[]> => {
  const emails = Array.from({ length: count }, (_, index) => `${name}-${index}@example.org`);
  for (const email of emails) {
    await loginUser(admin.web.rig, { email });
  }
  return emails;
};

test(
  "chosen rows are changed together: what will happen is shown first, and what is done already is left alone",
  async () => {
    const [first = "", second = "", third = ""] = await addUsers("bulk", 3);
    const { db } = admin.web.rig;
    await db.sql`update user_profile set status = 'suspended' where email = ${second}`;
    await admin.walk("/admin/users/?q=bulk&sort=email", async (page, watched) => {
      const row = (email: string) => page.locator("tr", { hasText: email });
      await row(first).getByRole("checkbox").check();
      await page.getByText("Selected: 1").waitFor();
      await page.getByRole("checkbox", { name: "Select all rows on this page" }).check();
      await page.getByText("Selected: 3").waitFor();
      await page.getByRole("button", { name: "Suspend", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("2 rows will be changed, 1 row left alone.").waitFor();
      await dialog.getByText("It is already suspended.").waitFor();
      expect(await watched.axe()).toEqual([]);
      await dialog.getByLabel("Reason").fill("a wave of spam");
      await dialog.getByRole("button", { name: "Suspend: 2 rows" }).click();
      await dialog.getByText("2 done, 1 left alone.").waitFor();
      await dialog.getByRole("button", { name: "Close" }).last().click();
      await page.getByText("Selected: 3").waitFor({ state: "detached" });
      await row(third).getByText("suspended").waitFor();
    });
    const rows = await db.sql<{ status: string }>`select status from user_profile where email like 'bulk-%'`;
    expect(rows.map(({ status }) => status)).toEqual(["suspended", "suspended", "suspended"]);
    const audited = await db.sql`select 1 from audit_log where reason = 'a wave of spam' and action = 'user.save'`;
    expect(audited).toHaveLength(2);
  },
  testMsMax,
);

test(
  "keys of several owners are found by their beginning and locked together, on a phone too",
  async () => {
    const { rig, sluice } = admin.web;
    const secrets = [];
    for (let each = 0; each < 2; each += 1) {
      const { cookie } = await loginUser(rig);
      secrets.push((await makeKey(consoleClient(sluice.url, cookie), { name: `leaked ${each}` })).secret);
    }
    await rig.db.sql`update api_key set key_prefix = 'sk-LEAK' where name like 'leaked %'`;
    await admin.walk("/admin/keys/?prefix=sk-LEAK", async (page, watched) => {
      await page.setViewportSize({ width: 390, height: 800 });
      const boxes = page.getByRole("checkbox", { name: "Select this row" });
      await boxes.nth(1).check();
      await boxes.nth(0).check();
      await page.getByText("Selected: 2").waitFor();
      expect(await watched.axe()).toEqual([]);
      await page.getByRole("button", { name: "Lock", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("2 rows will be changed.").waitFor();
      await dialog.getByLabel("Reason").fill("found in a public place");
      await dialog.getByRole("button", { name: "Lock: 2 rows" }).click();
      await dialog.getByText("2 done.").waitFor();
      await dialog.getByRole("button", { name: "Close" }).last().click();
      await page.getByText("locked").first().waitFor();
    });
    for (const apiKey of secrets) {
      await waitUntil(async () => (await chat({ url: sluice.url, apiKey }, { model: "x" })).code === "key_locked");
    }
  },
  testMsMax,
);

test(
  "customers save views too, in their browser, and what somebody put there does no harm",
  async () => {
    const { cookie } = await loginUser(admin.web.rig);
    await makeKey(consoleClient(admin.web.sluice.url, cookie), { name: "mine" });
    const look = async (page: Page): Promise<void> => {
      await page.locator(".row-open", { hasText: "mine" }).waitFor();
      await page.evaluate(() => localStorage.setItem("table-keys-views", '[{"name":1},{"name":"x","query":{"q":{}}}]'));
      await page.reload();
      await page.locator(".row-open", { hasText: "mine" }).waitFor();
      await page.getByRole("button", { name: "Saved views" }).click();
      await page.getByRole("menuitem", { name: "Save this view" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Save", exact: true }).click();
      await dialog.getByText("Enter a name.").waitFor();
      await dialog.getByLabel("Name of the view").fill("Short");
      await dialog.getByRole("button", { name: "Save", exact: true }).click();
      await dialog.waitFor({ state: "hidden" });
      await page.reload();
      await page.getByRole("button", { name: "Saved views" }).click();
      await page.getByRole("menuitemcheckbox", { name: "Short" }).waitFor();
      await page.keyboard.press("Escape");
    };
    await admin.walk("/console/keys/", look, { cookie });
  },
  testMsMax,
);

test(
  "a view is saved under a name, opens the list if it is the default, and can be removed",
  async () => {
    await addUsers("view", 2);
    await admin.walk("/admin/users/?q=view&status=active&sort=email", async (page) => {
      await page.locator(".row-open", { hasText: "view-0" }).waitFor();
      await page.getByRole("button", { name: "Columns" }).click();
      await page.getByRole("menuitemcheckbox", { name: "Account ID" }).click();
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Saved views" }).click();
      await page.getByRole("menuitem", { name: "Save this view" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name of the view").fill("Active ones");
      await dialog.getByLabel("Open the list with this view").check();
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "hidden" });
      // Another computer: nothing is in the storage of the browser.
      await page.evaluate(() => localStorage.clear());
      await page.goto(`${new URL(page.url()).origin}/admin/users/`);
      await page.waitForURL(/status=active/);
      expect(new URL(page.url()).searchParams.get("q")).toBe("view");
      await page.locator(".row-open", { hasText: "view-1" }).waitFor();
      expect(await page.getByRole("columnheader", { name: "Account ID" }).count()).toBe(0);
      await page.getByRole("button", { name: "Clear filters" }).click();
      await page.locator(".row-open", { hasText: "ada@example.org" }).waitFor();
      await page.getByRole("button", { name: "Saved views" }).click();
      await page.getByRole("menuitemcheckbox", { name: "Active ones (default)" }).click();
      await page.waitForURL(/status=active/);
      await page.getByRole("button", { name: "Saved views" }).click();
      await page.getByRole("menuitem", { name: "Remove “Active ones”" }).click();
      await page.goto(`${new URL(page.url()).origin}/admin/users/`);
      await page.locator(".row-open", { hasText: "ada@example.org" }).waitFor();
    });
  },
  testMsMax,
);

test(
  "limits of the buyers of a plan are set beside it, spending in dollars, and explained",
  async () => {
    const { db } = admin.web.rig;
    await db.sql`
      insert into plan (plan_code, name, kind, price_usd, quota, features)
      values ('limited', 'Limited', 'monthly', 5, 2500000, '[]')`;
    await admin.walk("/admin/plans/?open=limited", async (page, watched) => {
      await page.getByRole("button", { name: "Edit limits of this plan" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Requests per minute").fill("60");
      await dialog.getByLabel("Spending per day, USD").fill("much");
      await dialog.getByLabel("Reason").fill("what the plan promises");
      await dialog.getByRole("button", { name: "Save limits" }).click();
      await dialog.getByText("Enter an amount in US dollars above 0").waitFor();
      expect(await watched.axe()).toEqual([]);
      await dialog.getByLabel("Spending per day, USD").fill("2.50");
      await dialog.getByRole("button", { name: "Save limits" }).click();
      await page.getByText("The limits were saved and apply now.").waitFor();
      await page.getByText("60, from plan limited").waitFor();
      await page.getByRole("button", { name: "Edit limits of this plan" }).click();
      expect(await dialog.getByLabel("Spending per day, USD").inputValue()).toBe("2.50");
      await dialog.getByRole("button", { name: "Cancel" }).click();
    });
    const [row] = await db.sql<{ spend_per_day: bigint }>`
      select spend_per_day from account_limit where scope = 'plan' and plan_code = 'limited'`;
    expect(row?.spend_per_day).toBe(1_250_000n);
  },
  testMsMax,
);

test(
  "a link to a row opens it, whatever page it is on, and says so if it does not exist",
  async () => {
    await addUsers("many", 30);
    const [oldest] = await admin.web.rig.db.sql<{ id: bigint; email: string }>`
      select id, email from user_profile order by created_at, id limit 1`;
    await admin.walk(`/admin/users/?open=${oldest?.id}`, async (page) => {
      await page.locator(".side-panel h2", { hasText: oldest?.email ?? "" }).waitFor();
      expect(await page.locator(".row-open", { hasText: oldest?.email ?? "" }).count()).toBe(0);
    });
    await admin.walk("/admin/users/?open=999999999", async (page) => {
      await page.getByText("The row that this link names does not exist.").waitFor();
    });
  },
  testMsMax,
);

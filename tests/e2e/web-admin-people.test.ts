import { afterAll, beforeAll, expect, test } from "bun:test";
import { createAdmin } from "@sluice/control-plane/accounts/admins/command-admins.ts";
import { AccountClient } from "../support/accounts/account-client.ts";
import { Authenticator } from "../support/accounts/authenticator.ts";
import { loginUser } from "../support/accounts/logins.ts";
import { AdminWeb } from "../support/web/admin-web.ts";
import { countActs } from "../support/web/count-acts.ts";

const testMsMax = 300_000;

let admin: AdminWeb;

beforeAll(async () => {
  admin = await AdminWeb.start();
});

afterAll(() => admin?.close());

test(
  "a user is found, changed in the loaded version, and suspended only after the email address was typed",
  async () => {
    await admin.walk(
      "/admin/users/?q=ada",
      async (page) => {
        const acts = await countActs(page, admin.web.sluice.url);
        await page.getByRole("button", { name: "ada@example.org", exact: true }).click();
        const panel = page.getByRole("complementary");
        await panel.getByRole("button", { name: "Suspend" }).click();
        const suspend = page.getByRole("dialog").getByRole("button", { name: "Suspend now" });
        expect(await suspend.isDisabled()).toBe(true);
        await page.getByRole("dialog").getByLabel("Type ada@example.org to confirm").fill("ada@example.org");
        await suspend.click();
        const reactivate = panel.getByRole("button", { name: "Reactivate" });
        await reactivate.waitFor();
        // The row, Suspend, the address, and Suspend now.
        expect(acts).toEqual({ clicks: 3, fields: 1 });
        await reactivate.click();
        await page.getByText("The user is active again.").waitFor();
        await page.getByRole("link", { name: "Open user" }).click();
        await page.getByRole("button", { name: "Edit user" }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("Name").fill("Ada L.");
        // Someone else was quicker: nothing is overwritten.
        await admin.web.rig.db.sql`update user_profile set updated_at = now() where email = 'ada@example.org'`;
        await dialog.getByRole("button", { name: "Save user" }).click();
        await dialog.getByText("Nothing was changed").waitFor();
        await page.reload();
        await page.getByRole("button", { name: "Edit user" }).click();
        await page.getByRole("dialog").getByLabel("Name").fill("Ada L.");
        await page.getByRole("dialog").getByRole("button", { name: "Save user" }).click();
        await page.getByText("The user was saved.").waitFor();
        await page.getByText("Ada L.").waitFor();
        await page.getByRole("button", { name: "Suspend" }).waitFor();
      },
      { expectedStatuses: [409] },
    );
  },
  testMsMax,
);

test(
  "a user is suspended and activated from the row, with a reason, by pointer and by keys",
  async () => {
    const { userId, email } = await loginUser(admin.web.rig);
    await admin.walk(`/admin/users/?q=${email}`, async (page) => {
      const acts = await countActs(page, admin.web.sluice.url);
      const row = page.locator(`[data-row="${userId}"]`);
      const dialog = page.getByRole("dialog");
      await row.hover();
      await page.getByRole("button", { name: `Suspend: ${email}` }).click();
      await dialog.getByLabel("Reason").fill("asked for by phone");
      await dialog.getByRole("button", { name: "Suspend: 1 row" }).click();
      await page.locator(".toast", { hasText: `${email}: done` }).waitFor();
      await row.getByText("suspended").waitFor();
      // Suspend, the reason, and Suspend again.
      expect(acts).toEqual({ clicks: 2, fields: 1 });
      // The focus is back in the row, whose buttons are seen there.
      const label = (): Promise<string | null> => page.evaluate("document.activeElement.ariaLabel");
      for (let presses = 0; presses < 5 && (await label()) !== `Activate: ${email}`; presses += 1) {
        await page.keyboard.press("Tab");
      }
      expect(
        await page.evaluate("getComputedStyle(document.activeElement.closest('.row-actions > div')).opacity"),
      ).toBe("1");
      await page.keyboard.press("Enter");
      await dialog.getByLabel("Reason").fill("asked for by phone");
      await dialog.getByRole("button", { name: "Activate: 1 row" }).press("Enter");
      await row.getByText("active").waitFor();
    });
  },
  testMsMax,
);

test(
  "an admin is created, sent a link, given rights and locked out; one's own account is left alone",
  async () => {
    await admin.walk("/admin/admins/", async (page) => {
      await page.getByRole("button", { name: "Create an admin" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Username").fill("berta");
      await dialog.getByLabel("E-mail").fill("berta@example.org");
      await dialog.getByLabel("Reason").fill("new in support");
      await dialog.getByRole("button", { name: "Create admin" }).click();
      await page.getByText("a link is on its way to berta@example.org").waitFor();
      await page.locator(".row-open", { hasText: "berta" }).click();
      const act = async (title: string, said: string) => {
        await page.locator(".side-panel").getByRole("button", { name: title }).click();
        await dialog.getByLabel("Reason").fill("as was agreed");
        await (title === "Disable" ? dialog.getByLabel("Type berta to confirm").fill("berta") : null);
        await dialog.getByRole("button", { name: title }).click();
        await page.getByText(said).first().waitFor();
      };
      await act("Send password link", "A link is on its way to berta@example.org.");
      await act("Make super-admin", "berta was changed.");
      await act("Disable", "berta was changed.");
      await page.locator(".side-panel").getByRole("button", { name: "Make admin again" }).waitFor();
      await page.keyboard.press("Escape");
      await page.locator(".row-open").first().click();
      await page.getByText("This is you").waitFor();
      expect(await page.locator(".side-panel").getByRole("button", { name: "Disable" }).count()).toBe(0);
    });
  },
  testMsMax,
);

test(
  "an admin sets up an authenticator, logs in with a recovery code, and ends the other sessions",
  async () => {
    const password = "correct horse battery";
    const made = { username: "keeper", email: null, mobile: null, password, isSuper: false };
    await admin.web.rig.db.withTransaction((tx) => createAdmin(tx, made, "test"));
    const client = new AccountClient(admin.web.sluice);
    const { cookie } = await client.post("/backend/auth/admin/login/", { login: "keeper", password });
    await admin.walk(
      "/admin/account/",
      async (page) => {
        const card = page.getByRole("region", { name: "Authenticator" });
        await card.getByLabel("Your password").fill(password);
        await card.getByRole("button", { name: "Set up" }).click();
        const authenticator = new Authenticator((await card.locator("code").first().textContent()) ?? "");
        await card.getByLabel("Code").fill(await authenticator.next());
        await card.getByRole("button", { name: "Turn on" }).click();
        await card.locator("[data-codes]").waitFor();
        const codes = await card.locator("[data-codes] code").allTextContents();
        await card.getByRole("button", { name: "I have saved them" }).click();
        await card.getByText("Recovery codes left: 10").waitFor();
        await page.context().clearCookies();
        await page.goto("/admin/account/");
        await page.getByLabel("Username, e-mail or mobile number").fill("keeper");
        await page.getByLabel("Password").fill(password);
        await page.getByRole("button", { name: "Log in" }).click();
        await page.getByLabel("Code from your authenticator, or a recovery code").fill(codes[7] ?? "");
        await page.getByLabel("Password").fill(password);
        await page.getByRole("button", { name: "Log in" }).click();
        await card.getByText("Recovery codes left: 9").waitFor();
        await page.getByRole("button", { name: "End all others" }).click();
        await page.getByText("One session has ended.").waitFor();
        await page.getByText("this one").waitFor();
      },
      { cookie, expectedStatuses: [401] },
    );
  },
  testMsMax,
);

test(
  "a super-admin removes the authenticator of a user who lost it, with a reason, and ends the user's sessions",
  async () => {
    const user = await loginUser(admin.web.rig, { email: "lost@example.org" });
    await admin.web.rig.db.sql`
      update user_profile set totp_sealed = '\\x00', totp_enabled_at = now() where id = ${user.userId}::bigint`;
    await admin.walk(`/admin/users/${user.userId}/`, async (page) => {
      const dialog = page.getByRole("dialog");
      await page.getByRole("button", { name: "End sessions" }).click();
      await dialog.getByRole("button", { name: "End sessions" }).click();
      await page.getByText("All sessions of the user have ended.").waitFor();
      await page.getByRole("button", { name: "Remove authenticator" }).click();
      await dialog.getByRole("button", { name: "Remove now" }).click();
      await dialog.getByText("Describe how you verified the person's identity.").waitFor();
      await dialog.getByLabel("Reason").fill("seen on the phone");
      await dialog.getByRole("button", { name: "Remove now" }).click();
      await page.locator("dt:text-is('Authenticator') + dd", { hasText: "off" }).waitFor();
    });
    await admin.walk(
      `/admin/users/${user.userId}/`,
      async (page) => {
        await page.getByRole("button", { name: "End sessions" }).waitFor();
        expect(await page.getByRole("button", { name: "Remove authenticator" }).count()).toBe(0);
      },
      { cookie: admin.plainAdmin },
    );
  },
  testMsMax,
);

import { afterAll, beforeAll, expect, test } from "bun:test";
import { createAdmin } from "@sluice/control-plane/accounts/admins/command-admins.ts";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import type { Page } from "playwright-core";
import { AccountClient } from "../support/accounts/account-client.ts";
import { Authenticator } from "../support/accounts/authenticator.ts";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { chat } from "../support/calls/chat-call.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { leaveUntakenNotice } from "../support/payments/untaken-notice.ts";
import { TestBrowser, type WatchedPage } from "../support/web/browser.ts";
import { startWebRig, type WebRig } from "../support/web/web-rig.ts";

const testMsMax = 60_000;
const narrowest = { width: 320, height: 640 };

let provider: ReturnType<typeof startSandboxProvider>;
let web: WebRig;
let browser: TestBrowser;
let plainAdmin: string;

beforeAll(async () => {
  provider = startSandboxProvider();
  [web, browser] = await Promise.all([startWebRig(provider.url), TestBrowser.launch()]);
  plainAdmin = (await loginAdmin(web.rig, { isSuper: false })).cookie;
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await web?.close();
  await provider?.stop();
});

/** Walks over a page as an admin; nothing may go wrong in it, axe finds nothing at its end, and it fits a small phone. */
async function walk(
  path: string,
  steps: (page: Page, watched: WatchedPage) => Promise<void>,
  { cookie = web.cookies.admin ?? "", expectedStatuses = [] as readonly number[] } = {},
): Promise<void> {
  const watched = await browser.open({ url: web.sluice.url, cookie, expectedStatuses });
  try {
    await watched.page.goto(path);
    await steps(watched.page, watched);
    const found = await watched.axe();
    await watched.page.setViewportSize(narrowest);
    const overflow = await watched.page.evaluate<number>(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    expect({ found, overflow, faults: watched.faults }).toEqual({ found: [], overflow: 0, faults: [] });
  } finally {
    await watched.close();
  }
}

test(
  "quota is granted after a preview, with a reason, and once",
  async () => {
    await walk("/admin/manual-adjust/", async (page) => {
      await page.getByLabel("Find the user").fill("ada@");
      await page.getByLabel("Find the user").press("Enter");
      await page.getByRole("button", { name: /^ada@example\.org/ }).click();
      await page.getByLabel("Amount, quota").fill("500000");
      await page.getByRole("button", { name: "Preview" }).click();
      // The form names what is missing before it sends anything.
      await page.getByText("Give a reason of at least three characters.").waitFor();
      await page.getByLabel("Reason", { exact: false }).fill("goodwill after an outage");
      await page.getByRole("button", { name: "Preview" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("$6.00").waitFor();
      await dialog.getByRole("button", { name: "Add quota" }).click();
      await page.getByText(/\$5\.00 became \$6\.00/).waitFor();
      await page.getByRole("cell", { name: "goodwill after an outage" }).waitFor();
    });
    expect(await web.rig.checkMoney()).toEqual([]);
  },
  testMsMax,
);

test(
  "a gateway message is processed again, its order is paid, and its refund is previewed",
  async () => {
    await leaveUntakenNotice(web.rig.db, "SNOTICE");
    await walk("/admin/payments/?tab=notices", async (page) => {
      await page.getByRole("button", { name: "evt_cut_off" }).click();
      await page.getByRole("button", { name: "Process again" }).click();
      await page.getByText("Processed again: settled.").waitFor();
      await page.getByText("It settled its order.").waitFor();
      expect(await page.getByRole("button", { name: "Process again" }).count()).toBe(0);
    });
    await walk("/admin/orders/?open=SNOTICE", async (page) => {
      await page.getByRole("button", { name: "Refund", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("$10.00 of the remaining $10.00").waitFor();
      await dialog.getByLabel("Amount, USD").fill("4");
      await dialog.getByText("it can only be refunded in full").waitFor();
      await dialog.getByText("$4.00 of the remaining $10.00").waitFor();
    });
    expect(await web.rig.db.sql`select 1 from sales_order where status = 'settled'`).toHaveLength(1);
    expect(await web.rig.checkMoney()).toEqual([]);
  },
  testMsMax,
);

test(
  "a user is found, changed in the loaded version, and suspended only after the email address was typed",
  async () => {
    await walk(
      "/admin/users/?q=ada",
      async (page) => {
        await page.getByRole("button", { name: "ada@example.org" }).click();
        await page.getByRole("link", { name: "Open user" }).click();
        await page.getByRole("button", { name: "Edit user" }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("Name").fill("Ada L.");
        // Someone else was quicker: nothing is overwritten.
        await web.rig.db.sql`update user_profile set updated_at = now() where email = 'ada@example.org'`;
        await dialog.getByRole("button", { name: "Save user" }).click();
        await dialog.getByText("Nothing was changed").waitFor();
        await page.reload();
        await page.getByRole("button", { name: "Edit user" }).click();
        await page.getByRole("dialog").getByLabel("Name").fill("Ada L.");
        await page.getByRole("dialog").getByRole("button", { name: "Save user" }).click();
        await page.getByText("The user was saved.").waitFor();
        await page.getByText("Ada L.").waitFor();
        await page.getByRole("button", { name: "Suspend" }).click();
        const suspend = page.getByRole("dialog").getByRole("button", { name: "Suspend now" });
        expect(await suspend.isDisabled()).toBe(true);
        await page.getByRole("dialog").getByLabel("Type ada@example.org to confirm").fill("ada@example.org");
        await suspend.click();
        await page.getByRole("button", { name: "Reactivate" }).click();
        await page.getByText("The user is active again.").waitFor();
      },
      { expectedStatuses: [409] },
    );
  },
  testMsMax,
);

test(
  "a plan gets another price, and the preview shows what buyers will see",
  async () => {
    await walk("/admin/plans/?open=credit-10", async (page) => {
      await page.getByRole("button", { name: "Edit plan" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Price, USD").fill("12.50");
      await dialog.getByText("$12.50").waitFor();
      await dialog.getByRole("button", { name: "Save plan" }).click();
      await page.getByText("The plan was saved.").waitFor();
      await page.getByRole("cell", { name: "$12.50" }).waitFor();
    });
  },
  testMsMax,
);

test(
  "a model gets a new version of its prices, and a name in the model map leads to it",
  async () => {
    await walk("/admin/models/?open=gpt-4o-mini", async (page) => {
      await page.getByRole("button", { name: "Edit model" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Input, USD per M", { exact: true }).fill("0.2");
      await dialog
        .getByText("0.15 → 0.2")
        .or(dialog.getByText(/^0\.15\d* → 0\.2$/))
        .first()
        .waitFor();
      await dialog.getByRole("button", { name: "Save model" }).click();
      await page.getByText("its prices are version 2").waitFor();
    });
    await walk("/admin/model-map/", async (page) => {
      await page.getByRole("button", { name: "New name" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name clients use").fill("claude-test");
      await dialog.getByLabel("Display name").fill("Claude test");
      await dialog.getByLabel("Model", { exact: true }).fill("gpt-4o-mini");
      await dialog.getByLabel("Release date").fill("2026-05-01T00:00:00Z");
      await dialog.getByLabel("Flags").fill('{"vision": true}');
      await dialog.getByRole("button", { name: "Add name" }).click();
      await page.getByRole("button", { name: "claude-test" }).click();
      await page.getByRole("link", { name: "Test this name" }).click();
      await page.getByText("A call with this name reaches a channel.").waitFor();
      await page.getByRole("link", { name: "first" }).waitFor();
    });
  },
  testMsMax,
);

test(
  "a payload is read by a super-admin with a reason, and by no other admin",
  async () => {
    const user = await web.rig.addUser();
    const call = await chat({ url: web.sluice.url, apiKey: user.apiKey }, { model: "gpt-4o-mini" });
    expect(call.status).toBe(200);
    await waitUntil(async () => {
      const rows = await web.rig.db.sql`
        select 1 from trace_record t join payload_record using (day, request_id)
        where t.request_id = ${call.requestId}::uuid`;
      return rows.length === 1;
    }, 30_000);
    const address = `/admin/trace/${call.requestId}/`;
    await walk(
      address,
      async (page) => {
        await page.getByText("Payloads can be read by super-admins only.").waitFor();
        expect(await page.getByRole("button", { name: "Decrypt" }).count()).toBe(0);
      },
      { cookie: plainAdmin },
    );
    await walk("/admin/trace/", async (page) => {
      await page.getByLabel("Request id").fill(call.requestId ?? "");
      await page.getByLabel("Request id").press("Enter");
      await page.locator(".row-open").click();
      await page.getByRole("link", { name: "Open call" }).click();
      // The attempt at the channel that responded.
      await page.getByRole("region", { name: "Attempts, rows" }).getByText("first").waitFor();
      await page.getByRole("button", { name: "Decrypt" }).click();
      await page.getByText("Give a reason of at least five characters.").waitFor();
      await page.getByLabel("Reason").fill("the customer asked us to look");
      await page.clock.install();
      await page.getByRole("button", { name: "Decrypt" }).click();
      await page.getByRole("region", { name: "Request, content" }).getByText("Hello").waitFor();
      // The page shows none of it five minutes later.
      await page.clock.runFor(301_000);
      await page.getByRole("button", { name: "Decrypt" }).waitFor();
      expect(await page.getByText("Hello").count()).toBe(0);
      await page.getByRole("cell", { name: "the customer asked us to look" }).waitFor();
    });
  },
  testMsMax,
);

test(
  "an admin is created, sent a link, given rights and locked out; one's own account is left alone",
  async () => {
    await walk("/admin/admins/", async (page) => {
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
    await web.rig.db.withTransaction((tx) => createAdmin(tx, made, "test"));
    const client = new AccountClient(web.sluice);
    const { cookie } = await client.post("/backend/auth/admin/login/", { login: "keeper", password });
    await walk(
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
    const user = await loginUser(web.rig, { email: "lost@example.org" });
    await web.rig.db.sql`
      update user_profile set totp_sealed = '\\x00', totp_enabled_at = now() where id = ${user.userId}::bigint`;
    await walk(`/admin/users/${user.userId}/`, async (page) => {
      const dialog = page.getByRole("dialog");
      await page.getByRole("button", { name: "End sessions" }).click();
      await dialog.getByRole("button", { name: "End sessions" }).click();
      await page.getByText("All sessions of the user have ended.").waitFor();
      await page.getByRole("button", { name: "Remove authenticator" }).click();
      await dialog.getByRole("button", { name: "Remove now" }).click();
      await dialog.getByText("Say how you verified the person's identity.").waitFor();
      await dialog.getByLabel("Reason").fill("seen on the phone");
      await dialog.getByRole("button", { name: "Remove now" }).click();
      await page.locator("dt:text-is('Authenticator') + dd", { hasText: "off" }).waitFor();
    });
    await walk(
      `/admin/users/${user.userId}/`,
      async (page) => {
        await page.getByRole("button", { name: "End sessions" }).waitFor();
        expect(await page.getByRole("button", { name: "Remove authenticator" }).count()).toBe(0);
      },
      { cookie: plainAdmin },
    );
  },
  testMsMax,
);

test(
  "a refund requires a reason and the order number, and returns money and quota once",
  async () => {
    const buyer = await loginUser(web.rig);
    const watched = await browser.open({ url: web.sluice.url, cookie: buyer.cookie });
    try {
      await watched.page.goto("/console/billing/");
      await watched.page
        .getByRole("button", { name: /^Buy: / })
        .first()
        .click();
      await watched.page.getByRole("button", { name: "Settle without a payment" }).click();
      await watched.page.getByText(/The order was settled/).waitFor();
    } finally {
      await watched.close();
    }
    const [order] = await web.rig.db.sql<{ order_no: string }>`
      select order_no from sales_order where user_id = ${buyer.userId}::bigint`;
    const orderNo = order?.order_no ?? "";
    await walk(`/admin/orders/?order_no=${orderNo}&open=${orderNo}`, async (page) => {
      const dialog = page.getByRole("dialog");
      await page.locator(".side-panel").getByRole("button", { name: "Refund", exact: true }).click();
      await dialog.getByLabel("Reason").fill("bought by mistake");
      await dialog.getByRole("button", { name: /^Refund/ }).click();
      await dialog.getByText("Type the order number.").waitFor();
      await dialog.getByLabel(`Type ${orderNo} to confirm`).fill(orderNo);
      await dialog.getByRole("button", { name: /^Refund/ }).click();
      await page.locator(".toast", { hasText: /^Refund \S+ is (done|pending)/ }).waitFor();
      await page.locator("tr .status", { hasText: "refunded" }).waitFor();
    });
    const refunds = await web.rig.db.sql`
      select 1 from refund r join sales_order o on o.id = r.order_id where o.order_no = ${orderNo} and r.reason = 'bought by mistake'`;
    expect(refunds).toHaveLength(1);
    expect(await web.rig.checkMoney()).toEqual([]);
  },
  testMsMax,
);

test(
  "a channel gets limits and one more model, responds to a test call, and is disabled by its name and enabled again",
  async () => {
    await web.rig.db.sql`insert into user_group (name) values ('a-group-of-a-test')`;
    await walk("/admin/upstreams/?open=1", async (page) => {
      const panel = page.locator(".side-panel");
      const dialog = page.locator("dialog[open]");
      const name = (await panel.getByRole("heading", { level: 2 }).textContent()) ?? "";
      await panel.getByRole("button", { name: "Edit channel" }).click();
      await dialog.getByLabel("Concurrent calls").fill("77");
      await dialog.getByRole("textbox", { name: "Reason" }).fill("a test of limits");
      await dialog.getByRole("button", { name: "Save channel" }).click();
      await panel.getByText("77 calls").waitFor();
      await panel.getByRole("button", { name: "Serve a model" }).click();
      await dialog.getByLabel("Model", { exact: true }).fill("gpt-4o-mini");
      await dialog.getByLabel("Group").fill("a-group-of-a-test");
      await dialog.getByRole("button", { name: "Save", exact: true }).click();
      await panel.getByRole("cell", { name: "a-group-of-a-test" }).waitFor();
      await panel.getByRole("button", { name: "Send test call" }).click();
      await panel.locator("dt:text-is('HTTP') + dd", { hasText: "200" }).waitFor();
      await panel.getByRole("button", { name: "Disable" }).click();
      expect(await dialog.getByRole("button", { name: "Disable" }).isDisabled()).toBe(true);
      await dialog.getByLabel(`Type ${name}`).fill(name);
      await dialog.getByRole("button", { name: "Disable" }).click();
      await panel.getByRole("button", { name: "Enable" }).click();
      await panel.getByRole("button", { name: "Disable" }).waitFor();
    });
  },
  testMsMax,
);

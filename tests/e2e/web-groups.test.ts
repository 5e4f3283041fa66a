import { afterAll, beforeAll, expect, test } from "bun:test";
import { endOverdueSubscriptions } from "@sluice/control-plane/payments/subscriptions/subscriptions.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { keptPages } from "../runner/lighter-program.ts";
import { consoleClient } from "../support/accounts/console-client.ts";
import { loginUser } from "../support/accounts/logins.ts";
import { chat } from "../support/calls/chat-call.ts";
import { makeKey } from "../support/calls/key-scene.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { LocalCardGateway } from "../support/payments/card-gateway.ts";
import { cardEnvironment, RenewalMonths } from "../support/payments/renewal-months.ts";
import { TestBrowser, type WatchedPage } from "../support/web/browser.ts";
import { countActs } from "../support/web/count-acts.ts";
import { PageTabs } from "../support/web/page-tabs.ts";
import { shownEmail, startWebRig, type WebRig } from "../support/web/web-rig.ts";

const testMsMax = 300_000;
/** What a call costs in the group that everyone has. */
const price = 1_000;

let provider: SandboxProvider;
let card: LocalCardGateway;
let web: WebRig;
let browser: TestBrowser;
let tabs: PageTabs;

beforeAll(async () => {
  provider = startSandboxProvider();
  card = new LocalCardGateway();
  [web, browser] = await Promise.all([
    startWebRig(provider.url, { ...cardEnvironment(card), ...keptPages }),
    TestBrowser.launch(),
  ]);
  tabs = new PageTabs(browser);
  await web.rig.addFlatPriceModel("flat", BigInt(price));
});

afterAll(async () => {
  await browser?.close();
  await web?.close();
  await card?.stop();
  await provider?.stop();
});

/** How often each has clicked. */
const clicks = { admin: 0, user: 0 };

async function as(
  who: "admin" | "user",
  path: string,
  look: (page: WatchedPage["page"], watched: WatchedPage) => Promise<void>,
  cookie = web.cookies[who] ?? "",
): Promise<void> {
  await tabs.walk({ url: web.sluice.url, cookie, hostedUrl: card.url }, async (watched) => {
    const acts = await countActs(watched.page, web.sluice.url);
    await watched.page.goto(path);
    await look(watched.page, watched);
    expect(watched.faults).toEqual([]);
    clicks[who] += acts.clicks;
  });
}

/** Makes a call, and returns what it was charged. */
async function call(apiKey: string): Promise<Charge | undefined> {
  const before = (await web.rig.db.sql`select 1 from usage_log`).length;
  const body = { model: "flat", messages: [{ role: "user", content: "Hi" }] };
  expect(await chat({ url: web.sluice.url, apiKey }, body)).toMatchObject({ status: 200 });
  const admin = consoleClient(web.sluice.url, web.cookies.admin ?? "");
  await waitUntil(async () => {
    await admin.post("/backend/admin/usage-settle/", {});
    return (await web.rig.db.sql`select 1 from settled_call`).length > before;
  });
  return await lastCharge();
}

type Charge = { readonly group_name: string; readonly rate_multiplier: string; readonly quota: bigint };

async function lastCharge(): Promise<Charge | undefined> {
  const [row] = await web.rig.db.sql<Charge>`
    select u.group_name, u.rate_multiplier, coalesce(s.settled_quota, u.quota) as quota from usage_log u
    join settled_call s using (day, request_id) order by u.started_at desc, u.request_id desc limit 1`;
  return row;
}

test(
  "an operator makes a tier with a plan; a customer buys it, pays its prices, and the old ones after the month",
  async () => {
    await as("admin", "/admin/groups/", async (page, { axe }) => {
      await page.getByRole("button", { name: "New group" }).click();
      const dialog = page.locator("dialog[open]");
      expect(await axe()).toEqual([]);
      await dialog.getByLabel("Name").fill("pro");
      await dialog.getByLabel("Multiplier").fill("0.35");
      await dialog.getByLabel("Who may use it").selectOption("plan");
      await dialog.getByLabel("Rank").fill("10");
      await dialog.getByLabel("Reason").fill("A tier for regular customers.");
      await dialog.getByRole("button", { name: "Create group" }).click();
      await page.getByRole("link", { name: "pro", exact: true }).click();
      await page.getByText("No channel serves this group").waitFor();
      expect(await axe()).toEqual([]);
    });
    await as("admin", "/admin/models/?tab=abilities", async (page) => {
      await page.getByRole("button", { name: "Add ability" }).click();
      const dialog = page.locator("dialog[open]");
      await dialog.getByLabel("Group").fill("pro");
      await dialog.getByLabel("Model").fill("flat");
      await dialog.getByLabel("Channel ID").fill("1");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved. It applies now.").waitFor();
    });
    await as("admin", "/admin/plans/", async (page, { axe }) => {
      await page.getByRole("button", { name: "New plan" }).click();
      const dialog = page.locator("dialog[open]");
      await dialog.getByLabel("Code").fill("pro-20");
      await dialog.getByRole("textbox", { name: "Name" }).fill("Pro");
      await dialog.getByLabel("Kind").selectOption("monthly");
      await dialog.getByLabel("Status").selectOption("active");
      await dialog.getByLabel("Price, USD").fill("20");
      await dialog.getByLabel("Grants, USD of balance").fill("20");
      await dialog.getByLabel("Group").selectOption("pro");
      expect(await axe()).toEqual([]);
      await dialog.getByRole("button", { name: "Create plan" }).click();
      await page.getByText("The plan was saved.").waitFor();
    });
    const user = consoleClient(web.sluice.url, web.cookies.user ?? "");
    const { secret } = await makeKey(user, { name: "before the plan" });
    expect(await call(secret)).toEqual({ group_name: "default", rate_multiplier: "1.0000", quota: 1_000n });
    await as("user", "/console/billing/?plan=pro-20", async (page, { axe }) => {
      const dialog = page.locator("dialog[open]");
      // The link names the plan, so its dialog is open.
      await dialog.getByRole("button", { name: "Simulate payment (test)" }).click();
      await page.getByText("The order is paid.").waitFor();
      await page.getByText("Until your month ends, your calls use the group pro: each price × 0.35.").waitFor();
      expect(await axe()).toEqual([]);
    });
    // A group with its ability and its plan, and then the purchase.
    expect(clicks).toEqual({ admin: 7, user: 1 });
    expect(await call(secret)).toEqual({ group_name: "pro", rate_multiplier: "0.3500", quota: 350n });
    await as("user", "/console/upstreams/", async (page, { axe }) => {
      await page.getByLabel("Group").waitFor();
      expect(await page.getByLabel("Group").inputValue()).toBe("pro");
      expect(await axe()).toEqual([]);
    });
    await as("admin", "/admin/groups/pro/?tab=users", async (page) => {
      await page.getByRole("link", { name: shownEmail }).waitFor();
      await page.getByRole("tab", { name: "Plans" }).click();
      await page.getByText("pro-20").waitFor();
    });
    const named = await makeKey(user, { name: "for the tier only", group: "pro" });
    // The month is over; the job that ends it has not run yet, and then it has.
    await web.rig.db.sql`
      update subscription set period_start = period_start - interval '2 months',
        period_end = period_start - interval '2 months' + interval '1 month'`;
    await waitUntil(async () => (await call(secret))?.group_name === "default");
    await endOverdueSubscriptions(web.rig.db);
    expect(await call(secret)).toEqual({ group_name: "default", rate_multiplier: "1.0000", quota: 1_000n });
    const refused = await chat(
      { url: web.sluice.url, apiKey: named.secret },
      { model: "flat", messages: [{ role: "user", content: "Hi" }] },
    );
    expect(refused).toMatchObject({ status: 403, code: "group_unavailable" });
    await as("user", `/console/keys/?open=${named.key.key_id}`, async (page, { axe }) => {
      await page.getByText("Your account no longer has the group pro").waitFor();
      expect(await axe()).toEqual([]);
      await page.getByRole("button", { name: "Limits" }).click();
      const dialog = page.locator("dialog[open]");
      await dialog.getByLabel("Group").selectOption("");
      await dialog.getByRole("button", { name: "Save limits" }).click();
      await page.getByText("The limits were saved.").waitFor();
    });
    await waitUntil(
      async () =>
        (
          await chat(
            { url: web.sluice.url, apiKey: named.secret },
            { model: "flat", messages: [{ role: "user", content: "Hi" }] },
          )
        ).status === 200,
    );
    expect(await web.rig.checkMoney()).toEqual([]);
  },
  testMsMax,
);

test(
  "a plan renews for six months with two failed charges: its customer reads what happens, and keeps or loses plan and tier",
  async () => {
    clicks.admin = 0;
    await as("admin", "/admin/plans/?open=pro-20", async (page) => {
      await page.getByRole("button", { name: "Edit plan" }).click();
      const dialog = page.locator("dialog[open]");
      await dialog.getByLabel("Customers can pay for").selectOption("yes");
      await dialog.getByRole("button", { name: "Save plan" }).click();
      await page.getByText("The plan was saved.").waitFor();
    });
    const customer = await loginUser(web.rig, { quota: 500_000n });
    const { secret } = await makeKey(consoleClient(web.sluice.url, customer.cookie), { name: "renewed" });
    const months = new RenewalMonths(web.rig, web.sluice, card);
    const billing = (path: string, look: Parameters<typeof as>[2]) => as("user", path, look, customer.cookie);
    clicks.user = 0;
    let returnPath = "";
    // A link to a plan that renews offers both ways to pay for it, and begins with the one that renews.
    await billing("/console/billing/?plan=pro-20", async (page, { axe }) => {
      const dialog = page.locator("dialog[open]");
      await dialog.getByRole("heading", { name: "Subscribe to Pro" }).waitFor();
      await dialog.getByRole("button", { name: "Buy one month" }).click();
      await dialog.getByRole("button", { name: "Simulate payment (test)" }).waitFor();
      expect(await axe()).toEqual([]);
      await dialog.getByRole("button", { name: "Close" }).click();
      await page.waitForURL((url) => !url.searchParams.has("plan"));
      expect(await dialog.count()).toBe(0);
    });
    clicks.user = 0;
    await billing("/console/billing/", async (page, { axe }) => {
      await page.getByRole("button", { name: "Subscribe: Pro" }).click();
      const dialog = page.locator("dialog[open]");
      await dialog.getByText("Your card is charged $20.00 now and every month until you cancel.").waitFor();
      expect(await axe()).toEqual([]);
      await dialog.getByRole("button", { name: "Go to payment" }).click();
      // The gateway's page: no card data is entered here.
      await page.getByRole("button", { name: "Pay $20.00" }).click();
      const back = (await page.getByRole("link", { name: "Return" }).getAttribute("href")) ?? "";
      const { pathname, search } = new URL(back);
      returnPath = `${pathname}${search}`;
    });
    expect(clicks).toEqual({ admin: 2, user: 2 });
    await months.deliver();
    await billing(returnPath, async (page, { axe }) => {
      const plan = page.getByRole("region", { name: "Subscriptions" });
      await plan.getByText(/^\$20\.00 on /).waitFor();
      await page.locator(".sidebar-balance", { hasText: "$21.00" }).waitFor();
      expect(await axe()).toEqual([]);
    });
    expect(await call(secret)).toEqual({ group_name: "pro", rate_multiplier: "0.3500", quota: 350n });
    await months.begin(1);
    card.subscriptions.isCardGood = false;
    await months.begin(2);
    const failed =
      /^The last charge failed\. You keep the plan until .*\. To keep it longer, change the payment method\.$/;
    await billing("/console/billing/", async (page, { axe }) => {
      const plan = page.getByRole("region", { name: "Subscriptions" });
      await plan.getByText(failed).waitFor();
      await plan.getByText("payment failed", { exact: true }).waitFor();
      expect(await axe()).toEqual([]);
      await plan.getByRole("button", { name: "Change payment method" }).click();
      await page.getByRole("button", { name: "Save another card" }).click();
      await page.getByRole("heading", { name: "Saved" }).waitFor();
    });
    expect(clicks.user).toBe(3);
    const [{ renewal_no: renewalNo } = { renewal_no: "" }] = await web.rig.db.sql<{ renewal_no: string }>`
      select renewal_no from renewal where user_id = ${customer.userId}::bigint`;
    card.subscriptions.retry(renewalNo);
    await months.deliver();
    await billing("/console/billing/", async (page) => {
      const plan = page.getByRole("region", { name: "Subscriptions" });
      await plan.getByText("active", { exact: true }).waitFor();
      expect(await page.getByText(failed).count()).toBe(0);
    });
    expect(await call(secret)).toMatchObject({ group_name: "pro" });
    await months.begin(3);
    await months.begin(4);
    card.subscriptions.isCardGood = false;
    await months.begin(5);
    // The days of grace: the plan is kept, and then it is not.
    await months.pass(5, 2);
    await billing("/console/billing/", async (page) => {
      await page.getByRole("region", { name: "Subscriptions" }).getByText(failed).waitFor();
    });
    expect(await call(secret)).toMatchObject({ group_name: "pro" });
    await months.pass(5, 3);
    await billing("/console/billing/", async (page, { axe }) => {
      await page.getByRole("region", { name: "Subscriptions" }).getByText("ended", { exact: true }).waitFor();
      expect(await page.getByText(failed).count()).toBe(0);
      // What was bought with the months ended with them; what was there before is left.
      await page.locator(".sidebar-balance", { hasText: "$1.00" }).waitFor();
      await page.getByRole("button", { name: "Subscribe: Pro" }).waitFor();
      expect(await axe()).toEqual([]);
    });
    expect(await call(secret)).toMatchObject({ group_name: "default" });
    await as("admin", `/admin/mail/?to=${encodeURIComponent(customer.email)}`, async (page) => {
      await page.getByRole("cell", { name: "renewal_ended" }).waitFor();
      expect(await page.getByRole("cell", { name: "renewal_failed" }).count()).toBe(2);
      expect(await page.getByRole("cell", { name: "payment_success" }).count()).toBe(5);
    });
    expect(await web.rig.checkMoney()).toEqual([]);
  },
  testMsMax,
);

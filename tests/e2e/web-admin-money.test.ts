import { afterAll, beforeAll, expect, test } from "bun:test";
import { loginUser } from "../support/accounts/logins.ts";
import { leaveUntakenNotice } from "../support/payments/untaken-notice.ts";
import { AdminWeb } from "../support/web/admin-web.ts";
import { countActs } from "../support/web/count-acts.ts";
import { shownEmail } from "../support/web/web-rig.ts";

const testMsMax = 300_000;

let admin: AdminWeb;

beforeAll(async () => {
  admin = await AdminWeb.start({
    CARDPAY_API_URL: "http://127.0.0.1:9",
    CARDPAY_SECRET_KEY: "sk_test_walk0123456789abcdef",
    CARDPAY_WEBHOOK_SECRET: "whsec_walk0123456789abcdef",
  });
});

afterAll(() => admin?.close());

test(
  "quota is granted after a preview, with a reason, and once",
  async () => {
    await admin.walk("/admin/users/?q=ada", async (page) => {
      const acts = await countActs(page, admin.web.sluice.url);
      await page.locator("tr", { hasText: "ada@example.org" }).hover();
      await page.getByRole("link", { name: "Adjust balance: ada@example.org" }).click();
      await page.getByLabel("Amount, USD").fill("1");
      await page.getByLabel("Reason", { exact: false }).fill("goodwill after an outage");
      await page.getByRole("button", { name: "Preview" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("$6.00").waitFor();
      await dialog.getByText("ada@example.org, account").waitFor();
      await dialog.getByRole("button", { name: "Add" }).click();
      await page.getByText(/\$5\.00 became \$6\.00/).waitFor();
      await page.getByRole("cell", { name: "goodwill after an outage" }).waitFor();
      // Adjust balance, Preview, Add; the amount and the reason.
      expect(acts).toEqual({ clicks: 3, fields: 2 });
    });
    await admin.walk("/admin/manual-adjust/", async (page) => {
      await page.getByLabel("Find the user").fill("ada@");
      await page.getByLabel("Find the user").press("Enter");
      await page.getByRole("button", { name: /^ada@example\.org/ }).click();
      await page.getByLabel("Amount, USD").fill("1");
      await page.getByRole("button", { name: "Preview" }).click();
      // The form names what is missing before it sends anything.
      await page.getByText("Give a reason of at least three characters.").waitFor();
    });
    expect(await admin.web.rig.checkMoney()).toEqual([]);
  },
  testMsMax,
);

test(
  "a gateway message is processed again, its order is paid, and its refund is previewed",
  async () => {
    await leaveUntakenNotice(admin.web.rig.db, "SNOTICE");
    await admin.walk("/admin/payments/?tab=notices", async (page) => {
      await page.getByRole("button", { name: "evt_cut_off" }).click();
      await page.getByRole("button", { name: "Process again" }).click();
      await page.getByText("Processed again: settled.").waitFor();
      await page.getByText("It settled its order.").waitFor();
      expect(await page.getByRole("button", { name: "Process again" }).count()).toBe(0);
    });
    await admin.walk("/admin/orders/?open=SNOTICE", async (page) => {
      await page.getByRole("button", { name: "Refund", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("$10.00 of the remaining $10.00").waitFor();
      await dialog.getByLabel("Amount, USD").fill("4");
      await dialog.getByText("it can only be refunded in full").waitFor();
      await dialog.getByText("$4.00 of the remaining $10.00").waitFor();
    });
    expect(await admin.web.rig.db.sql`select 1 from sales_order where status = 'settled'`).toHaveLength(1);
    expect(await admin.web.rig.checkMoney()).toEqual([]);
  },
  testMsMax,
);

test(
  "a plan gets another price, and the preview shows what buyers will see",
  async () => {
    await admin.walk("/admin/plans/?open=credit-10", async (page) => {
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
  "a refund requires a reason, names amount and payer, and returns money and quota once",
  async () => {
    const buyer = await loginUser(admin.web.rig);
    const watched = await admin.browser.open({ url: admin.web.sluice.url, cookie: buyer.cookie });
    try {
      await watched.page.goto("/console/billing/");
      await watched.page
        .getByRole("button", { name: /^Buy: / })
        .first()
        .click();
      await watched.page.getByRole("button", { name: "Simulate payment (test)" }).click();
      await watched.page.getByText(/The order is paid/).waitFor();
    } finally {
      await watched.close();
    }
    const [order] = await admin.web.rig.db.sql<{ order_no: string; amount: string }>`
      select order_no, amount_usd::numeric(10, 2)::text as amount from sales_order where user_id = ${buyer.userId}::bigint`;
    const orderNo = order?.order_no ?? "";
    await admin.walk(`/admin/orders/?order_no=${orderNo}`, async (page) => {
      const dialog = page.getByRole("dialog");
      const acts = await countActs(page, admin.web.sluice.url);
      await page.locator(`[data-row="${orderNo}"]`).hover();
      await page.getByRole("button", { name: `Refund: ${orderNo}` }).click();
      await dialog.getByText(buyer.email).waitFor();
      const button = dialog.getByRole("button", { name: `Refund $${order?.amount}` });
      await button.click();
      await dialog.getByText("Give a reason of at least three characters.").waitFor();
      await dialog.getByLabel("Reason").fill("bought by mistake");
      await button.click();
      await page.locator(".toast", { hasText: /^Refund \S+ is (done|pending)/ }).waitFor();
      await page.locator("tr .status", { hasText: "refunded" }).waitFor();
      // Refund and its amount, the reason, and once more after that was missing.
      expect(acts).toEqual({ clicks: 3, fields: 1 });
    });
    const refunds = await admin.web.rig.db.sql`
      select 1 from refund r join sales_order o on o.id = r.order_id where o.order_no = ${orderNo} and r.reason = 'bought by mistake'`;
    expect(refunds).toHaveLength(1);
    expect(await admin.web.rig.checkMoney()).toEqual([]);
  },
  testMsMax,
);

/** A month that the card gateway charges for again, and a top-up by a card that is saved there. */
async function agreeOnCharges(): Promise<void> {
  await admin.web.rig.db.sql`
    insert into renewal (renewal_no, user_id, plan_code, plan_name, price_usd, quota, account, status,
      gateway_subscription_id, gateway_customer_id, period_end, kept_until)
    select 'P00000000000000000000000009', id, 'monthly-20', 'Monthly 20', 20.00, 12000000, 'default', 'active', 'sub_walk', 'cus_walk',
      now() + interval '12 days', now() + interval '15 days'
    from user_profile where email = ${shownEmail}`;
  await admin.web.rig.db.sql`
    insert into auto_top_up (top_up_no, user_id, plan_code, plan_name, price_usd, threshold_quota, month_max_usd, account, status,
      gateway_customer_id, gateway_method_id)
    select 'T00000000000000000000000009', id, 'credit-20', 'Credit 20', 20.00, 1, 100, 'default', 'on', 'cus_walk', 'pm_walk'
    from user_profile where email = ${shownEmail}`;
}

test(
  "the card gateway is switched off in one click, after its effect was shown; the customer keeps the subscription and reads that top-ups pause",
  async () => {
    await agreeOnCharges();
    const asCustomer = { cookie: admin.web.cookies.user ?? "" };
    const paused = "Nothing is charged automatically for now: payment by card is not offered at the moment.";
    await admin.walk(
      "/console/billing/",
      async (page) => {
        await page.getByRole("region", { name: "Automatic top-up" }).getByRole("button", { name: "Remove" }).waitFor();
        expect(await page.getByText(paused).count()).toBe(0);
      },
      asCustomer,
    );
    await admin.walk("/admin/settings/", async (page, watched) => {
      const acts = await countActs(watched.page, admin.web.sluice.url);
      const form = page.getByRole("form", { name: "payments.cardpay" });
      await form.getByRole("combobox").selectOption("false");
      await form.getByText("1 subscription continues, charged as before.").waitFor();
      await form.getByText("1 automatic top-up charges nothing until it is on again.").waitFor();
      await form.getByRole("button", { name: "Save" }).click();
      await page.getByText("payments.cardpay saved").waitFor();
      expect(acts.clicks).toBe(1);
    });
    await admin.walk(
      "/console/billing/",
      async (page) => {
        await page.getByText(paused).waitFor();
        await page.getByRole("button", { name: "Cancel subscription" }).waitFor();
      },
      asCustomer,
    );
    expect(await admin.web.rig.checkMoney()).toEqual([]);
  },
  testMsMax,
);

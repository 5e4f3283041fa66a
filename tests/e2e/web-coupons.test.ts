import { afterAll, beforeAll, expect, test } from "bun:test";
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
  "an admin makes a coupon, a customer sees the price before and after and pays the lower one, and the coupon is revoked",
  async () => {
    const { web } = admin;
    await admin.walk("/admin/coupons/", async (page) => {
      await page.getByRole("button", { name: "New coupon" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Code").fill("spring26");
      await dialog.getByLabel("Percent").fill("200");
      await dialog.getByRole("button", { name: "Create coupon" }).click();
      await dialog.getByText("Enter a percentage such as 20 or 12.5.").waitFor();
      await dialog.getByLabel("Percent").fill("25");
      await dialog.getByRole("button", { name: "Create coupon" }).click();
      await page.getByRole("cell", { name: "0 of 100" }).waitFor();
    });
    const login = await loginUser(web.rig);
    await admin.walk(
      "/console/billing/",
      async (page) => {
        await page
          .locator("[class*=_plan_]", { hasText: "$10.00" })
          .first()
          .getByRole("button", { name: /^Buy: / })
          .click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("Coupon").fill("nothing");
        await dialog.getByRole("button", { name: "Apply" }).click();
        await dialog.getByText("This coupon does not exist.").waitFor();
        await dialog.getByLabel("Coupon").fill("spring26");
        await dialog.getByRole("button", { name: "Apply" }).click();
        await dialog.getByText("The price is $10.00; the coupon SPRING26 takes off $2.50. You pay $7.50.").waitFor();
        await dialog.getByRole("button", { name: "Simulate payment (test)" }).click();
        await page.getByText(/The order is paid/).waitFor();
      },
      { cookie: login.cookie, expectedStatuses: [404] },
    );
    const [paid] = await web.rig.db.sql<{ amount_usd: string }>`
      select p.amount_usd::text from payment p join sales_order o on o.id = p.order_id where o.user_id = ${login.userId}::bigint`;
    expect(paid?.amount_usd).toBe("7.50");
    await admin.walk("/admin/coupons/", async (page) => {
      await page.getByRole("cell", { name: "1 of 100" }).waitFor();
      await page.getByRole("button", { name: "SPRING26", exact: true }).click();
      await page.getByRole("button", { name: "Revoke" }).click();
      const dialog = page.getByRole("dialog", { name: "Revoke coupon" });
      await dialog.getByLabel("Reason", { exact: false }).fill("the sale is over");
      await dialog.getByRole("button", { name: "Revoke" }).click();
      await page.getByText("The coupon was revoked.").waitFor();
    });
    expect(await web.rig.checkMoney()).toEqual([]);
  },
  testMsMax,
);

test(
  "a reseller's codes are made and exported; a customer redeems one, sees balance and history, and nobody else can use it",
  async () => {
    const { web } = admin;
    let codes: string[] = [];
    await admin.walk("/admin/codes/", async (page) => {
      const acts = await countActs(page, web.sluice.url);
      await page.getByRole("button", { name: "New batch" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("Gift card 5");
      await dialog.getByLabel("Balance, USD").fill("5");
      await dialog.getByLabel("Codes", { exact: true }).fill("1000");
      // What will happen is said before it does.
      await dialog.getByText("Together they can grant $5,000.00.").waitFor();
      await dialog.getByRole("button", { name: "Create codes" }).click();
      await page.getByText("1,000 codes were created.").waitFor();
      await page.getByRole("button", { name: "Gift card 5", exact: true }).click();
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Export codes" }).click(),
      ]);
      codes = (await Bun.file(await file.path()).text()).trim().split("\r\n").slice(1);
      // New batch, three fields, make; open the batch, export.
      expect(acts).toEqual({ clicks: 4, fields: 3 });
    });
    expect(new Set(codes).size).toBe(1_000);
    const [code = ""] = codes;
    const [buyer, other] = [await loginUser(web.rig), await loginUser(web.rig)];
    await admin.walk(
      "/console/billing/",
      async (page) => {
        const acts = await countActs(page, web.sluice.url);
        const card = page.getByRole("region", { name: "Redeem a code" });
        // As people type it: in small letters, with spaces.
        await card.getByLabel("Code").fill(` ${code.toLowerCase().replaceAll("-", " ")} `);
        await card.getByRole("button", { name: "Redeem" }).click();
        await page.getByText("$5.00 was added to your balance.").waitFor();
        await page.locator(".sidebar-balance", { hasText: "$5.00" }).waitFor();
        expect(acts).toEqual({ clicks: 1, fields: 1 });
        await page.getByRole("tab", { name: "Ledger" }).click();
        await page.getByText("top-up", { exact: true }).waitFor();
        await page.getByRole("tab", { name: "Orders" }).click();
        await page.getByRole("cell", { name: "Gift card 5" }).waitFor();
        await page.locator(".status", { hasText: /^paid$/ }).waitFor();
      },
      { cookie: buyer.cookie },
    );
    await admin.walk(
      "/console/billing/",
      async (page) => {
        const card = page.getByRole("region", { name: "Redeem a code" });
        await card.getByLabel("Code").fill(code);
        await card.getByRole("button", { name: "Redeem" }).click();
        await card.getByText("This code was already used.").waitFor();
      },
      { cookie: other.cookie, expectedStatuses: [409] },
    );
    await admin.walk("/admin/codes/", async (page) => {
      await page.getByRole("cell", { name: "1 of 1,000" }).waitFor();
      await page.getByRole("button", { name: "Gift card 5", exact: true }).click();
      await page.getByRole("link", { name: "Redemptions" }).click();
      await page.getByRole("cell", { name: buyer.email }).waitFor();
    });
    const [granted] = await web.rig.db.sql<{ sum: bigint }>`
      select sum(b.granted)::bigint as sum from budget b join user_profile p using (gateway_user_id)
      where p.id in (${buyer.userId}::bigint, ${other.userId}::bigint)`;
    expect(granted?.sum).toBe(2_500_000n);
    expect(await web.rig.checkMoney()).toEqual([]);
  },
  testMsMax,
);

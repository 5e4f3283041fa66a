import { afterAll, beforeAll, expect, test } from "bun:test";
import { loginUser } from "../support/accounts/logins.ts";
import { AdminWeb } from "../support/web/admin-web.ts";

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
      await dialog.getByRole("button", { name: "Make coupon" }).click();
      await dialog.getByText("Enter a percentage such as 20 or 12.5.").waitFor();
      await dialog.getByLabel("Percent").fill("25");
      await dialog.getByRole("button", { name: "Make coupon" }).click();
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
      await page.getByRole("button", { name: "SPRING26" }).click();
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

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { AdminWeb } from "../support/web/admin-web.ts";

const testMsMax = 300_000;
let admin: AdminWeb;

beforeAll(async () => {
  admin = await AdminWeb.start();
  await admin.web.rig.addFlatPriceModel("flat", 1_000n);
});

afterAll(() => admin?.close());

const whatChanges = (dialog: Locator): Locator => dialog.getByRole("region", { name: "What changes" });

/** The lines of what a form would change and what that means, once it has said so. */
async function linesOf(dialog: Locator): Promise<string[]> {
  const region = whatChanges(dialog);
  await region.getByText("What that means").waitFor();
  const texts = await region.locator("dl > div, li").allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, " ").trim());
}

const openDialog = (page: Page): Locator => page.locator("dialog[open]");

test(
  "a form says in its own words what would change, whom it affects and when, before it is sent",
  async () => {
    const { db } = admin.web.rig;
    await db.sql`
      insert into usage_user_sum
        (gateway_user_id, grain, starts_at, api_key_id, model, outcome, calls, quota, settled_quota,
          input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, reasoning_tokens)
      values (1, 'hours', now() - interval '1 day', 1, 'flat', 'completed', 1234, 2500000, 2500000, 0, 0, 0, 0, 0, 0)`;
    await admin.walk("/admin/models/?open=flat", async (page, { axe }) => {
      await page.getByRole("button", { name: "Edit" }).click();
      const dialog = openDialog(page);
      expect(await whatChanges(dialog).count()).toBe(0);
      await dialog.getByLabel("Display name").fill("Flat rate");
      await dialog.getByLabel("Status").selectOption("disabled");
      const lines = await linesOf(dialog);
      expect(lines).toContain("Display name flat → Flat rate");
      expect(lines).toContain("Status enabled → disabled");
      expect(lines).toContain("Can't be called any more: flat (default).");
      expect(lines).toContain("In the last 7 days: 1,234 calls of 1 account with 1 key, charged $5.00.");
      expect(lines).toContain("Calls that begin from now on can't use the model; calls in progress continue.");
      // Nothing is said of what stays as it is.
      expect(lines.filter((line) => line.includes("price"))).toEqual([]);
      expect(await axe()).toEqual([]);
      // What is changed back is not a change.
      await dialog.getByLabel("Status").selectOption("enabled");
      await whatChanges(dialog).getByText("Can't be called any more").waitFor({ state: "detached" });
      expect(await linesOf(dialog)).not.toContain("Status enabled → disabled");
      await dialog.getByLabel("Input, USD per M", { exact: true }).fill("7");
      await whatChanges(dialog)
        .getByText(/are charged at the saved prices; calls in progress keep theirs/)
        .waitFor();
    });
    const [model] = await db.sql<{ display_name: string }>`select display_name from model where name = 'flat'`;
    expect(model?.display_name).toBe("flat");
  },
  testMsMax,
);

test(
  "a form that asks only for a reason says at once what it does",
  async () => {
    const { db } = admin.web.rig;
    await db.sql`
      insert into coupon (code, kind, percent, is_first_purchase, plan_codes, created_by, idempotency_key)
      values ('SPRING', 'percent', 10, false, '{}', 'somebody', 'spring')`;
    const [made] = await db.sql<{ id: bigint }>`select id from coupon where code = 'SPRING'`;
    await admin.walk(`/admin/coupons/?open=${made?.id}`, async (page) => {
      await page.getByRole("button", { name: "Revoke" }).first().click();
      expect(await linesOf(openDialog(page))).toEqual([
        "Orders from now on can't use it. Orders that have it keep it.",
      ]);
    });
    const [coupon] = await db.sql<{ revoked_at: Date | null }>`select revoked_at from coupon where code = 'SPRING'`;
    expect(coupon?.revoked_at).toBeNull();
  },
  testMsMax,
);

test(
  "a form says that it would be refused, and that it would wait",
  async () => {
    const { db } = admin.web.rig;
    await db.sql`insert into user_group (name, multiplier) values ('tier', 1)`;
    await admin.walk("/admin/groups/tier/", async (page) => {
      await page.getByRole("button", { name: "Edit group" }).click();
      const dialog = openDialog(page);
      await dialog.getByLabel("Multiplier").fill("0.5");
      expect(await linesOf(dialog)).toContain("Multiplier 1 → 0.5 (-50%)");
      await db.sql`insert into setting (name, value, updated_by, updated_by_name)
        values ('admin.second_person_above_usd', '10', 1, 'somebody')`;
      await dialog.getByLabel("Multiplier").fill("0.4");
      await whatChanges(dialog).getByText("This waits until another super-admin has approved it.").waitFor();
      await db.sql`update user_group set rank = 7, updated_at = now() where name = 'tier'`;
      await dialog.getByLabel("Multiplier").fill("0.3");
      await whatChanges(dialog).getByText("This would be refused: Someone else changed it").waitFor();
    });
  },
  testMsMax,
);

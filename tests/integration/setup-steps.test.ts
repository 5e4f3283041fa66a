import { afterAll, beforeAll, expect, test } from "bun:test";
import { addFirstPlans } from "@sluice/control-plane/payments/plans/plans.ts";
import { type ConsoleClient, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { SluiceRig } from "../support/service/sluice.ts";

const sandbox = "http://127.0.0.1:9";
let rig: SluiceRig;

beforeAll(async () => {
  rig = await SluiceRig.create(sandbox);
});

afterAll(async () => {
  await rig?.close();
});

async function doneSteps(client: ConsoleClient): Promise<string[]> {
  const { status, body } = await client.get("/backend/admin/setup/");
  expect(status).toBe(200);
  return (body["steps"] as { step: string; is_done: boolean }[])
    .filter(({ is_done }) => is_done)
    .map(({ step }) => step);
}

test("a new service has nothing done, however well its sandbox answers", async () => {
  const sluice = await rig.startProcess({ SANDBOX_URL: sandbox, MAIL_ADAPTER: "log" });
  const admin = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
  expect(await doneSteps(admin)).toEqual([]);
});

test("each step is done by what it leaves, and not done when that is gone", async () => {
  await rig.db.withTransaction(addFirstPlans);
  const { cookie } = await loginAdmin(rig);
  await rig.db.sql`update shared_admin_credentials set totp_enabled_at = now() where agent >= 2`;
  for (const [name, value] of [
    ["brand.name", "Model House"],
    ["brand.terms_url", "https://models.example/terms"],
    ["brand.privacy_url", "https://models.example/privacy"],
  ]) {
    await rig.db.sql`insert into setting (name, value, updated_by_name)
      values (${name ?? ""}, to_jsonb(${value ?? ""}::text), 'the test')`;
  }
  await rig.db.sql`
    insert into audit_log (at, actor_kind, actor_name, action, subject_kind, subject_id)
    values (now() - interval '29 days', 'command', 'backup', 'backup.make', 'database', 'sluice')`;
  const sluice = await rig.startProcess({
    MAIL_ADAPTER: "smtp",
    SMTP_URL: "smtp://127.0.0.1:9",
    PUBLIC_BASE_URL: "https://models.example",
    CARDPAY_SECRET_KEY: "sk_test_0000000000000000",
    CARDPAY_WEBHOOK_SECRET: "whsec_00000000000000000000000000000000",
  });
  const admin = consoleClient(sluice.url, cookie);
  const all = ["provider", "models", "plan", "payment", "mail", "address", "brand", "legal", "backup", "authenticator"];
  expect(await doneSteps(admin)).toEqual(all);
  await rig.db.sql`update channel set status = 'disabled'`;
  await rig.db.sql`update plan set status = 'hidden'`;
  await rig.db.sql`update shared_admin_credentials set totp_enabled_at = null where agent >= 2`;
  expect(await doneSteps(admin)).toEqual(["payment", "mail", "address", "brand", "legal", "backup"]);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { AccountClient } from "../../support/accounts/account-client.ts";
import { type SluiceProcess, SluiceRig } from "../../support/service/sluice.ts";

const password = "a long enough passphrase";

let rig: SluiceRig;
let sluice: SluiceProcess;
let client: AccountClient;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  await rig.db.sql`
    insert into plan (plan_code, name, kind, price_usd, quota, features)
    values ('credit', 'Credit', 'wallet_balance', 10.00, 5000000, '[]')`;
  // Without the jobs; one would credit the order a little later.
  const ROLES = "relay,gateway,backend";
  sluice = await rig.startProcess({ PAYMENT_MOCK: "1", REGISTRATION_RETURNS_VERIFICATION_URL: "1", ROLES });
  client = new AccountClient(sluice);
});

afterAll(async () => {
  expect(await rig.checkMoney()).toEqual([]);
  await rig.close();
});

type OrderAnswer = { readonly order_no: string; readonly status: string; readonly is_mock: boolean };

async function buy(email: string): Promise<OrderAnswer> {
  const created = await client.post("/backend/billing/order/create/", { plan_code: "credit", email });
  const { order_no } = created.body["order"] as OrderAnswer;
  const { claim_code } = created.body;
  const settled = await client.post("/backend/payment/mock-settle/", { order_no, claim_code });
  expect(settled.body["result"]).toBe("settled");
  return settled.body["order"] as OrderAnswer;
}

async function remaining(email: string): Promise<unknown> {
  const { cookie } = await client.logIn(email, password);
  const { body } = await client.get("/backend/billing/balance/", { cookie });
  return (body["balance"] as { remaining_quota: unknown }).remaining_quota;
}

test("a customer who paid before registering has the quota as soon as the address is verified", async () => {
  const email = "first-pays@example.org";
  expect(await buy(email)).toMatchObject({ status: "settled", is_mock: true });
  await client.makeUser(email, password);
  expect(await remaining(email)).toBe(5_000_000);
});

test("a customer who pays without logging in, under a verified address, has the quota at once", async () => {
  const email = "then-pays@example.org";
  await client.makeUser(email, password);
  expect(await remaining(email)).toBe(0);
  await buy(email);
  expect(await remaining(email)).toBe(5_000_000);
});

test("without the switch nothing is settled for free outside development", async () => {
  const closed = await rig.startProcess();
  const client2 = new AccountClient(closed);
  const created = await client2.post("/backend/billing/order/create/", { plan_code: "credit" });
  const { order_no } = created.body["order"] as OrderAnswer;
  const refused = await client2.post("/backend/payment/mock-settle/", { order_no });
  expect([refused.status, refused.body.error?.code]).toEqual([403, "not_offered"]);
});

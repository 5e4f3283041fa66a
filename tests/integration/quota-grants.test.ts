import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { grantQuota } from "@sluice/control-plane/gateway/quota/grant-store.ts";
import { BillingScene, type Buyer } from "../support/payments/billing-scene.ts";

let scene: BillingScene;

beforeAll(async () => {
  scene = await BillingScene.create();
});

afterEach(async () => {
  expect(await scene.checkMoney()).toEqual([]);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

/** Does not check whether it was done before: only the database prevents a second grant. */
const change = ({ budgetId }: Buyer, amount: bigint, reference: string): Promise<boolean> =>
  scene.db.withTransaction((tx) => grantQuota(tx, { budgetId, amount, changeType: "manual_adjust", reference }));

const written = async ({ budgetId }: Buyer): Promise<unknown> => {
  const [row] = await scene.db.sql`
    select (select granted from budget where id = ${budgetId}::bigint) as granted,
      (select array_agg(amount order by id) from quota_grant where budget_id = ${budgetId}::bigint) as grants,
      (select array_agg(e.amount order by e.id) from ledger_entry e join ledger_account a on a.id = e.account_id
        join budget b on b.gateway_user_id = a.gateway_user_id where b.id = ${budgetId}::bigint) as entries`;
  return row;
};

test("quota is granted once for each reference, whatever the second request asks for", async () => {
  const [buyer, other] = [await scene.addBuyer(), await scene.addBuyer()];
  const reference = `test:${buyer.userId}`;
  expect([await change(buyer, 1_000n, reference), await change(buyer, 1_000n, reference)]).toEqual([true, false]);
  expect([await change(buyer, -7n, reference), await change(other, 1_000n, reference)]).toEqual([false, false]);
  expect(await written(buyer)).toEqual({ granted: 1_000n, grants: [1_000n], entries: [1_000n] });
  expect(await written(other)).toEqual({ granted: 0n, grants: null, entries: null });
});

test("of many concurrent grants, one succeeds", async () => {
  const buyer = await scene.addBuyer();
  const reference = `test:${buyer.userId}`;
  const done = await Promise.all(Array.from({ length: 6 }, () => change(buyer, 1_000n, reference)));
  expect(done.filter((isDone) => isDone)).toHaveLength(1);
  expect(await written(buyer)).toMatchObject({ granted: 1_000n, grants: [1_000n] });
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { RequestId } from "@sluice/contracts/ids";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { changeGatewayUser } from "@sluice/control-plane/gateway/gateway-users.ts";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { type ConsoleClient, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { chat } from "../support/calls/chat-call.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { insertUsageRows } from "../support/usage/insert-rows.ts";
import { waitUntilSettleable } from "../support/usage/settlement-scene.ts";
import { encoded, usageRow } from "../support/usage/usage-rows.ts";
import { ceiling, fromDecimal, fromInteger, plus, type Rational, times } from "../support/values/rational.ts";

type Receipt = {
  readonly request_id: string;
  readonly price_version: number;
  readonly rate_multiplier: string;
  readonly quota: number;
  readonly settled_quota: number;
  readonly quota_delta: number;
  readonly sum_usd: string;
  readonly lines: readonly {
    readonly unit: string;
    readonly count: number;
    readonly price_per: string;
    readonly price_usd: string;
  }[];
};

const quotaPerUsd = fromInteger(500_000);
const sharesOfPrices: Readonly<Record<string, Rational>> = {
  million_tokens: [1n, 1_000_000n],
  thousand_searches: [1n, 1_000n],
  second: [1n, 1_000n],
  image: [1n, 1n],
  request: [1n, 1n],
};

let provider: ReturnType<typeof startSandboxProvider>;
let rig: SluiceRig;
let sluice: SluiceProcess;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  await rig.addTokenPriceModel("odd-prices", {
    input_usd_per_m: "0.3333",
    output_usd_per_m: "7.77777777",
    cache_read_usd_per_m: "0.01",
    request_usd: "0.00012345",
  });
  sluice = await rig.startProcess();
});

afterAll(async () => {
  await rig?.close();
  await provider?.stop();
});

/** What a receipt comes to, with fractions and from nothing but what it shows. */
function recompute({ lines, rate_multiplier }: Receipt): { readonly base: bigint; readonly settled: bigint } {
  const usd = lines.map(({ count, price_per, price_usd }) =>
    times(fromInteger(count), fromDecimal(price_usd), sharesOfPrices[price_per] ?? [0n, 1n]),
  );
  const base = ceiling(times(plus(...usd), quotaPerUsd));
  return { base, settled: ceiling(times(fromInteger(base), fromDecimal(rate_multiplier))) };
}

async function receiptOf(as: ConsoleClient, requestId: string): Promise<Receipt> {
  const { status, body } = await as.get(`/backend/usage/receipt/${requestId}`);
  expect(status).toBe(200);
  return body["receipt"] as Receipt;
}

test.each(["1.0000", "1.3700", "0.8500"])(
  "a receipt, recomputed from its data, comes to what was settled and posted at a multiplier of %s",
  async (multiplier) => {
    const { cookie, gatewayUserId } = await loginUser(rig, { quota: 1_000_000_000n });
    await rig.db.withTransaction((tx) => changeGatewayUser(tx, gatewayUserId, { rateMultiplier: multiplier as never }));
    const apiKey = await createApiKey(rig.db, gatewayUserId, "mine");
    const requestIds: string[] = [];
    for (const [model, content] of [
      ["odd-prices", "Hello"],
      ["gpt-4o-mini", "A question of more words than the other one has."],
      ["odd-prices", "x ".repeat(500)],
    ]) {
      const seen = await chat(
        { url: sluice.url, apiKey },
        { model, messages: [{ role: "user", content }], max_tokens: 40 },
      );
      expect(seen).toMatchObject({ status: 200, isWhole: true });
      requestIds.push(seen.requestId ?? "");
    }
    await settle(gatewayUserId, requestIds.length);
    const as = consoleClient(sluice.url, cookie);
    let total = 0n;
    for (const requestId of requestIds) {
      const receipt = await receiptOf(as, requestId);
      const again = recompute(receipt);
      const [settled] = await rig.db.sql<{ base_quota: bigint; settled_quota: bigint; quota_delta: bigint }>`
        select u.quota as base_quota, coalesce(s.settled_quota, u.quota) as settled_quota, coalesce(s.quota_delta, 0) as quota_delta
        from settled_call s join usage_log u using (day, request_id) where request_id = ${requestId}::uuid`;
      expect(settled).toEqual({
        base_quota: again.base,
        settled_quota: again.settled,
        quota_delta: again.settled - again.base,
      });
      expect(receipt).toMatchObject({
        request_id: requestId,
        price_version: 1,
        rate_multiplier: multiplier,
        quota: Number(again.base),
        settled_quota: Number(again.settled),
        quota_delta: Number(again.settled - again.base),
      });
      expect(ceiling(times(fromDecimal(receipt.sum_usd), quotaPerUsd))).toBe(again.base);
      total += again.settled;
    }
    const [posted] = await rig.db.sql<{ amount: string }>`
      select -sum(e.amount) as amount from ledger_posting p join ledger_entry e on e.posting_id = p.id
      join ledger_account a on a.id = e.account_id
      where p.change_type = 'usage_quota' and a.gateway_user_id = ${gatewayUserId}::bigint`;
    expect(BigInt(posted?.amount ?? 0)).toBe(total);
    expect(await rig.checkMoney()).toEqual([]);
  },
);

/** Has an admin settle until all calls of the user are; rows that other transactions may still precede wait for them. */
async function settle(gatewayUserId: bigint, calls: number): Promise<void> {
  const admin = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    const rows = await rig.db.sql`
      select 1 from settled_call join usage_log u using (day, request_id) where u.gateway_user_id = ${gatewayUserId}::bigint`;
    if (rows.length === calls) {
      return;
    }
    await waitUntilSettleable(rig.db);
    expect((await admin.post("/backend/admin/usage-settle/", {})).status).toBe(200);
  }
  throw new Error("the calls were not settled");
}

test.each([-1, 0, 1])("a call is found by its id alone when its day is %p days from that of the id", async (days) => {
  const { cookie, gatewayUserId } = await loginUser(rig);
  await createApiKey(rig.db, gatewayUserId, "mine");
  const noon = new Date().setUTCHours(12, 0, 0, 0);
  const { randomUUIDv7 } = Bun;
  const requestId = randomUUIDv7("hex", noon) as RequestId;
  const [owner] = await rig.db.sql<{ key_id: never; budget_id: never }>`
    select k.id as key_id, b.id as budget_id from api_key k join budget b using (gateway_user_id)
    where gateway_user_id = ${gatewayUserId}::bigint`;
  const customer = { gatewayUserId, apiKeyId: owner?.key_id as never, userBudgetId: owner?.budget_id as never };
  const row = usageRow(
    { ...customer, keyBudgetId: null as never },
    { requestId, startedAtMs: noon + days * 86_400_000, quota: 0n as never, quotaHeld: 0n as never },
  );
  await createMissingPartitions(rig.db, "usage_log", [row.day]);
  await insertUsageRows(rig.db, encoded(row));
  const receipt = await receiptOf(consoleClient(sluice.url, cookie), requestId);
  expect(receipt).toMatchObject({ request_id: requestId, day: row.day });
});

import type { GatewayUserId } from "@sluice/contracts/ids";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import type { Order } from "@sluice/control-plane/payments/model.ts";
import { createOrder } from "@sluice/control-plane/payments/orders/place-order.ts";
import { addFirstPlans } from "@sluice/control-plane/payments/plans/plans.ts";
import { openRefund, payRefund } from "@sluice/control-plane/payments/refunds/refunds.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { UsageSettlement } from "@sluice/control-plane/usage/settlement/usage-settlement.ts";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { Registry } from "prom-client";
import { fillLists } from "../shots/full-house.ts";
import { loginAdmin, loginUser, type UserLogin } from "../support/accounts/logins.ts";
import { chat } from "../support/calls/chat-call.ts";
import { billingDeps, noticeOf } from "../support/payments/billing-scene.ts";
import { ScriptedRefunds } from "../support/payments/scripted-refunds.ts";
import type { TestDatabase } from "../support/postgres/test-database.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { silentLog } from "../support/trace/trace-fixtures.ts";
import { waitUntilSettleable } from "../support/usage/settlement-scene.ts";

const settledCalls = 12;
const unsettledCalls = 3;

/**
 * Gives an empty, migrated database what an installation has after a day: orders in every state, calls that are settled
 * with a multiplier and calls that are not, a replica that was killed while it held leases, and what admins see in lists.
 */
export async function fillRelease(database: TestDatabase): Promise<void> {
  const provider = startSandboxProvider();
  const rig = await SluiceRig.create(provider.url, database);
  try {
    await rig.db.withTransaction(addFirstPlans);
    await loginAdmin(rig);
    const user = await loginUser(rig, { quota: 50_000_000n, email: "ada@example.org" });
    await rig.db.sql`update gateway_user set rate_multiplier = 1.2500 where id = ${user.gatewayUserId}::bigint`;
    await fillOrders(rig.db, user);
    await fillCalls(rig, user.gatewayUserId);
    await fillLists(rig.db, user.gatewayUserId);
    await dropEmptyPartitions(rig.db);
  } finally {
    await rig.close();
    await provider.stop();
  }
}

async function fillOrders(db: Database, user: UserLogin): Promise<void> {
  await pay(db, await place(db, user, "credit-10"));
  await pay(db, await place(db, user, "monthly-20"));
  // Nobody has claimed it.
  await pay(db, await place(db, null, "credit-10"));
  // It waits for its payment.
  await place(db, user, "credit-50");
  const returned = await place(db, user, "credit-50");
  await pay(db, returned);
  const { refund } = await db.withTransaction((tx) =>
    openRefund(tx, {
      orderNo: returned.orderNo,
      amountUsd: null,
      reason: "the customer asked for it",
      idempotencyKey: "release",
      mayGoNegative: false,
    }),
  );
  const gateway = new ScriptedRefunds();
  await payRefund({ db, log: silentLog, gateways: { walletpay: gateway, cardpay: gateway } }, refund.refundNo);
}

async function place(db: Database, user: UserLogin | null, planCode: string): Promise<Order> {
  const owner = { userId: user?.userId ?? null, email: user === null ? "guest@example.org" : null };
  const way = { payChannel: "cardpay", sender: "default", vendor: "cardpay_card", idempotencyKey: null } as const;
  return (await db.withTransaction((tx) => createOrder(tx, { ...owner, ...way, planCode }))).order;
}

async function pay(db: Database, order: Order): Promise<void> {
  const result = await settlePaid(billingDeps(db), noticeOf(order), { at: new Date() });
  if (result !== "settled") {
    throw new Error(`a payment was ${result}`);
  }
}

async function fillCalls(rig: SluiceRig, gatewayUserId: GatewayUserId): Promise<void> {
  const apiKey = await rig.db.withTransaction((tx) => createApiKey(tx, gatewayUserId, "laptop"));
  const sluice = await rig.startProcess({ ROLES: "relay,gateway", TRACE_PAYLOADS: "1" });
  await call(sluice, apiKey, settledCalls);
  await rig.waitForUsageRows(settledCalls);
  await settle(rig.db);
  await call(sluice, apiKey, unsettledCalls);
  await rig.waitForUsageRows(settledCalls + unsettledCalls);
  await sluice.kill();
}

async function call(sluice: SluiceProcess, apiKey: string, count: number): Promise<void> {
  for (let each = 0; each < count; each += 1) {
    const seen = await chat({ url: sluice.url, apiKey }, { model: "gpt-4o-mini", stream: each % 2 === 1 });
    if (!seen.isWhole) {
      throw new Error(`a call got ${seen.status} ${seen.code}`);
    }
  }
}

async function settle(db: Database): Promise<void> {
  const settlement = new UsageSettlement({ db, clock: systemClock, log: silentLog, registry: new Registry() });
  await settlement.run();
  await waitUntilSettleable(db);
  await settlement.run({ isReconciled: true });
  await rollUsageUp(db, systemClock);
}

/** Partitions created in advance: they would be the larger part of the file. */
async function dropEmptyPartitions(db: Database): Promise<void> {
  const partitions = await db.sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits join pg_class c on c.oid = inhrelid where c.relkind = 'r'`;
  for (const { name } of partitions) {
    const [row] = await db.query<{ is_empty: boolean }>(`select not exists (select 1 from ${name}) as is_empty`, []);
    if (row?.is_empty === true) {
      await db.query(`drop table ${name}`, []);
    }
  }
}

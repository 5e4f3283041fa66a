import type { ApiKeyId, BudgetId, GatewayUserId, ReplicaId, UserId } from "@sluice/contracts/ids";
import type { Decimal, Quota } from "@sluice/contracts/money";
import { MailService } from "@sluice/control-plane/mail/service.ts";
import { openVariables } from "@sluice/control-plane/mail/variables-seal.ts";
import type { Order, PaidNotice, PayChannel } from "@sluice/control-plane/payments/model.ts";
import { createOrder, type OrderRequest, type PlacedOrder } from "@sluice/control-plane/payments/orders/place-order.ts";
import type { BillingDeps } from "@sluice/control-plane/payments/port.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { commitUsage, toUsageOrder } from "@sluice/control-plane/usage/log/commit-usage.ts";
import { createServedDatabase } from "../postgres/test-database.ts";
import { encoded, usageRow } from "../usage/usage-rows.ts";
import { patienceMs } from "../values/patience.ts";

export type Buyer = {
  readonly userId: UserId;
  readonly gatewayUserId: GatewayUserId;
  readonly budgetId: BudgetId;
  readonly email: string;
};

const caller = "caller" as ReplicaId;
const masterKey = new MasterKey(new Bun.CryptoHasher("sha256").update("the master key of tests").digest());

/** What billing needs, with a database; every line of its log is added to `lines`. */
export function billingDeps(db: Database, lines: string[] = []): BillingDeps {
  const log = createLog("debug", (line) => lines.push(line));
  return { db, log, mail: new MailService({ masterKey, clock: systemClock }) };
}

/** A database with plans: `credit` of 10.00 USD, `monthly` of 20.00 USD, `any` of a chosen amount. */
export class BillingScene implements AsyncDisposable {
  readonly url: string;
  readonly db: Database;
  readonly lines: string[] = [];
  readonly deps: BillingDeps;
  readonly #drop: () => Promise<void>;

  private constructor(url: string, drop: () => Promise<void>) {
    this.url = url;
    const patient = { acquireTimeoutMs: patienceMs };
    this.db = openDatabase({ url, poolMax: 8, applicationName: "test", role: "sluice_app", ...patient });
    this.deps = billingDeps(this.db, this.lines);
    this.#drop = drop;
  }

  static async create(): Promise<BillingScene> {
    const database = await createServedDatabase();
    const scene = new BillingScene(database.url, database.drop);
    await scene.db.sql`insert into replica (id) values (${caller})`;
    await scene.db.sql`
      insert into plan (plan_code, name, kind, price_usd, quota, features, amount_min_usd, amount_max_usd, amount_step_usd) values
        ('any', 'Any amount', 'wallet_balance', 1.00, 550000, '[]', 5.00, 500.00, 0.50),
        ('credit', 'Credit', 'wallet_balance', 10.00, 5000000, '[]', null, null, null),
        ('monthly', 'Monthly', 'monthly', 20.00, 12000000, '[]', null, null, null),
        ('other-month', 'Other month', 'monthly', 5.00, 2000000, '[]', null, null, null)`;
    return scene;
  }

  /** A user with an empty budget; verified by default. */
  async addBuyer(email = `${crypto.randomUUID()}@example.com`, isVerified = true): Promise<Buyer> {
    const [made] = await this.db.sql<{ gateway_user_id: GatewayUserId; id: BudgetId }>`
      with u as (insert into gateway_user default values returning id)
      insert into budget (gateway_user_id) select id from u returning gateway_user_id, id`;
    const [profile] = await this.db.sql<{ id: UserId }>`
      insert into user_profile (gateway_user_id, email, status, email_verified_at)
      values (${made?.gateway_user_id ?? 0n}::bigint, ${email}, ${isVerified ? "active" : "email_pending"},
        case when ${isVerified} then now() end)
      returning id`;
    if (made === undefined || profile === undefined) {
      throw new Error("no buyer was made");
    }
    return { userId: profile.id, gatewayUserId: made.gateway_user_id, budgetId: made.id, email };
  }

  /** A user who is there already. */
  async buyerOf(userId: UserId): Promise<Buyer> {
    const [row] = await this.db.sql<{ gateway_user_id: GatewayUserId; budget_id: BudgetId; email: string }>`
      select p.gateway_user_id, b.id as budget_id, p.email from user_profile p
      join budget b on b.gateway_user_id = p.gateway_user_id where p.id = ${userId}::bigint`;
    if (row === undefined) {
      throw new Error(`there is no user ${userId}`);
    }
    return { userId, gatewayUserId: row.gateway_user_id, budgetId: row.budget_id, email: row.email };
  }

  async place(request: Partial<OrderRequest> = {}): Promise<PlacedOrder> {
    return await this.db.withTransaction((tx) =>
      createOrder(tx, {
        planCode: "credit",
        userId: null,
        email: null,
        payChannel: "walletpay",
        sender: null,
        vendor: null,
        idempotencyKey: null,
        ...request,
      }),
    );
  }

  /** An order of a user, waiting for its payment. */
  async placeFor(buyer: Buyer, planCode = "credit", payChannel: PayChannel = "walletpay", at?: Date): Promise<Order> {
    const sender = payChannel === "cardpay" ? "default" : null;
    const when = at === undefined ? {} : { at };
    return (await this.place({ userId: buyer.userId, planCode, payChannel, sender, ...when })).order;
  }

  /** The balance of a user's budget. */
  async balance({ budgetId }: Buyer): Promise<bigint> {
    const [row] = await this.db.sql<{ left: bigint }>`
      select granted - used - leased - reserved as left from budget where id = ${budgetId}::bigint`;
    return row?.left ?? 0n;
  }

  /** Calls of a user with this total cost. */
  async use(buyer: Buyer, quota: bigint): Promise<void> {
    const { gatewayUserId, budgetId } = buyer;
    const customer = { gatewayUserId, apiKeyId: 1n as ApiKeyId, userBudgetId: budgetId, keyBudgetId: 0n as BudgetId };
    const row = usageRow(customer, { keyBudgetId: null, quota: quota as Quota, quotaHeld: quota as Quota });
    await this.db.withTransaction((tx) => commitUsage(tx, caller, toUsageOrder(encoded(row))));
  }

  async order(orderNo: string): Promise<{ status: string; review_reason: string | null; is_paid_late: boolean }> {
    const [row] = await this.db.sql<{ status: string; review_reason: string | null; is_paid_late: boolean }>`
      select status, review_reason, is_paid_late from sales_order where order_no = ${orderNo}`;
    if (row === undefined) {
      throw new Error(`there is no order ${orderNo}`);
    }
    return row;
  }

  /** The variables of the mails of a kind to a buyer, the oldest first. */
  async mailsTo({ userId }: Pick<Buyer, "userId">, template: string): Promise<Record<string, string>[]> {
    const rows = await this.db.sql<{ dedupe_key: string; user_id: bigint; variables_sealed: Uint8Array }>`
      select dedupe_key, user_id, variables_sealed from mail_log
      where user_id = ${userId}::bigint and template = ${template} order by id`;
    return rows.map(({ dedupe_key: dedupeKey, user_id, variables_sealed: sealed }) =>
      openVariables(masterKey, { dedupeKey, userId: user_id }, sealed),
    );
  }

  async count(table: "payment" | "mail_log" | "ledger_posting"): Promise<number> {
    const [row] = await this.db.query<{ rows: number }>(`select count(*)::int as rows from ${table}`, []);
    return row?.rows ?? 0;
  }

  /** The violated invariants; empty when the books are correct. */
  async checkMoney(): Promise<unknown[]> {
    return [...(await this.db.sql`select * from check_money()`)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.db.close(500);
    await this.#drop();
  }
}

/** A notice that fits the order. */
export function noticeOf(order: Order, changes: Partial<PaidNotice> = {}): PaidNotice {
  const gateway = order.payChannel === "none" ? "mock" : order.payChannel;
  return {
    gateway,
    account: order.sender ?? "main",
    transactionId: `transaction of ${order.orderNo}`,
    orderNo: order.orderNo,
    amountUsd: order.amountUsd as Decimal,
    currency: order.currency,
    ...changes,
  };
}

import type { BudgetId, GatewayUserId } from "@sluice/contracts/ids";
import { type OrganisationRole, organisationHeader } from "@sluice/contracts/organisation-rights";
import type { RenewalEntry } from "@sluice/contracts/renewals";
import {
  announceTerms,
  askOverdueRenewals,
  changeTerms,
  endLeftRenewals,
  endUnpaidRenewals,
} from "@sluice/control-plane/payments/renewals/renewal-jobs.ts";
import { endOverdueSubscriptions } from "@sluice/control-plane/payments/subscriptions/subscriptions.ts";
import type { Buyer } from "./billing-scene.ts";
import { signLikeCard } from "./card-gateway.ts";
import { cardSecrets, PaymentScene } from "./payment-scene.ts";
import { type BookEvent, monthsAfter } from "./subscription-book.ts";

/** A person who acts for their own account, or for an organisation. */
type Caller = Pick<Buyer, "userId" | "gatewayUserId"> & { readonly organisationId?: bigint };

export type TestOrganisation = Pick<Buyer, "gatewayUserId" | "budgetId"> & { readonly organisationId: bigint };

export type Delivery = { readonly status: number; readonly result: unknown };

/** The event as the gateway sends it. */
export function renewalEventBody(event: BookEvent, more: Record<string, unknown> = {}): string {
  return JSON.stringify(
    {
      ...{ id: `evt_${crypto.randomUUID().replaceAll("-", "")}`, object: "event", livemode: false },
      ...{ pending_webhooks: 1, type: event.type, data: { object: event.object }, ...more },
    },
    null,
    2,
  );
}

/** A plan that renews, in the group `pro`, and its gateway under a clock of its own. */
export class RenewalScene implements AsyncDisposable {
  readonly payments: PaymentScene;
  readonly start: Date;

  private constructor(payments: PaymentScene, start: Date) {
    this.payments = payments;
    this.start = start;
  }

  static async create(start = new Date("2026-01-31T10:00:00Z")): Promise<RenewalScene> {
    const payments = await PaymentScene.create();
    await payments.billing.db.sql`insert into user_group (name, multiplier) values ('pro', 0.5)`;
    await payments.billing.db.sql`update plan set renews = true, group_name = 'pro' where plan_code = 'monthly'`;
    const scene = new RenewalScene(payments, start);
    scene.reset();
    return scene;
  }

  get book(): PaymentScene["card"]["subscriptions"] {
    return this.payments.card.subscriptions;
  }

  get db(): PaymentScene["billing"]["db"] {
    return this.payments.billing.db;
  }

  /** Back to the first day. */
  reset(): void {
    this.book.reset(this.start);
    this.payments.time = this.start;
    this.payments.graceDays = 3;
  }

  async call(path: string, body: unknown, caller: Caller): Promise<Response> {
    const { userId, gatewayUserId, organisationId } = caller;
    return await this.payments.postJson(`/backend/billing/renewal/${path}/`, body, {
      "x-test-user": `${userId} ${gatewayUserId}`,
      ...(organisationId === undefined ? {} : { [organisationHeader]: organisationId.toString() }),
    });
  }

  /** An organisation with an empty budget, owned by this person. */
  async addOrganisation(owner: Buyer, name: string): Promise<TestOrganisation> {
    const [made] = await this.db.sql<{ gateway_user_id: GatewayUserId; id: BudgetId }>`
      with u as (insert into gateway_user default values returning id)
      insert into budget (gateway_user_id) select id from u returning gateway_user_id, id`;
    const [row] = await this.db.sql<{ id: bigint }>`
      insert into organisation (gateway_user_id, name) values (${made?.gateway_user_id ?? 0n}::bigint, ${name}) returning id`;
    if (made === undefined || row === undefined) {
      throw new Error("no organisation was made");
    }
    const organisation = { organisationId: row.id, gatewayUserId: made.gateway_user_id, budgetId: made.id };
    await this.join(organisation, owner, "owner");
    return organisation;
  }

  async join({ organisationId }: TestOrganisation, { userId }: Buyer, role: OrganisationRole): Promise<void> {
    await this.db.sql`
      insert into organisation_member (organisation_id, user_id, role)
      values (${organisationId}::bigint, ${userId}::bigint, ${role})`;
  }

  async asAdmin(body: unknown): Promise<Response> {
    return await this.payments.postJson("/backend/admin/renewal/cancel/", body, { "x-test-admin": "super" });
  }

  /** The renewals of a caller, as the console reads them. */
  async list({ userId, gatewayUserId }: Caller): Promise<RenewalEntry[]> {
    const caller = { "x-test-user": `${userId} ${gatewayUserId}` };
    const answer = await this.payments.get("/backend/billing/renewal/list/", caller);
    return ((await answer.json()) as { renewals: RenewalEntry[] }).renewals;
  }

  /** Opens the page for the plan; returns the number of the renewal. */
  async open(buyer: Caller): Promise<string> {
    const answer = await this.call("start", { plan_code: "monthly" }, buyer);
    const body = (await answer.json()) as { renewal?: { renewal_no: string } };
    if (body.renewal === undefined) {
      throw new Error(`no page was opened: ${JSON.stringify(body)}`);
    }
    return body.renewal.renewal_no;
  }

  /** A customer with a first paid month. */
  async subscribe(): Promise<{ readonly buyer: Buyer; readonly renewalNo: string }> {
    const buyer = await this.payments.billing.addBuyer();
    const renewalNo = await this.open(buyer);
    this.book.pay(renewalNo);
    await this.deliver();
    return { buyer, renewalNo };
  }

  async post(body: string): Promise<Delivery> {
    const answer = await this.payments.postEvent(body, signLikeCard(body, cardSecrets.default));
    const read = (await answer.json()) as { result?: unknown; error?: { code: unknown } };
    return { status: answer.status, result: read.result ?? read.error?.code };
  }

  /** Delivers what happened: each event twice, and the newest first, as the gateway may. */
  async deliver(events = this.book.take()): Promise<Delivery[]> {
    const bodies = events.map((event) => renewalEventBody(event)).reverse();
    const delivered: Delivery[] = [];
    for (const body of [...bodies, ...bodies]) {
      delivered.push(await this.post(body));
    }
    return delivered;
  }

  /** Moves both clocks, and runs the jobs of that time. */
  async moveTo(time: Date): Promise<void> {
    this.payments.time = time;
    this.book.advance(time);
    await this.deliver();
    await this.runJobs();
  }

  async runJobs(): Promise<void> {
    const at = this.payments.time ?? new Date();
    await askOverdueRenewals(this.payments.renewals, at);
    await endUnpaidRenewals(this.payments.renewals, at);
    await endLeftRenewals(this.payments.renewals, at);
    await this.deliver();
    await endOverdueSubscriptions(this.db, at);
    await announceTerms(this.payments.renewals, at);
    await changeTerms(this.payments.renewals, at);
  }

  /** The day on which a month begins, counted from 0, and some hours later. */
  month(count: number, hours = 1): Date {
    return new Date(monthsAfter(this.start, count).getTime() + hours * 3_600_000);
  }

  async renewal(renewalNo: string): Promise<Record<string, unknown>> {
    const [row] = await this.db.sql<Record<string, unknown>>`
      select status, is_cancelled_at_end, end_reason, period_end, kept_until, price_usd, quota, next_price_usd
      from renewal where renewal_no = ${renewalNo}`;
    return row ?? {};
  }

  /** The state of each month that a customer had, with its end. */
  async months({ gatewayUserId }: Pick<Buyer, "gatewayUserId">): Promise<string[]> {
    const rows = await this.db.sql<{ status: string; period_end: Date }>`
      select status, period_end from subscription where gateway_user_id = ${gatewayUserId}::bigint order by id`;
    return rows.map(({ status, period_end: end }) => `${status} ${end.toISOString().slice(0, 10)}`);
  }

  async mails(template: string, { userId }: Pick<Buyer, "userId">): Promise<number> {
    const [row] = await this.db.sql<{ count: number }>`
      select count(*)::int as count from mail_log where template = ${template} and user_id = ${userId}::bigint`;
    return row?.count ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.payments[Symbol.asyncDispose]();
  }
}

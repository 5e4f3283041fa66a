import type { GatewayUserId } from "@sluice/contracts/ids";
import {
  and,
  asc,
  desc,
  eq,
  exists,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  notExists,
  or,
  sql,
} from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { equalsConstant, now, plusOne } from "../../db/expressions.ts";
import { userProfile as profile } from "../../db/schema/accounts.ts";
import { salesOrder as order } from "../../db/schema/billing.ts";
import { organisationMember as member, organisation } from "../../db/schema/organisations.ts";
import { renewal, renewalPeriod } from "../../db/schema/renewals.ts";
import type { Queryable } from "../../platform/db.ts";
import type { Checkout, RenewalHint } from "../gateways/model.ts";
import type { OrderPlace } from "../orders/order-store.ts";
import { isPaying } from "../orders/payer-store.ts";
import { namesOfBought } from "../plans/plan-names-store.ts";
import type { Plan } from "../plans/plan-store.ts";
import type { Renewal, RenewalEnd, RenewalStatus, RenewalTerms } from "./model.ts";

const columns = {
  id: renewal.id,
  renewalNo: renewal.renewalNo,
  userId: renewal.userId,
  organisationId: renewal.organisationId,
  gatewayUserId: sql<GatewayUserId>`coalesce(${organisation.gatewayUserId}, ${profile.gatewayUserId})`,
  planCode: renewal.planCode,
  planName: renewal.planName,
  planNames: namesOfBought(renewal.planCode, renewal.planName),
  priceUsd: renewal.priceUsd,
  quota: renewal.quota,
  groupName: renewal.groupName,
  account: renewal.account,
  status: renewal.status,
  isCancelledAtEnd: renewal.isCancelledAtEnd,
  endReason: renewal.endReason,
  checkoutUrl: renewal.checkoutUrl,
  checkoutReference: renewal.checkoutReference,
  gatewaySubscriptionId: renewal.gatewaySubscriptionId,
  gatewayCustomerId: renewal.gatewayCustomerId,
  periodEnd: renewal.periodEnd,
  keptUntil: renewal.keptUntil,
  failedAt: renewal.failedAt,
  nextPlanName: renewal.nextPlanName,
  nextPriceUsd: renewal.nextPriceUsd,
  nextQuota: renewal.nextQuota,
  nextGroupName: renewal.nextGroupName,
  nextFrom: renewal.nextFrom,
  noticedAt: renewal.noticedAt,
  version: renewal.version,
  createdAt: renewal.createdAt,
};

const listedMax = 100;
const selectRenewals = (db: Queryable) =>
  db.drizzle
    .select(columns)
    .from(renewal)
    .innerJoin(profile, eq(profile.id, renewal.userId))
    .leftJoin(organisation, eq(organisation.id, renewal.organisationId));

/** The condition that a renewal is of a person, or of an organisation. */
const isOf = ({ userId, organisationId }: OrderPlace) =>
  organisationId === null
    ? and(eq(renewal.userId, userId), isNull(renewal.organisationId))
    : eq(renewal.organisationId, organisationId);

export async function findRenewal(db: Queryable, renewalNo: string): Promise<Renewal | null> {
  const [row] = await selectRenewals(db).where(eq(renewal.renewalNo, renewalNo));
  return (row ?? null) as Renewal | null;
}

/** The renewal that a message of the gateway names, at the account that the message came to. */
export async function findHinted(db: Queryable, account: string, hint: RenewalHint): Promise<Renewal | null> {
  const { renewalNo, subscriptionId } = hint;
  const isNamed =
    renewalNo === null ? eq(renewal.gatewaySubscriptionId, subscriptionId) : eq(renewal.renewalNo, renewalNo);
  const [row] = await selectRenewals(db).where(and(sql`${renewal.account} = ${account}`, isNamed));
  return (row ?? null) as Renewal | null;
}

/** Locked until the end of the transaction. Everything that changes a renewal locks it first, and then orders. */
export async function lockRenewal(tx: Queryable, id: bigint): Promise<Renewal> {
  const [row] = await selectRenewals(tx).where(eq(renewal.id, id)).for("update", { of: renewal });
  if (row === undefined) {
    throw new Error(`renewal ${id} is gone`);
  }
  return row as Renewal;
}

/** The renewals of a person or an organisation, newest first, without those that were never paid. */
export async function listRenewals(db: Queryable, place: OrderPlace): Promise<Renewal[]> {
  const rows = await selectRenewals(db)
    .where(and(isOf(place), inArray(renewal.status, ["active", "past_due", "ended"])))
    .orderBy(desc(renewal.id))
    .limit(listedMax);
  return rows as Renewal[];
}

/** The renewal of a plan that a person or an organisation has, or is about to pay for. */
export async function findOpenRenewal(db: Queryable, place: OrderPlace, planCode: string): Promise<Renewal | null> {
  const [row] = await selectRenewals(db)
    .where(and(isOf(place), eq(renewal.planCode, planCode), inArray(renewal.status, ["pending", "active", "past_due"])))
    // One that is paid goes before one that waits.
    .orderBy(sql`${renewal.status} = 'pending'`, desc(renewal.id))
    .limit(1);
  return (row ?? null) as Renewal | null;
}

export async function insertRenewal(
  tx: Queryable,
  made: OrderPlace & { readonly renewalNo: string; readonly plan: Plan },
): Promise<Renewal> {
  const { planCode, name, priceUsd, quota, groupName } = made.plan;
  const { renewalNo, userId, organisationId } = made;
  await tx.drizzle.insert(renewal).values({
    ...{ renewalNo, userId, organisationId, account: "default" },
    ...{ planCode, planName: name, priceUsd, quota, groupName },
  });
  const inserted = await findRenewal(tx, renewalNo);
  if (inserted === null) {
    throw new Error("the renewal was not inserted");
  }
  return inserted;
}

/** Keeps the page of a renewal. Returns false when the renewal was given up meanwhile. */
export async function saveCheckout(db: Queryable, id: bigint, { url, reference }: Checkout): Promise<boolean> {
  const rows = await db.drizzle
    .update(renewal)
    .set({ checkoutUrl: url, checkoutReference: reference, updatedAt: now })
    .where(and(eq(renewal.id, id), ne(renewal.status, "abandoned")))
    .returning({ id: renewal.id });
  return rows.length > 0;
}

export type AppliedState = {
  readonly status: RenewalStatus;
  readonly isCancelledAtEnd: boolean;
  readonly endReason: RenewalEnd | null;
  readonly gatewaySubscriptionId: string;
  readonly gatewayCustomerId: string;
  readonly periodEnd: Date | null;
  readonly keptUntil: Date | null;
  readonly failedAt: Date | null;
};

/** Saves the gateway's state of a renewal. */
export async function saveState(tx: Queryable, id: bigint, state: AppliedState): Promise<void> {
  await tx.drizzle
    .update(renewal)
    .set({ ...state, version: plusOne(renewal.version), updatedAt: now })
    .where(eq(renewal.id, id));
}

/** The end of the last month that was paid, or that was credited too. */
export async function lastPeriodEnd(tx: Queryable, id: bigint, state: "paid" | "credited"): Promise<Date | null> {
  const isCounted = state === "credited" ? isNotNull(order.creditedAt) : undefined;
  const [row] = await tx.drizzle
    .select({ end: renewalPeriod.periodEnd })
    .from(renewalPeriod)
    .innerJoin(order, eq(order.id, renewalPeriod.orderId))
    .where(and(eq(renewalPeriod.renewalId, id), isCounted))
    .orderBy(desc(renewalPeriod.periodEnd))
    .limit(1);
  return row?.end ?? null;
}

/** Records who ends a renewal, before the gateway is asked to. Once the end is certain, its reason stays. */
export async function saveEndReason(
  tx: Queryable,
  id: bigint,
  { reason, note }: { readonly reason: RenewalEnd; readonly note: string | null },
): Promise<void> {
  await tx.drizzle
    .update(renewal)
    .set({ endReason: reason, note, updatedAt: now })
    .where(
      and(
        eq(renewal.id, id),
        or(isNull(renewal.endReason), and(ne(renewal.status, "ended"), eq(renewal.isCancelledAtEnd, false))),
      ),
    );
}

/** The hosted page is closed by then, and its message may come a little later. */
const abandonedAfterHours = 3;

/** Gives up renewals that nobody has paid for; one that is paid after all becomes active. */
export async function abandonPending(db: Queryable, at: Date, limit: number): Promise<number> {
  const old = db.drizzle
    .select({ id: renewal.id })
    .from(renewal)
    .where(
      and(
        equalsConstant(renewal.status, "pending"),
        lte(renewal.createdAt, sql`${at}::timestamptz - make_interval(hours => ${abandonedAfterHours}::int)`),
      ),
    )
    .limit(limit)
    .for("update", { skipLocked: true });
  const rows = await db.drizzle
    .update(renewal)
    .set({ status: "abandoned", version: plusOne(renewal.version), updatedAt: now })
    .where(inArray(renewal.id, old))
    .returning({ id: renewal.id });
  return rows.length;
}

/** Gives up one that waits. Returns its page at the gateway, if it was opened. */
export async function abandonRenewal(tx: Queryable, id: bigint): Promise<string | null> {
  const rows = await tx.drizzle
    .update(renewal)
    .set({ status: "abandoned", version: plusOne(renewal.version), updatedAt: now })
    .where(and(eq(renewal.id, id), equalsConstant(renewal.status, "pending")))
    .returning({ reference: renewal.checkoutReference });
  return rows[0]?.reference ?? null;
}

/** Renewals of plans that their accounts have already by an older one. */
export async function selectSecond(db: Queryable, limit: number): Promise<Renewal[]> {
  const first = alias(renewal, "first_renewal");
  const earlier = db.drizzle
    .select({ id: first.id })
    .from(first)
    .where(
      and(
        sql`coalesce(${first.organisationId}, 0) = coalesce(${renewal.organisationId}, 0)`,
        or(isNotNull(renewal.organisationId), eq(first.userId, renewal.userId)),
        eq(first.planCode, renewal.planCode),
        inArray(first.status, ["active", "past_due"]),
        lt(first.id, renewal.id),
      ),
    );
  const rows = await selectRenewals(db)
    .where(and(inArray(renewal.status, ["active", "past_due"]), exists(earlier)))
    .orderBy(asc(renewal.updatedAt), asc(renewal.id))
    .limit(limit);
  return rows as Renewal[];
}

/** Renewals of organisations that those whose cards are charged may no longer pay for. */
export async function selectLeft(db: Queryable, limit: number): Promise<Renewal[]> {
  const paying = db.drizzle
    .select({ id: member.id })
    .from(member)
    .where(and(eq(member.organisationId, renewal.organisationId), eq(member.userId, renewal.userId), isPaying));
  const rows = await selectRenewals(db)
    .where(
      and(
        isNotNull(renewal.organisationId),
        inArray(renewal.status, ["active", "past_due"]),
        eq(renewal.isCancelledAtEnd, false),
        notExists(paying),
      ),
    )
    .orderBy(asc(renewal.updatedAt), asc(renewal.id))
    .limit(limit);
  return rows as Renewal[];
}

/** The gateway takes about an hour to charge for a month. */
const overdueAfterHours = 2;

/** Renewals whose next month is paid or refused by now, as far as the gateway was last heard of. Those asked last come last. */
export async function selectOverdue(db: Queryable, at: Date, limit: number): Promise<Renewal[]> {
  const rows = await selectRenewals(db)
    .where(
      and(
        equalsConstant(renewal.status, "active"),
        lte(renewal.periodEnd, sql`${at}::timestamptz - make_interval(hours => ${overdueAfterHours}::int)`),
      ),
    )
    .orderBy(asc(renewal.updatedAt), asc(renewal.id))
    .limit(limit);
  return rows as Renewal[];
}

/** Renewals whose charge failed, and whose time to pay is over. */
export async function selectUnpaid(db: Queryable, at: Date, limit: number): Promise<Renewal[]> {
  const rows = await selectRenewals(db)
    .where(and(equalsConstant(renewal.status, "past_due"), lte(renewal.keptUntil, at)))
    .orderBy(asc(renewal.keptUntil))
    .limit(limit);
  return rows as Renewal[];
}

/** Keeps the new terms of a plan for its renewals, until their customers are told of them. */
export async function proposeTerms(tx: Queryable, planCode: string, terms: RenewalTerms): Promise<void> {
  const { planName, priceUsd, quota, groupName } = terms;
  const isSame = sql`(${renewal.priceUsd}, ${renewal.quota}) = (${priceUsd}::numeric, ${quota}::bigint)
    and ${renewal.groupName} is not distinct from ${groupName}::text`;
  const ofPlan = and(eq(renewal.planCode, planCode), inArray(renewal.status, ["pending", "active", "past_due"]));
  await tx.drizzle
    .update(renewal)
    .set({
      ...{ nextPlanName: planName, nextPriceUsd: priceUsd, nextQuota: quota, nextGroupName: groupName },
      ...{ nextFrom: null, noticedAt: null },
    })
    .where(and(ofPlan, sql`not (${isSame})`));
  await tx.drizzle.update(renewal).set(noNextTerms).where(and(ofPlan, isSame));
}

const noNextTerms = {
  ...{ nextPlanName: null, nextPriceUsd: null, nextQuota: null, nextGroupName: null },
  ...{ nextFrom: null, noticedAt: null },
};

const hasNext = isNotNull(renewal.nextPriceUsd);

/** Renewals whose customers have not been told about new terms yet. */
export async function selectUnnoticed(db: Queryable, limit: number): Promise<bigint[]> {
  const rows = await db.drizzle
    .select({ id: renewal.id })
    .from(renewal)
    .where(and(hasNext, isNull(renewal.noticedAt), inArray(renewal.status, ["active", "past_due"])))
    .orderBy(asc(renewal.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}

export async function saveNotice(tx: Queryable, id: bigint, notice: { from: Date; at: Date }): Promise<void> {
  await tx.drizzle
    .update(renewal)
    .set({ nextFrom: notice.from, noticedAt: notice.at, updatedAt: now })
    .where(eq(renewal.id, id));
}

/** The gateway prepares an invoice at the end of a month; a price is changed early enough before. */
const aheadHours = 2;

/** Renewals whose next month begins on new terms. */
export async function selectChanging(db: Queryable, at: Date, limit: number): Promise<Renewal[]> {
  const rows = await selectRenewals(db)
    .where(
      and(
        hasNext,
        equalsConstant(renewal.status, "active"),
        eq(renewal.isCancelledAtEnd, false),
        gte(renewal.periodEnd, renewal.nextFrom),
        gte(renewal.periodEnd, sql`${at}::timestamptz + make_interval(hours => ${aheadHours}::int)`),
      ),
    )
    .orderBy(asc(renewal.id))
    .limit(limit);
  return rows as Renewal[];
}

/** Applies terms to the months to come. Newer ones that the customer has not been told about stay. */
export async function saveTerms(tx: Queryable, changed: Renewal, terms: RenewalTerms): Promise<void> {
  const locked = await lockRenewal(tx, changed.id);
  const isCurrent = locked.noticedAt?.getTime() === changed.noticedAt?.getTime();
  await tx.drizzle
    .update(renewal)
    .set({ ...terms, ...(isCurrent ? noNextTerms : {}), updatedAt: now })
    .where(eq(renewal.id, changed.id));
}

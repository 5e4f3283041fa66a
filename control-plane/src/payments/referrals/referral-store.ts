import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { ReferralRefusal, ReferralState } from "@sluice/contracts/referrals";
import { and, count, desc, eq, gt, gte, inArray, isNull, lt, ne, or, type SQL } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { userProfile as profile } from "../../db/schema/accounts.ts";
import { accountClosing as closing } from "../../db/schema/closing.ts";
import { referral, referralCode } from "../../db/schema/referrals.ts";
import { userRegistration as registration } from "../../db/schema/registration.ts";
import { type Queryable, rowsWritten } from "../../platform/db.ts";
import { reversalMark } from "../model.ts";

export async function findCode(db: Queryable, userId: UserId): Promise<string | null> {
  const [row] = await db.drizzle
    .select({ code: referralCode.code })
    .from(referralCode)
    .where(eq(referralCode.userId, userId));
  return row?.code ?? null;
}

/** Keeps a user's code. False when the user has one, or the code is taken. */
export async function insertCode(tx: Queryable, userId: UserId, code: string): Promise<boolean> {
  const rows = await tx.drizzle
    .insert(referralCode)
    .values({ userId, code })
    .onConflictDoNothing()
    .returning({ userId: referralCode.userId });
  return rows.length > 0;
}

/** The user whose code this is, if the account is open. */
export async function findInviter(db: Queryable, code: string): Promise<UserId | null> {
  const [row] = await db.drizzle
    .select({ userId: referralCode.userId })
    .from(referralCode)
    .innerJoin(profile, eq(profile.id, referralCode.userId))
    .where(and(eq(referralCode.code, code), eq(profile.status, "active")));
  return (row?.userId ?? null) as UserId | null;
}

export type NewReferral = {
  readonly inviterId: UserId;
  readonly invitedId: UserId;
  readonly inviterQuota: bigint;
  readonly invitedQuota: bigint;
  readonly waitDays: number;
};

export async function insertReferral(tx: Queryable, made: NewReferral): Promise<void> {
  await tx.drizzle.insert(referral).values(made).onConflictDoNothing({ target: referral.invitedId });
}

export type Referral = NewReferral & {
  readonly id: bigint;
  readonly state: ReferralState;
  readonly orderId: bigint | null;
  readonly decidedAt: Date | null;
  readonly createdAt: Date;
};

const columns = {
  id: referral.id,
  inviterId: referral.inviterId,
  invitedId: referral.invitedId,
  inviterQuota: referral.inviterQuota,
  invitedQuota: referral.invitedQuota,
  waitDays: referral.waitDays,
  state: referral.state,
  orderId: referral.orderId,
  decidedAt: referral.decidedAt,
  createdAt: referral.createdAt,
};

/** The referral, locked until the end of the transaction. */
export async function lockReferral(tx: Queryable, id: bigint): Promise<Referral | null> {
  const [row] = await tx.drizzle.select(columns).from(referral).where(eq(referral.id, id)).for("update");
  return (row ?? null) as Referral | null;
}

/** Those whom a user has invited, below an id, newest first, with their addresses. */
export async function selectReferrals(
  db: Queryable,
  inviterId: UserId,
  page: { readonly below: bigint | null; readonly limit: number },
): Promise<(Referral & { readonly email: string })[]> {
  const rows = await db.drizzle
    .select({ ...columns, email: profile.email })
    .from(referral)
    .innerJoin(profile, eq(profile.id, referral.invitedId))
    .where(and(eq(referral.inviterId, inviterId), page.below === null ? undefined : lt(referral.id, page.below)))
    .orderBy(desc(referral.id))
    .limit(page.limit);
  return rows as (Referral & { email: string })[];
}

export type Due = { readonly id: bigint; readonly orderNo: string };

/**
 * Pending referrals whose invited person has an open account and has paid, for that account and by a gateway, with that payment: it has
 * lasted for the days of the referral, and no money of it went back. Not while the inviter is suspended, nor while either is closing.
 */
export async function selectDue(
  db: Queryable,
  { at, minimumUsd, limit }: { readonly at: Date; readonly minimumUsd: string; readonly limit: number },
): Promise<Due[]> {
  return [
    ...(await db.sql<Due>`
      select r.id, o.order_no as "orderNo"
      from referral r cross join lateral (
        select o.order_no from sales_order o join payment p on p.order_id = o.id
        where o.user_id = r.invited_id and o.organisation_id is null and o.status = 'settled' and o.resolution is null
          and o.review_reason is null and p.gateway in ('walletpay', 'cardpay') and p.amount_usd >= ${minimumUsd}::numeric
          and o.settled_at <= ${at}::timestamptz - make_interval(days => r.wait_days)
          and not exists (select from refund b where b.order_id = o.id and b.status <> 'failed')
        order by o.settled_at, o.id limit 1
      ) o
      where r.state = 'pending' and not exists (
        select from user_profile u left join account_closing c on c.user_id = u.id and c.done_at is null
        where u.id in (r.inviter_id, r.invited_id) and (c.user_id is not null
          or u.status <> 'active' and not (u.status = 'closed' and u.id = r.inviter_id)))
      order by r.id limit ${limit}::integer`),
  ];
}

/** Rewarded referrals whose payment has gone back since, or is disputed; only those that were decided after a time. */
export async function selectBroken(db: Queryable, after: Date, limit: number): Promise<bigint[]> {
  const rows = await db.sql<{ id: bigint }>`
    select r.id from referral r join sales_order o on o.id = r.order_id
    where r.state = 'rewarded' and r.decided_at > ${after}::timestamptz
      and (starts_with(coalesce(o.review_reason, ''), ${reversalMark})
        or exists (select from refund b where b.order_id = o.id and b.status <> 'failed'))
    order by r.id limit ${limit}::integer`;
  return rows.map(({ id }) => id);
}

/** Ends what people whose accounts are closed can't be rewarded for any more. Returns how many. */
export async function refuseClosed(db: Queryable, at: Date, limit: number): Promise<number> {
  const closed = db.drizzle
    .select({ id: referral.id })
    .from(referral)
    .innerJoin(profile, eq(profile.id, referral.invitedId))
    .where(and(eq(referral.state, "pending"), eq(profile.status, "closed")))
    .limit(limit);
  const written = await db.drizzle
    .update(referral)
    .set({ state: "refused", refusal: "closed", decidedAt: at, updatedAt: now })
    .where(and(eq(referral.state, "pending"), inArray(referral.id, closed)));
  return rowsWritten(written);
}

/** Which of both accounts are open, and which closed; neither if suspended or closing. Their rows stay locked against closing. */
export async function lockBoth(
  tx: Queryable,
  { inviterId, invitedId }: Pick<Referral, "inviterId" | "invitedId">,
): Promise<ReadonlyMap<UserId, { readonly isOpen: boolean; readonly isClosed: boolean }>> {
  const ids = [inviterId, invitedId];
  const rows = await tx.drizzle
    .select({ id: profile.id, status: profile.status })
    .from(profile)
    .where(inArray(profile.id, ids))
    .orderBy(profile.id)
    .for("share");
  // After the lock, so that a closing which has just begun is seen.
  const begun = await tx.drizzle
    .select({ userId: closing.userId })
    .from(closing)
    .where(and(inArray(closing.userId, ids), isNull(closing.doneAt)));
  const areClosing = new Set(begun.map(({ userId }) => userId));
  return new Map(
    rows.map(({ id, status }) => {
      const isOpen = status === "active" && !areClosing.has(id);
      return [id as UserId, { isOpen, isClosed: status === "closed" }];
    }),
  );
}

/** Where an account came from; null for one that nobody registered here. */
export type Origin = { readonly network: string; readonly device: string | null; readonly addressKey: Uint8Array };

export async function findOrigin(db: Queryable, userId: UserId): Promise<Origin | null> {
  const { network, device, addressKey } = registration;
  const [row] = await db.drizzle
    .select({ network, device, addressKey })
    .from(registration)
    .where(eq(registration.userId, userId));
  return row ?? null;
}

/** How many other accounts were registered for the same address, and in the same browser under any of its texts. */
export async function countTwins(
  db: Queryable,
  userId: UserId,
  { addressKey, devices }: { readonly addressKey: Uint8Array; readonly devices: readonly string[] },
): Promise<{ readonly address: number; readonly device: number }> {
  const others = async (is: SQL): Promise<number> => {
    const [row] = await db.drizzle
      .select({ count: count() })
      .from(registration)
      .where(and(is, ne(registration.userId, userId)));
    return row?.count ?? 0;
  };
  return {
    address: await others(eq(registration.addressKey, addressKey)),
    device: devices.length === 0 ? 0 : await others(inArray(registration.device, [...devices])),
  };
}

const isPaid = or(eq(referral.state, "rewarded"), eq(referral.state, "taken_back"));

/** For how many people from a network, under any of its texts, there was a reward. */
export async function countFromNetwork(db: Queryable, networks: readonly string[]): Promise<number> {
  const [row] = await db.drizzle
    .select({ count: count() })
    .from(referral)
    .innerJoin(registration, eq(registration.userId, referral.invitedId))
    .where(and(isPaid, inArray(registration.network, [...networks])));
  return row?.count ?? 0;
}

/** How often a user was rewarded since a time. */
export async function countRewards(db: Queryable, inviterId: UserId, since: Date): Promise<number> {
  const [row] = await db.drizzle
    .select({ count: count() })
    .from(referral)
    .where(and(isPaid, eq(referral.inviterId, inviterId), gte(referral.decidedAt, since)));
  return row?.count ?? 0;
}

export async function markRefused(tx: Queryable, id: bigint, refusal: ReferralRefusal, at: Date): Promise<void> {
  await tx.drizzle
    .update(referral)
    .set({ state: "refused", refusal, decidedAt: at, updatedAt: now })
    .where(eq(referral.id, id));
}

/** @param inviterQuota what the inviter gets now, which is less than was offered if the account is closed */
export async function markRewarded(
  tx: Queryable,
  { id, inviterQuota }: Pick<Referral, "id" | "inviterQuota">,
  orderId: bigint,
  at: Date,
): Promise<void> {
  await tx.drizzle
    .update(referral)
    .set({ state: "rewarded", orderId, inviterQuota, decidedAt: at, updatedAt: now })
    .where(eq(referral.id, id));
}

export async function markTakenBack(tx: Queryable, id: bigint, at: Date): Promise<void> {
  await tx.drizzle
    .update(referral)
    .set({ state: "taken_back", takenBackAt: at, updatedAt: now })
    .where(eq(referral.id, id));
}

/** The accounts of two users at the gateway, in the order in which their budgets are locked. */
export async function accountsOf(
  db: Queryable,
  userIds: readonly UserId[],
): Promise<{ readonly userId: UserId; readonly gatewayUserId: GatewayUserId }[]> {
  const rows = await db.drizzle
    .select({ userId: profile.id, gatewayUserId: profile.gatewayUserId })
    .from(profile)
    .where(and(inArray(profile.id, [...userIds]), gt(profile.gatewayUserId, 0n)))
    .orderBy(profile.gatewayUserId);
  return rows as { userId: UserId; gatewayUserId: GatewayUserId }[];
}

import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import { and, asc, eq, exists, gt, inArray, isNull, lte, ne, notExists, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { ago, equalsInAnyCase, fromNow, isSet, now } from "../../db/expressions.ts";
import {
  accountToken,
  managementToken,
  userProfile as profile,
  recoveryCode,
  session,
} from "../../db/schema/accounts.ts";
import { refund, salesOrder, subscription } from "../../db/schema/billing.ts";
import { legalConsent } from "../../db/schema/branding.ts";
import { accountClosing as closing } from "../../db/schema/closing.ts";
import { eventTarget } from "../../db/schema/events.ts";
import { apiKey } from "../../db/schema/gateway-keys.ts";
import { userGroupMember } from "../../db/schema/group-members.ts";
import { buyerData } from "../../db/schema/invoices.ts";
import { mailInbox, mailLog } from "../../db/schema/mail.ts";
import { importedCall, importedUsage } from "../../db/schema/moving.ts";
import { organisationMember as member, organisation, organisationInvitation } from "../../db/schema/organisations.ts";
import { passkey } from "../../db/schema/passkeys.ts";
import { renewal } from "../../db/schema/renewals.ts";
import { userIdentity } from "../../db/schema/sign-in.ts";
import { autoTopUp } from "../../db/schema/top-ups.ts";
import { ownPayloadReading } from "../../db/schema/trace.ts";
import { type Queryable, rowsWritten } from "../../platform/db.ts";
import type { Account, Closing, Counts } from "./model.ts";

export async function insertClosing(
  tx: Queryable,
  made: Pick<Closing, "userId" | "requestedBy" | "agreedQuota"> & {
    readonly adminName: string | null;
    readonly reason: string | null;
    readonly days: number;
  },
): Promise<Closing> {
  const { days, ...row } = made;
  const [inserted] = await tx.drizzle
    .insert(closing)
    .values({ ...row, closesAt: fromNow(days, "days") })
    .returning(shown);
  if (inserted === undefined) {
    throw new Error("the closing was not inserted");
  }
  return inserted as Closing;
}

const shown = {
  userId: closing.userId,
  requestedAt: closing.requestedAt,
  closesAt: closing.closesAt,
  requestedBy: closing.requestedBy,
  agreedQuota: closing.agreedQuota,
  doneAt: closing.doneAt,
};

export async function findClosing(db: Queryable, userId: UserId): Promise<Closing | null> {
  const [row] = await db.drizzle.select(shown).from(closing).where(eq(closing.userId, userId));
  return (row ?? null) as Closing | null;
}

export async function deleteClosing(tx: Queryable, userId: UserId): Promise<void> {
  await tx.drizzle.delete(closing).where(and(eq(closing.userId, userId), isNull(closing.doneAt)));
}

/** Users whose time to undo it is over, the longest waiting first. */
export async function selectDue(db: Queryable, most: number): Promise<UserId[]> {
  const rows = await db.drizzle
    .select({ userId: closing.userId })
    .from(closing)
    .where(and(isNull(closing.doneAt), lte(closing.closesAt, now)))
    .orderBy(asc(closing.triedAt), asc(closing.closesAt))
    .limit(most);
  return rows.map(({ userId }) => userId as UserId);
}

/** The closing, if its time is over; `isLate` once it has been for a day. The row stays locked. */
export async function lockDue(
  tx: Queryable,
  userId: UserId,
): Promise<{ readonly agreedQuota: bigint; readonly isLate: boolean } | null> {
  const [row] = await tx.drizzle
    .select({ agreedQuota: closing.agreedQuota, isLate: sql<boolean>`${closing.closesAt} < ${ago(1, "days")}` })
    .from(closing)
    .where(and(eq(closing.userId, userId), isNull(closing.doneAt), lte(closing.closesAt, now)))
    .for("update");
  return row ?? null;
}

/** Those that could not be closed come after the others next time. */
export async function markTried(db: Queryable, userId: UserId): Promise<void> {
  await db.drizzle.update(closing).set({ triedAt: now }).where(eq(closing.userId, userId));
}

export async function markDone(tx: Queryable, userId: UserId): Promise<void> {
  await tx.drizzle.update(closing).set({ doneAt: now }).where(eq(closing.userId, userId));
}

export async function findAccount(db: Queryable, userId: UserId): Promise<Account | null> {
  const [row] = await db.drizzle
    .select({
      userId: profile.id,
      gatewayUserId: profile.gatewayUserId,
      email: profile.email,
      locale: profile.locale,
      status: profile.status,
    })
    .from(profile)
    .where(eq(profile.id, userId));
  return (row ?? null) as Account | null;
}

const other = alias(member, "other");
const otherProfile = alias(profile, "other_profile");

/** The organisations that a user belongs to: whether anybody else does, and whether another owner can log in. */
export async function selectMemberships(
  tx: Queryable,
  userId: UserId,
): Promise<
  {
    readonly memberId: bigint;
    readonly organisationId: bigint;
    readonly gatewayUserId: GatewayUserId;
    /** Whether it is not suspended. */
    readonly isOpen: boolean;
    readonly isAlone: boolean;
    readonly isNeeded: boolean;
  }[]
> {
  const others = (mayOnlyOwn: boolean) =>
    tx.drizzle
      .select({ id: other.id })
      .from(other)
      .innerJoin(otherProfile, eq(otherProfile.id, other.userId))
      .where(
        and(
          eq(other.organisationId, member.organisationId),
          ne(other.userId, userId),
          isNull(other.leftAt),
          mayOnlyOwn ? and(eq(other.role, "owner"), eq(otherProfile.status, "active")) : undefined,
        ),
      );
  const rows = await tx.drizzle
    .select({
      memberId: member.id,
      organisationId: member.organisationId,
      gatewayUserId: organisation.gatewayUserId,
      isOpen: sql<boolean>`${eq(organisation.status, "active")}`,
      isAlone: sql<boolean>`${notExists(others(false))}`,
      isNeeded: sql<boolean>`${eq(member.role, "owner")} and ${exists(others(false))} and ${notExists(others(true))}`,
    })
    .from(member)
    .innerJoin(organisation, eq(organisation.id, member.organisationId))
    .where(and(eq(member.userId, userId), isNull(member.leftAt)))
    .orderBy(asc(member.organisationId));
  return rows as Awaited<ReturnType<typeof selectMemberships>>;
}

/** What belongs to an account beside its balance and its organisations. */
export async function countThings(
  tx: Queryable,
  { userId, gatewayUserId }: Account,
): Promise<Omit<Counts, "memberships" | "own_organisations" | "shared_organisations">> {
  const ofOrders = tx.drizzle.select({ id: salesOrder.id }).from(salesOrder).where(eq(salesOrder.userId, userId));
  return {
    months: await tx.drizzle.$count(
      subscription,
      and(eq(subscription.userId, userId), eq(subscription.status, "active")),
    ),
    keys: await tx.drizzle.$count(apiKey, and(eq(apiKey.gatewayUserId, gatewayUserId), ne(apiKey.status, "revoked"))),
    access_tokens: await tx.drizzle.$count(
      managementToken,
      and(eq(managementToken.userId, userId), isNull(managementToken.revokedAt), gt(managementToken.expiresAt, now)),
    ),
    sessions: await tx.drizzle.$count(
      session,
      and(eq(session.userId, userId), isNull(session.revokedAt), gt(session.expiresAt, now)),
    ),
    webhooks: await tx.drizzle.$count(eventTarget, eq(eventTarget.gatewayUserId, gatewayUserId)),
    passkeys: await tx.drizzle.$count(passkey, eq(passkey.userId, userId)),
    sign_ins: await tx.drizzle.$count(userIdentity, eq(userIdentity.userId, userId)),
    renewals: await tx.drizzle.$count(
      renewal,
      and(eq(renewal.userId, userId), inArray(renewal.status, ["pending", "active", "past_due"])),
    ),
    top_ups: await tx.drizzle.$count(
      autoTopUp,
      and(eq(autoTopUp.userId, userId), inArray(autoTopUp.status, ["pending", "on", "stopped"])),
    ),
    open_orders: await tx.drizzle.$count(
      salesOrder,
      and(eq(salesOrder.userId, userId), inArray(salesOrder.status, ["pending", "review"])),
    ),
    open_refunds: await tx.drizzle.$count(refund, and(inArray(refund.orderId, ofOrders), eq(refund.status, "pending"))),
  };
}

/** Ends all API keys of these accounts. Returns how many. */
export async function revokeKeys(tx: Queryable, gatewayUserIds: readonly GatewayUserId[]): Promise<number> {
  const written = await tx.drizzle
    .update(apiKey)
    .set({ status: "revoked", updatedAt: now })
    .where(and(inArray(apiKey.gatewayUserId, [...gatewayUserIds]), ne(apiKey.status, "revoked")));
  return rowsWritten(written);
}

/** Ends the membership, with the member's keys and open invitations. */
export async function endMembership(tx: Queryable, memberId: bigint): Promise<void> {
  await tx.drizzle.update(member).set({ leftAt: now, updatedAt: now }).where(eq(member.id, memberId));
  await tx.drizzle
    .update(apiKey)
    .set({ status: "revoked", updatedAt: now })
    .where(and(eq(apiKey.memberId, memberId), ne(apiKey.status, "revoked")));
}

/** An organisation that nobody belongs to any more. What names it is replaced once it is closed. */
export async function suspendOrganisation(tx: Queryable, organisationId: bigint): Promise<void> {
  await tx.drizzle
    .update(organisation)
    .set({ status: "suspended", updatedAt: now })
    .where(eq(organisation.id, organisationId));
}

/** Everything with which the account can be opened, and what reports from it. */
export async function deleteAccess(tx: Queryable, { userId, gatewayUserId }: Account): Promise<void> {
  await tx.drizzle.delete(session).where(eq(session.userId, userId));
  await tx.drizzle.delete(accountToken).where(eq(accountToken.userId, userId));
  await tx.drizzle.delete(recoveryCode).where(eq(recoveryCode.userId, userId));
  await tx.drizzle.delete(passkey).where(eq(passkey.userId, userId));
  await tx.drizzle.delete(userIdentity).where(eq(userIdentity.userId, userId));
  await deleteWallet(tx, gatewayUserId);
}

/** What reports from an account at the gateway, and what it may do. */
async function deleteWallet(tx: Queryable, gatewayUserId: GatewayUserId): Promise<void> {
  await tx.drizzle.delete(eventTarget).where(eq(eventTarget.gatewayUserId, gatewayUserId));
  await tx.drizzle.delete(ownPayloadReading).where(eq(ownPayloadReading.gatewayUserId, gatewayUserId));
  await tx.drizzle.delete(userGroupMember).where(eq(userGroupMember.gatewayUserId, gatewayUserId));
}

/**
 * The same of an organisation that ends with its last member: its name, and the name and address on its invoices, are
 * often those of a person. Invoices keep their copies.
 */
export async function forgetOrganisation(
  tx: Queryable,
  { organisationId, gatewayUserId }: { readonly organisationId: bigint; readonly gatewayUserId: GatewayUserId },
  pseudonym: string,
): Promise<void> {
  await deleteWallet(tx, gatewayUserId);
  await tx.drizzle.delete(buyerData).where(eq(buyerData.organisationId, organisationId));
  await tx.drizzle
    .update(salesOrder)
    .set({ buyer: null })
    .where(and(eq(salesOrder.organisationId, organisationId), isSet(salesOrder.buyer)));
  await tx.drizzle.delete(importedUsage).where(eq(importedUsage.gatewayUserId, gatewayUserId));
  await tx.drizzle.delete(importedCall).where(eq(importedCall.gatewayUserId, gatewayUserId));
  await tx.drizzle
    .update(organisation)
    .set({ name: pseudonym, updatedAt: now })
    .where(eq(organisation.id, organisationId));
}

/**
 * Replaces what names the person. The rows stay, because the books name them; invoices keep their copies of the buyer's
 * data, which the law wants, the audit log what was done, and the record of consents what was accepted, without the address. What the person used in another gateway before is in no
 * books, so it goes.
 */
export async function forgetPerson(
  tx: Queryable,
  { userId, gatewayUserId, email }: Account,
  pseudonym: string,
): Promise<void> {
  await tx.drizzle
    .update(profile)
    .set({
      email: pseudonym,
      username: null,
      displayName: null,
      passwordHash: null,
      status: "closed",
      verificationEmailError: null,
      totpSealed: null,
      totpEnabledAt: null,
      totpLastStep: null,
      passkeyHandle: null,
      updatedAt: now,
    })
    .where(eq(profile.id, userId));
  await tx.drizzle.update(managementToken).set({ lastUsedIp: null }).where(eq(managementToken.userId, userId));
  await tx.drizzle
    .update(salesOrder)
    .set({ email: pseudonym })
    .where(and(eq(salesOrder.userId, userId), isSet(salesOrder.email)));
  await tx.drizzle.update(legalConsent).set({ ip: null }).where(eq(legalConsent.userId, userId));
  await tx.drizzle.delete(buyerData).where(eq(buyerData.userId, userId));
  await tx.drizzle
    .update(salesOrder)
    .set({ buyer: null })
    .where(and(eq(salesOrder.userId, userId), isNull(salesOrder.organisationId), isSet(salesOrder.buyer)));
  await tx.drizzle.delete(importedUsage).where(eq(importedUsage.gatewayUserId, gatewayUserId));
  await tx.drizzle.delete(importedCall).where(eq(importedCall.gatewayUserId, gatewayUserId));
  await tx.drizzle.delete(mailInbox).where(eq(mailInbox.userId, userId));
  await tx.drizzle
    .update(organisationInvitation)
    .set({
      email: pseudonym,
      revokedAt: sql`case when ${organisationInvitation.acceptedAt} is null then coalesce(${organisationInvitation.revokedAt}, now()) end`,
    })
    .where(equalsInAnyCase(organisationInvitation.email, email));
}

/** Mails to closed accounts are forgotten once they were sent, the last one included. */
export async function forgetMails(db: Queryable, most: number): Promise<number> {
  const done = db.drizzle
    .select({ id: mailLog.id })
    .from(mailLog)
    .innerJoin(closing, eq(closing.userId, mailLog.userId))
    .innerJoin(profile, eq(profile.id, closing.userId))
    .where(
      and(
        isSet(closing.doneAt),
        ne(mailLog.toAddress, profile.email),
        inArray(mailLog.status, ["sent", "dead", "dropped"]),
      ),
    )
    .limit(most);
  const address = sql`(select ${profile.email} from ${profile} where ${profile.id} = ${mailLog.userId})`;
  const written = await db.drizzle.update(mailLog).set({ toAddress: address }).where(inArray(mailLog.id, done));
  return rowsWritten(written);
}

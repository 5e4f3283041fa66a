import { consequenceDays, consequenceNamesMax } from "@sluice/contracts/previewed-operations";
import {
  and,
  count,
  countDistinct,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  type SQL,
  sql,
  sum,
} from "drizzle-orm";
import { ago, countOfRows, now } from "../../db/expressions.ts";
import { session, userProfile } from "../../db/schema/accounts.ts";
import { auditLog } from "../../db/schema/admins.ts";
import { salesOrder } from "../../db/schema/billing.ts";
import { apiKey, gatewayUser } from "../../db/schema/gateway-keys.ts";
import { ability, channel, model } from "../../db/schema/gateway-routing.ts";
import { organisation, organisationMember } from "../../db/schema/organisations.ts";
import { renewal } from "../../db/schema/renewals.ts";
import { setting } from "../../db/schema/settings.ts";
import { signInProvider, userIdentity } from "../../db/schema/sign-in.ts";
import { autoTopUp } from "../../db/schema/top-ups.ts";
import { usageRollup, usageUserSum } from "../../db/schema/usage-rollup.ts";
import type { Queryable } from "../../platform/db.ts";

/** Something that a request changes, by its entry in the audit log. */
export type Subject = { readonly kind: string; readonly id: string; readonly isNew: boolean };

/** One request changes no more things than this that are looked at. */
const subjectsMax = 50;

/** What a request has changed so far, the first change first. Read in its transaction. */
export async function readSubjects(tx: Queryable, requestId: string): Promise<Subject[]> {
  const latest = tx.drizzle
    .select({
      id: auditLog.id,
      requestId: auditLog.requestId,
      kind: auditLog.subjectKind,
      subjectId: auditLog.subjectId,
      isNew: sql<boolean>`${auditLog.before} is null`.as("is_new"),
    })
    .from(auditLog)
    .orderBy(desc(auditLog.id))
    .limit(subjectsMax)
    .as("latest");
  const rows = await tx.drizzle.select().from(latest).where(eq(latest.requestId, requestId)).orderBy(latest.id);
  return rows.map(({ kind, subjectId, isNew }) => ({ kind, id: subjectId, isNew }));
}

/** A model that a group can call. */
export type Reach = { readonly group: string; readonly model: string };

/** Every model that keys of a group can call: it is enabled, and so is a channel that serves it there. */
export async function readReach(db: Queryable): Promise<Reach[]> {
  return await db.drizzle
    .selectDistinct({ group: ability.groupName, model: ability.model })
    .from(ability)
    .innerJoin(channel, eq(channel.id, ability.channelId))
    .innerJoin(model, eq(model.name, ability.model))
    .where(and(eq(ability.isEnabled, true), eq(channel.status, "enabled"), eq(model.status, "enabled")))
    .orderBy(ability.model, ability.groupName);
}

export type Calls = {
  readonly calls: bigint;
  readonly callers: bigint;
  readonly keys: bigint;
  readonly quota: bigint;
};

const recently = ago(consequenceDays, "days");

async function countCalls(db: Queryable, condition: SQL | undefined): Promise<Calls> {
  const [row] = await db.drizzle
    .select({
      calls: sum(usageUserSum.calls),
      callers: countDistinct(usageUserSum.gatewayUserId),
      keys: countDistinct(usageUserSum.apiKeyId),
      quota: sum(usageUserSum.settledQuota),
    })
    .from(usageUserSum)
    .where(and(eq(usageUserSum.grain, "hours"), gte(usageUserSum.startsAt, recently), condition));
  return {
    calls: BigInt(row?.calls ?? 0),
    callers: BigInt(row?.callers ?? 0),
    keys: BigInt(row?.keys ?? 0),
    quota: BigInt(row?.quota ?? 0),
  };
}

export async function countCallsOfModel(db: Queryable, name: string): Promise<Calls> {
  return await countCalls(db, eq(usageUserSum.model, name));
}

export async function countCallsOfKey(db: Queryable, keyId: bigint): Promise<Calls> {
  // The sums are indexed by account first.
  const account = db.drizzle.select({ id: apiKey.gatewayUserId }).from(apiKey).where(eq(apiKey.id, keyId));
  return await countCalls(db, and(eq(usageUserSum.apiKeyId, keyId), eq(usageUserSum.gatewayUserId, account)));
}

export async function countCallsOfAccount(db: Queryable, gatewayUserId: bigint): Promise<Calls> {
  return await countCalls(db, eq(usageUserSum.gatewayUserId, gatewayUserId));
}

export async function countCallsOfChannel(db: Queryable, channelId: bigint): Promise<bigint> {
  const [row] = await db.drizzle
    .select({ calls: sum(usageRollup.calls) })
    .from(usageRollup)
    .where(
      and(
        eq(usageRollup.slice, "route_hours"),
        gte(usageRollup.startsAt, recently),
        eq(usageRollup.channelId, channelId),
      ),
    );
  return BigInt(row?.calls ?? 0);
}

/** Accounts that have a group other than by its being public, and the live keys that name it. */
export async function countHolders(
  db: Queryable,
  group: string,
): Promise<{ readonly accounts: bigint; readonly keys: bigint }> {
  const [holders] = await db.sql<{ accounts: bigint }>`
    select count(distinct gateway_user_id) as accounts from group_of_user
    where group_name = ${group} and source <> 'public'`;
  const [keys] = await db.drizzle
    .select({ keys: count() })
    .from(apiKey)
    .where(and(eq(apiKey.groupName, group), eq(apiKey.status, "active")));
  return { accounts: holders?.accounts ?? 0n, keys: BigInt(keys?.keys ?? 0) };
}

export async function countLiveKeys(db: Queryable, gatewayUserId: bigint | null): Promise<bigint> {
  const isOwned = gatewayUserId === null ? undefined : eq(apiKey.gatewayUserId, gatewayUserId);
  const [row] = await db.drizzle
    .select({ keys: count() })
    .from(apiKey)
    .where(and(eq(apiKey.status, "active"), isOwned));
  return BigInt(row?.keys ?? 0);
}

export async function countAccounts(db: Queryable): Promise<bigint> {
  const [row] = await db.drizzle.select({ accounts: count() }).from(gatewayUser);
  return BigInt(row?.accounts ?? 0);
}

/** The account of a user or an organisation; null if the owner does not exist. */
export async function findAccount(
  db: Queryable,
  owner: { readonly kind: "user" | "organisation"; readonly id: bigint },
): Promise<bigint | null> {
  const table = owner.kind === "user" ? userProfile : organisation;
  const [row] = await db.drizzle
    .select({ gatewayUserId: table.gatewayUserId })
    .from(table)
    .where(eq(table.id, owner.id));
  return row?.gatewayUserId ?? null;
}

/** The members of an organisation, some of them by their addresses. */
export async function readMembers(
  db: Queryable,
  organisationId: bigint,
): Promise<{ readonly members: bigint; readonly names: readonly string[] }> {
  const isMember = and(eq(organisationMember.organisationId, organisationId), isNull(organisationMember.leftAt));
  const [row] = await db.drizzle.select({ rows: countOfRows }).from(organisationMember).where(isMember);
  const named = await db.drizzle
    .select({ email: userProfile.email })
    .from(organisationMember)
    .innerJoin(userProfile, eq(userProfile.id, organisationMember.userId))
    .where(isMember)
    .orderBy(organisationMember.id)
    .limit(consequenceNamesMax);
  return {
    members: BigInt(row?.rows ?? 0),
    names: named.map(({ email }) => email ?? "").filter((name) => name !== ""),
  };
}

/** Users who can sign in with a provider. */
export async function countLinkedUsers(db: Queryable, slug: string): Promise<bigint> {
  const issuers = db.drizzle
    .select({ issuer: signInProvider.issuer })
    .from(signInProvider)
    .where(eq(signInProvider.slug, slug));
  const [row] = await db.drizzle
    .select({ users: countDistinct(userIdentity.userId) })
    .from(userIdentity)
    .where(inArray(userIdentity.issuer, issuers));
  return BigInt(row?.users ?? 0);
}

export type PaymentGateway = "walletpay" | "cardpay";

export async function isSwitchedOff(db: Queryable, name: string): Promise<boolean> {
  const [row] = await db.drizzle.select({ value: setting.value }).from(setting).where(eq(setting.name, name));
  return row?.value === false;
}

/** What a payment gateway has under way. Only the card gateway charges by itself. */
export async function countOfGateway(
  db: Queryable,
  gateway: PaymentGateway,
): Promise<{ readonly renewals: bigint; readonly topUps: bigint; readonly checkouts: bigint }> {
  const isBegun = and(
    eq(salesOrder.payChannel, gateway),
    eq(salesOrder.status, "pending"),
    gt(salesOrder.expiresAt, now),
    isNotNull(salesOrder.checkoutUrl),
  );
  const [checkouts] = await db.drizzle.select({ rows: countOfRows }).from(salesOrder).where(isBegun);
  if (gateway !== "cardpay") {
    return { renewals: 0n, topUps: 0n, checkouts: BigInt(checkouts?.rows ?? 0) };
  }
  const goesOn = inArray(renewal.status, ["active", "past_due"]);
  const [renewals] = await db.drizzle.select({ rows: countOfRows }).from(renewal).where(goesOn);
  const [topUps] = await db.drizzle.select({ rows: countOfRows }).from(autoTopUp).where(eq(autoTopUp.status, "on"));
  return {
    renewals: BigInt(renewals?.rows ?? 0),
    topUps: BigInt(topUps?.rows ?? 0),
    checkouts: BigInt(checkouts?.rows ?? 0),
  };
}

export async function countAdminSessions(db: Queryable, adminId: bigint): Promise<bigint> {
  const [row] = await db.drizzle
    .select({ sessions: count() })
    .from(session)
    .where(and(eq(session.adminId, adminId), isNull(session.revokedAt), gt(session.expiresAt, now)));
  return BigInt(row?.sessions ?? 0);
}

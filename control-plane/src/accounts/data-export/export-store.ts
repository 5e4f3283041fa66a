import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import { and, asc, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { isSet } from "../../db/expressions.ts";
import { managementToken, userProfile as profile, session } from "../../db/schema/accounts.ts";
import { payment, refund, salesOrder, subscription } from "../../db/schema/billing.ts";
import { legalConsent } from "../../db/schema/branding.ts";
import { apiKey, gatewayUser } from "../../db/schema/gateway-keys.ts";
import { buyerData, invoice } from "../../db/schema/invoices.ts";
import { ledgerAccount, ledgerEntry, ledgerPosting } from "../../db/schema/ledger.ts";
import { mailInbox } from "../../db/schema/mail.ts";
import { importedUsage } from "../../db/schema/moving.ts";
import { organisation, organisationMember } from "../../db/schema/organisations.ts";
import { passkey } from "../../db/schema/passkeys.ts";
import { userIdentity } from "../../db/schema/sign-in.ts";
import { usageUserSum } from "../../db/schema/usage-rollup.ts";
import type { Queryable } from "../../platform/db.ts";

export type ExportOf = { readonly userId: UserId; readonly gatewayUserId: GatewayUserId };
/** Rows after an id, in the order of ids. */
export type Page = { readonly after: bigint; readonly limit: number };
type Row = Readonly<Record<string, unknown>> & { readonly id: bigint };
/** A kind of things of an account, in pages. */
export type Section = (db: Queryable, of: ExportOf, page: Page) => Promise<Row[]>;

export async function findProfileRow(db: Queryable, { userId }: ExportOf): Promise<object> {
  const [row] = await db.drizzle
    .select({
      user_id: profile.id,
      gateway_user_id: profile.gatewayUserId,
      email: profile.email,
      username: profile.username,
      display_name: profile.displayName,
      user_type: profile.userType,
      status: profile.status,
      locale: profile.locale,
      email_verified_at: profile.emailVerifiedAt,
      has_password: isSet(profile.passwordHash),
      has_totp: isSet(profile.totpEnabledAt),
      rate_multiplier: gatewayUser.rateMultiplier,
      created_at: profile.createdAt,
    })
    .from(profile)
    .innerJoin(gatewayUser, eq(gatewayUser.id, profile.gatewayUserId))
    .where(eq(profile.id, userId));
  if (row === undefined) {
    throw new Error("the user does not exist");
  }
  return row;
}

const ownOrder = (userId: UserId): SQL | undefined =>
  and(eq(salesOrder.userId, userId), isNull(salesOrder.organisationId));

/** What a person gets besides the profile. Secrets, digests and what is about others is left out. */
export const sections: Readonly<Record<string, Section>> = {
  sign_ins: (db, { userId }, { after, limit }) =>
    db.drizzle
      .select({
        id: userIdentity.id,
        issuer: userIdentity.issuer,
        subject: userIdentity.subject,
        email: userIdentity.email,
        created_at: userIdentity.createdAt,
        last_used_at: userIdentity.lastUsedAt,
      })
      .from(userIdentity)
      .where(and(eq(userIdentity.userId, userId), gt(userIdentity.id, after)))
      .orderBy(asc(userIdentity.id))
      .limit(limit),
  passkeys: (db, { userId }, { after, limit }) =>
    db.drizzle
      .select({
        id: passkey.id,
        name: passkey.name,
        is_synced: passkey.isSynced,
        created_at: passkey.createdAt,
        last_used_at: passkey.lastUsedAt,
      })
      .from(passkey)
      .where(and(eq(passkey.userId, userId), gt(passkey.id, after)))
      .orderBy(asc(passkey.id))
      .limit(limit),
  sessions: (db, { userId }, { after, limit }) =>
    db.drizzle
      .select({
        id: session.id,
        ip: session.ip,
        user_agent: session.userAgent,
        method: session.loginMethod,
        created_at: session.createdAt,
        seen_at: session.seenAt,
        expires_at: session.expiresAt,
        revoked_at: session.revokedAt,
      })
      .from(session)
      .where(and(eq(session.userId, userId), gt(session.id, after)))
      .orderBy(asc(session.id))
      .limit(limit),
  consents: (db, { userId }, { after, limit }) =>
    db.drizzle
      .select({
        id: legalConsent.id,
        page: legalConsent.page,
        edition: legalConsent.edition,
        language: legalConsent.locale,
        version: legalConsent.version,
        way: legalConsent.way,
        ip: legalConsent.ip,
        accepted_at: legalConsent.acceptedAt,
      })
      .from(legalConsent)
      .where(and(eq(legalConsent.userId, userId), gt(legalConsent.id, after)))
      .orderBy(asc(legalConsent.id))
      .limit(limit),
  access_tokens: (db, { userId }, { after, limit }) =>
    db.drizzle
      .select({
        id: managementToken.id,
        name: managementToken.name,
        hint: managementToken.hint,
        scopes: managementToken.scopes,
        created_at: managementToken.createdAt,
        expires_at: managementToken.expiresAt,
        revoked_at: managementToken.revokedAt,
        last_used_at: managementToken.lastUsedAt,
        last_used_ip: managementToken.lastUsedIp,
      })
      .from(managementToken)
      .where(and(eq(managementToken.userId, userId), gt(managementToken.id, after)))
      .orderBy(asc(managementToken.id))
      .limit(limit),
  api_keys: (db, { gatewayUserId }, { after, limit }) =>
    db.drizzle
      .select({
        id: apiKey.id,
        name: apiKey.name,
        key_prefix: apiKey.keyPrefix,
        key_last_four: apiKey.keyLastFour,
        group: apiKey.groupName,
        status: apiKey.status,
        created_at: apiKey.createdAt,
      })
      .from(apiKey)
      .where(and(eq(apiKey.gatewayUserId, gatewayUserId), gt(apiKey.id, after)))
      .orderBy(asc(apiKey.id))
      .limit(limit),
  organisations: (db, { userId }, { after, limit }) =>
    db.drizzle
      .select({
        id: organisationMember.id,
        organisation: organisation.name,
        role: organisationMember.role,
        joined_at: organisationMember.createdAt,
        left_at: organisationMember.leftAt,
      })
      .from(organisationMember)
      .innerJoin(organisation, eq(organisation.id, organisationMember.organisationId))
      .where(and(eq(organisationMember.userId, userId), gt(organisationMember.id, after)))
      .orderBy(asc(organisationMember.id))
      .limit(limit),
  buyer: (db, { userId }, { after, limit }) =>
    db.drizzle
      .select({
        id: buyerData.id,
        name: buyerData.name,
        address: buyerData.address,
        country: buyerData.country,
        tax_id: buyerData.taxId,
      })
      .from(buyerData)
      .where(and(eq(buyerData.userId, userId), gt(buyerData.id, after)))
      .orderBy(asc(buyerData.id))
      .limit(limit),
  orders: (db, { userId }, { after, limit }) =>
    db.drizzle
      .select({
        id: salesOrder.id,
        order_no: salesOrder.orderNo,
        plan: salesOrder.planName,
        quota: salesOrder.quota,
        amount: salesOrder.amountUsd,
        currency: salesOrder.currency,
        pay_channel: salesOrder.payChannel,
        status: salesOrder.status,
        email: salesOrder.email,
        created_at: salesOrder.createdAt,
        settled_at: salesOrder.settledAt,
      })
      .from(salesOrder)
      .where(and(ownOrder(userId), gt(salesOrder.id, after)))
      .orderBy(asc(salesOrder.id))
      .limit(limit),
  payments: (db, { userId }, { after, limit }) =>
    db.drizzle
      .select({
        id: payment.id,
        order_no: salesOrder.orderNo,
        gateway: payment.gateway,
        transaction_id: payment.transactionId,
        amount: payment.amountUsd,
        currency: payment.currency,
        created_at: payment.createdAt,
      })
      .from(payment)
      .innerJoin(salesOrder, eq(salesOrder.id, payment.orderId))
      .where(and(ownOrder(userId), gt(payment.id, after)))
      .orderBy(asc(payment.id))
      .limit(limit),
  refunds: (db, { userId }, { after, limit }) =>
    db.drizzle
      .select({
        id: refund.id,
        refund_no: refund.refundNo,
        order_no: salesOrder.orderNo,
        amount: refund.amountUsd,
        quota: refund.quota,
        status: refund.status,
        created_at: refund.createdAt,
      })
      .from(refund)
      .innerJoin(salesOrder, eq(salesOrder.id, refund.orderId))
      .where(and(ownOrder(userId), gt(refund.id, after)))
      .orderBy(asc(refund.id))
      .limit(limit),
  subscriptions: (db, { userId }, { after, limit }) =>
    db.drizzle
      .select({
        id: subscription.id,
        plan_code: subscription.planCode,
        status: subscription.status,
        period_start: subscription.periodStart,
        period_end: subscription.periodEnd,
        quota_granted: subscription.quotaGranted,
        quota_left: subscription.quotaLeft,
      })
      .from(subscription)
      .where(and(eq(subscription.userId, userId), gt(subscription.id, after)))
      .orderBy(asc(subscription.id))
      .limit(limit),
  invoices: (db, { userId }, { after, limit }) =>
    db.drizzle
      .select({
        id: invoice.id,
        number: invoice.number,
        kind: invoice.kind,
        order_no: salesOrder.orderNo,
        net: invoice.netUsd,
        tax: invoice.taxUsd,
        gross: invoice.grossUsd,
        currency: invoice.currency,
        issued_at: invoice.issuedAt,
      })
      .from(invoice)
      .innerJoin(salesOrder, eq(salesOrder.id, invoice.orderId))
      .where(and(ownOrder(userId), gt(invoice.id, after)))
      .orderBy(asc(invoice.id))
      .limit(limit),
  ledger: (db, { gatewayUserId }, { after, limit }) =>
    db.drizzle
      .select({
        id: ledgerEntry.id,
        change_type: ledgerPosting.changeType,
        reference: ledgerPosting.reference,
        amount: ledgerEntry.amount,
        balance_after: ledgerEntry.balanceAfter,
        created_at: ledgerEntry.createdAt,
      })
      .from(ledgerEntry)
      .innerJoin(ledgerAccount, eq(ledgerAccount.id, ledgerEntry.accountId))
      .innerJoin(ledgerPosting, eq(ledgerPosting.id, ledgerEntry.postingId))
      .where(
        and(
          eq(ledgerAccount.gatewayUserId, gatewayUserId),
          isNull(ledgerEntry.usageRequestId),
          gt(ledgerEntry.id, after),
        ),
      )
      .orderBy(asc(ledgerEntry.id))
      .limit(limit),
  earlier_usage_by_day: (db, { gatewayUserId }, { after, limit }) =>
    db.drizzle
      .select({
        id: importedUsage.id,
        gateway: importedUsage.instance,
        day: importedUsage.day,
        model: importedUsage.model,
        calls: importedUsage.calls,
        input_tokens: importedUsage.inputTokens,
        output_tokens: importedUsage.outputTokens,
        quota: importedUsage.quota,
      })
      .from(importedUsage)
      .where(and(eq(importedUsage.gatewayUserId, gatewayUserId), gt(importedUsage.id, after)))
      .orderBy(asc(importedUsage.id))
      .limit(limit),
  messages: (db, { userId }, { after, limit }) =>
    db.drizzle
      .select({
        id: mailInbox.id,
        template: mailInbox.template,
        subject: mailInbox.subject,
        created_at: mailInbox.createdAt,
        read_at: mailInbox.readAt,
      })
      .from(mailInbox)
      .where(and(eq(mailInbox.userId, userId), gt(mailInbox.id, after)))
      .orderBy(asc(mailInbox.id))
      .limit(limit),
};

/** The calls by UTC day, key and model, the newest days first. Each call is on the page of usage, with a file of its own. */
export async function sumUsageByDay(db: Queryable, { gatewayUserId }: ExportOf, limit: number): Promise<object[]> {
  const day = sql<string>`(${usageUserSum.startsAt} at time zone 'utc')::date::text`;
  return await db.drizzle
    .select({
      day,
      api_key_id: usageUserSum.apiKeyId,
      model: usageUserSum.model,
      calls: sql<bigint>`sum(${usageUserSum.calls})::bigint`,
      settled_quota: sql<bigint>`sum(${usageUserSum.settledQuota})::bigint`,
    })
    .from(usageUserSum)
    .where(and(eq(usageUserSum.gatewayUserId, gatewayUserId), eq(usageUserSum.grain, "hours")))
    .groupBy(day, usageUserSum.apiKeyId, usageUserSum.model)
    .orderBy(sql`1 desc`, asc(usageUserSum.apiKeyId), asc(usageUserSum.model))
    .limit(limit);
}

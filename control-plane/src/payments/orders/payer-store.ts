import type { UserId } from "@sluice/contracts/ids";
import { mayInOrganisation, organisationRoles } from "@sluice/contracts/organisation-rights";
import { and, asc, eq, inArray, isNotNull, isNull } from "drizzle-orm";
import { userProfile as profile } from "../../db/schema/accounts.ts";
import { organisationMember as member } from "../../db/schema/organisations.ts";
import type { Queryable } from "../../platform/db.ts";
import { findOwner, type OrderPlace } from "./order-store.ts";

const payingRoles = organisationRoles.filter((role) => mayInOrganisation(role, "billing"));
const payersMax = 50;

/** The condition that a member belongs to the organisation and may pay for it. */
export const isPaying = and(isNull(member.leftAt), inArray(member.role, payingRoles));

/** Someone who gets the e-mails about payments for an account. */
export type Payer = { readonly userId: UserId; readonly email: string; readonly locale: string };

/** The person whose account it is, or the members who may pay for the organisation, in the order in which they joined. */
export async function listPayers(db: Queryable, { userId, organisationId }: OrderPlace): Promise<Payer[]> {
  if (organisationId === null) {
    const owner = await findOwner(db, userId);
    return owner === null ? [] : [owner];
  }
  const rows = await db.drizzle
    .select({ userId: profile.id, email: profile.email, locale: profile.locale })
    .from(member)
    .innerJoin(profile, eq(profile.id, member.userId))
    .where(
      and(
        eq(member.organisationId, organisationId),
        isPaying,
        eq(profile.status, "active"),
        isNotNull(profile.emailVerifiedAt),
      ),
    )
    .orderBy(asc(member.id))
    .limit(payersMax);
  return rows as Payer[];
}

import type { UserId } from "@sluice/contracts/ids";
import { mayInOrganisation, mayManageRole, type OrganisationRole } from "@sluice/contracts/organisation-rights";
import type { InvitationView } from "@sluice/contracts/organisations";
import { and, asc, eq, gt, isNull, sql } from "drizzle-orm";
import { ago, countOfRows, equalsInAnyCase, fromNow, now } from "../db/expressions.ts";
import { userProfile as profile } from "../db/schema/accounts.ts";
import {
  organisationInvitation as invitation,
  organisationMember as member,
  organisation,
} from "../db/schema/organisations.ts";
import type { Queryable } from "../platform/db.ts";
import { isPresent, userOf } from "./store.ts";

const isOpen = and(isNull(invitation.acceptedAt), isNull(invitation.revokedAt));

const invitationView = {
  invitation_id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  expires_at: invitation.expiresAt,
  is_expired: sql<boolean>`${invitation.expiresAt} <= now()`,
};

/** The invitations that nobody has accepted or revoked. */
export async function selectInvitations(db: Queryable, organisationId: bigint): Promise<InvitationView[]> {
  return await db.drizzle
    .select(invitationView)
    .from(invitation)
    .where(and(eq(invitation.organisationId, organisationId), isOpen))
    .orderBy(asc(invitation.id))
    .limit(1000);
}

/** How many invitations a person has sent within a day, to all organisations. */
export async function countInvited(tx: Queryable, userId: UserId): Promise<number> {
  const [row] = await tx.drizzle
    .select({ count: countOfRows })
    .from(invitation)
    .where(and(eq(invitation.invitedById, userId), gt(invitation.createdAt, ago(1, "days"))));
  return row?.count ?? 0;
}

/** Ends the open invitations of an address, or the one with this id. Returns how many there were. */
export async function revokeInvitations(
  tx: Queryable,
  organisationId: bigint,
  which: { readonly email: string } | { readonly id: bigint },
): Promise<{ readonly email: string; readonly role: OrganisationRole }[]> {
  return await tx.drizzle
    .update(invitation)
    .set({ revokedAt: now })
    .where(
      and(
        eq(invitation.organisationId, organisationId),
        isOpen,
        "id" in which ? eq(invitation.id, which.id) : equalsInAnyCase(invitation.email, which.email),
      ),
    )
    .returning({ email: invitation.email, role: invitation.role });
}

export async function insertInvitation(
  tx: Queryable,
  made: {
    readonly organisationId: bigint;
    readonly email: string;
    readonly role: OrganisationRole;
    readonly tokenHash: Uint8Array;
    readonly invitedById: UserId;
    readonly days: number;
  },
): Promise<InvitationView> {
  const { days, ...row } = made;
  const [inserted] = await tx.drizzle
    .insert(invitation)
    .values({ ...row, expiresAt: fromNow(days, "days") })
    .returning(invitationView);
  if (inserted === undefined) {
    throw new Error("the invitation was not inserted");
  }
  return inserted;
}

export type OpenInvitation = {
  readonly id: bigint;
  readonly organisationId: bigint;
  readonly organisation: string;
  readonly email: string;
  readonly role: OrganisationRole;
  readonly invitedBy: string;
  readonly expiresAt: Date;
};

/**
 * The invitation of a token, if it can still be accepted: it is open and not expired, and who sent it may still do so.
 * @param isLocked whether to lock it until the end of the transaction
 */
export async function findInvitation(
  db: Queryable,
  tokenHash: Uint8Array,
  isLocked: boolean,
): Promise<OpenInvitation | null> {
  const query = db.drizzle
    .select({
      id: invitation.id,
      organisationId: invitation.organisationId,
      organisation: organisation.name,
      email: invitation.email,
      role: invitation.role,
      invitedBy: profile.email,
      senderRole: member.role,
      expiresAt: invitation.expiresAt,
    })
    .from(invitation)
    .innerJoin(organisation, eq(organisation.id, invitation.organisationId))
    .innerJoin(profile, and(eq(profile.id, invitation.invitedById), eq(profile.status, "active")))
    .innerJoin(
      member,
      and(eq(member.userId, invitation.invitedById), eq(member.organisationId, invitation.organisationId), isPresent),
    )
    .where(and(eq(invitation.tokenHash, tokenHash), isOpen, gt(invitation.expiresAt, now)));
  const [row] = isLocked ? await query.for("update", { of: invitation }) : await query;
  if (row === undefined) {
    return null;
  }
  const { senderRole, ...found } = row;
  return mayInOrganisation(senderRole, "members") && mayManageRole(senderRole, found.role) ? found : null;
}

export async function markAccepted(tx: Queryable, id: bigint): Promise<void> {
  await tx.drizzle.update(invitation).set({ acceptedAt: now }).where(eq(invitation.id, id));
}

/** Ends the open invitations that a member has sent. */
export async function revokeInvitationsOf(tx: Queryable, organisationId: bigint, memberId: bigint): Promise<void> {
  await tx.drizzle
    .update(invitation)
    .set({ revokedAt: now })
    .where(
      and(eq(invitation.organisationId, organisationId), isOpen, eq(invitation.invitedById, userOf(tx, memberId))),
    );
}

import { randomBytes } from "node:crypto";
import type { UserId } from "@sluice/contracts/ids";
import { mayManageRole, type OrganisationRole } from "@sluice/contracts/organisation-rights";
import {
  type InvitationView,
  invitationDays,
  type OrganisationEntry,
  organisationLimits,
} from "@sluice/contracts/organisations";
import { parseEmailAddress } from "../accounts/email-address.ts";
import type { AuditOrigin } from "../admin/audit/model.ts";
import { audit } from "../admin/audit/service.ts";
import { mailLocaleOf } from "../mail/model.ts";
import { sha256 } from "../platform/crypto/digest.ts";
import type { Queryable, Transaction } from "../platform/db.ts";
import { AppError, notFound } from "../platform/errors.ts";
import {
  countInvited,
  findInvitation,
  insertInvitation,
  markAccepted,
  type OpenInvitation,
  revokeInvitations,
  selectInvitations,
} from "./invitation-store.ts";
import { type Acting, openOrganisation, subjectOf } from "./organisations.ts";
import type { OrganisationDeps } from "./port.ts";
import { countMembers, findOrganisation, insertMember, isMemberAddress } from "./store.ts";

const tokenBytes = 32;
const minutesOfDay = 24 * 60;

export type Invitation = { readonly email: string; readonly role: OrganisationRole; readonly locale: string };

/**
 * Invites an address by email; an earlier invitation of the same address ends. Only the digest of the token is stored.
 * @throws AppError `invalid_email`, `forbidden`, `conflict`, `organisation_limit`
 */
export async function invite(
  { db, mails, baseUrl }: OrganisationDeps,
  { acting, userId, origin }: Acting,
  { email: address, role, locale }: Invitation,
): Promise<{ readonly invitation: InvitationView; readonly link: string }> {
  const email = parseEmailAddress(address);
  if (email === null) {
    throw new AppError("invalid_email", { fields: { email: "Enter a valid e-mail address." } });
  }
  if (!mayManageRole(acting.role, role)) {
    throw new AppError("forbidden", { message: "Only an owner can make somebody an owner." });
  }
  const token = randomBytes(tokenBytes).toString("base64url");
  const link = `${baseUrl}/console/invitation/?token=${token}`;
  const { organisationId } = acting;
  const invitation = await db.withTransaction(async (tx) => {
    await openOrganisation(tx, organisationId);
    if (await isMemberAddress(tx, organisationId, email)) {
      throw new AppError("conflict", { message: "This address already belongs to a member." });
    }
    await revokeInvitations(tx, organisationId, { email });
    await refuseTooMany(tx, organisationId, userId);
    const made = { organisationId, email, role, tokenHash: sha256(token), invitedById: userId, days: invitationDays };
    const view = await insertInvitation(tx, made);
    const queued = await mails.queueMail(tx, {
      dedupeKey: `organisation_invitation:${view.invitation_id}`,
      template: "organisation_invitation",
      userId: null,
      to: email,
      locale: mailLocaleOf(locale),
      variables: { link, valid_minutes: String(invitationDays * minutesOfDay) },
      source: "organisations",
      expiresAt: view.expires_at,
    });
    const after = { email, role, isMailQueued: queued };
    await audit(tx, origin, "organisation.invite", { ...subjectOf(organisationId), after });
    return view;
  });
  return { invitation, link };
}

async function refuseTooMany(tx: Queryable, organisationId: bigint, userId: UserId): Promise<void> {
  const open = await selectInvitations(tx, organisationId);
  const { invitations, members, invitationsPerDay } = organisationLimits;
  if (open.length >= invitations || (await countMembers(tx, organisationId)) + open.length >= members) {
    throw new AppError("organisation_limit", {
      message: `An organisation can have at most ${members} members and ${invitations} open invitations.`,
    });
  }
  if ((await countInvited(tx, userId)) >= invitationsPerDay) {
    throw new AppError("organisation_limit", {
      message: `You can send at most ${invitationsPerDay} invitations within 24 hours.`,
    });
  }
}

/** @throws AppError `not_found` */
export async function revokeInvitation(
  { db }: OrganisationDeps,
  { acting, origin }: Acting,
  id: bigint,
): Promise<void> {
  await db.withTransaction(async (tx) => {
    await openOrganisation(tx, acting.organisationId);
    const [revoked] = await revokeInvitations(tx, acting.organisationId, { id });
    if (revoked === undefined) {
      throw notFound("invitation");
    }
    await audit(tx, origin, "organisation.invitation.revoke", {
      ...subjectOf(acting.organisationId),
      before: revoked,
    });
  });
}

type Invited = { readonly userId: UserId; readonly email: string };

/** The invitation, for the person with its address alone. @throws AppError `invalid_token` */
export async function readInvitation(db: Queryable, token: string, { email }: Invited): Promise<OpenInvitation> {
  return requireOwn(await findInvitation(db, sha256(token), false), email);
}

/**
 * Makes the person with the address of the invitation a member; it works once. Who is a member already stays what they are.
 * @throws AppError `invalid_token`, `organisation_limit`
 */
export async function acceptInvitation(
  { db }: OrganisationDeps,
  token: string,
  { userId, email, origin }: Invited & { readonly origin: AuditOrigin },
): Promise<OrganisationEntry> {
  return await db.withTransaction(async (tx) => {
    const { organisationId } = requireOwn(await findInvitation(tx, sha256(token), false), email);
    await openOrganisation(tx, organisationId);
    const found = requireOwn(await findInvitation(tx, sha256(token), true), email);
    if (await isMemberAddress(tx, organisationId, email)) {
      throw new AppError("invalid_token");
    }
    if ((await countMembers(tx, organisationId)) >= organisationLimits.members) {
      throw new AppError("organisation_limit");
    }
    await markAccepted(tx, found.id);
    const memberId = await insertMember(tx, { organisationId, userId, role: found.role });
    const after = { email, role: found.role };
    await audit(tx, origin, "organisation.join", { ...subjectOf(organisationId), after });
    return await requireJoined(tx, memberId);
  });
}

async function requireJoined(tx: Transaction, memberId: bigint): Promise<OrganisationEntry> {
  const entry = await findOrganisation(tx, memberId);
  if (entry === null) {
    throw notFound("organisation");
  }
  return entry;
}

/** An invitation of another address gets the same response as none. */
function requireOwn(found: OpenInvitation | null, email: string): OpenInvitation {
  if (found === null || found.email.toLowerCase() !== email.toLowerCase()) {
    throw new AppError("invalid_token", {
      message: "This invitation is not for your address, or is no longer valid.",
    });
  }
  return found;
}

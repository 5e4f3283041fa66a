import { type CreateInvitationInput, createInvitationInput, type InvitationView } from "@sluice/contracts/registration";
import type { Act } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { Database, Queryable } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { digestOfInvitation, makeInvitation, openInvitation, sealInvitation } from "./invitation-codes.ts";
import {
  type Invitation,
  insertInvitation,
  lockInvitation,
  revokeInvitation,
  selectInvitations,
} from "./registration-store.ts";

export type InvitationDeps = {
  readonly masterKey: MasterKey;
  readonly baseUrl: string;
};

/** How many the page shows. */
const shownMax = 200;

/**
 * Makes an invitation. It counts as a credit of everything that its accounts can get by it, and one into a group takes two
 * people, because a group may be a discount.
 */
export function createInvitationAct(
  deps: InvitationDeps & { readonly hasGroup: (db: Queryable, name: string) => Promise<boolean> },
): Act<CreateInvitationInput> {
  return {
    kind: "invitation.create",
    schema: createInvitationInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, input, origin) => {
      const { group_name: groupName, credit_quota: creditQuota, uses_max: usesMax, name } = input;
      if (groupName !== null && !(await deps.hasGroup(tx, groupName))) {
        throw new AppError("invalid_value", { fields: { group_name: "This group does not exist." } });
      }
      const code = makeInvitation();
      const digest = digestOfInvitation(code);
      if (digest === null) {
        throw new Error("an invitation that was just made can't be read");
      }
      const expiresAt = input.expires_at === null ? null : new Date(input.expires_at);
      const made = { name, digest, usesMax, expiresAt, groupName, creditQuota, createdBy: origin.adminName };
      const invitation = await insertInvitation(tx, made, (id) => sealInvitation(deps.masterKey, id, code));
      const { sealedCode: _, ...after } = invitation;
      const what = { action: "invitation.create", subjectKind: "invitation", subjectId: invitation.id.toString() };
      await recordAct(tx, origin, { ...what, before: null, after, reason: input.reason });
      return {
        isNew: true,
        amount: { kind: "adjust", quota: (creditQuota ?? 0n) * BigInt(usesMax) },
        takesTwo: groupName !== null,
        effects: {
          invitation: name,
          uses: usesMax.toString(),
          ...(creditQuota === null ? {} : { each_quota: creditQuota.toString() }),
          ...(groupName === null ? {} : { group: groupName }),
        },
        finish: async () => ({ invitation: invitationView(deps, invitation) }),
      };
    },
  };
}

/** The newest invitations, with their codes. */
export async function listInvitations(db: Database, deps: InvitationDeps): Promise<InvitationView[]> {
  return (await selectInvitations(db, shownMax)).map((each) => invitationView(deps, each));
}

/**
 * Ends an invitation; repeating that changes nothing. Links of mails to people who have not verified their address yet stop
 * working, too.
 * @throws AppError `not_found`
 */
export async function endInvitation(
  db: Database,
  deps: InvitationDeps,
  { id, reason, call }: { readonly id: bigint; readonly reason: string; readonly call: Parameters<typeof byCaller>[0] },
): Promise<InvitationView> {
  return await db.withTransaction(async (tx) => {
    const before = await lockInvitation(tx, id);
    if (before === null) {
      throw notFound("invitation");
    }
    const revokedAt = await revokeInvitation(tx, id);
    if (revokedAt !== null) {
      const what = { subjectKind: "invitation", subjectId: id, reason };
      await audit(tx, byCaller(call), "invitation.revoke", {
        ...what,
        before: { uses: before.uses },
        after: { revokedAt },
      });
    }
    return invitationView(deps, { ...before, revokedAt: revokedAt ?? before.revokedAt });
  });
}

function invitationView({ masterKey, baseUrl }: InvitationDeps, invitation: Invitation): InvitationView {
  const { id, sealedCode } = invitation;
  if (sealedCode === null) {
    throw new Error(`invitation ${id} has no code`);
  }
  const code = openInvitation(masterKey, id, sealedCode);
  return {
    invitation_id: id,
    name: invitation.name,
    code,
    link: `${baseUrl}/register/?invitation=${code}`,
    uses: invitation.uses,
    uses_max: invitation.usesMax,
    state: stateOf(invitation),
    expires_at: invitation.expiresAt,
    group_name: invitation.groupName,
    credit_quota: invitation.creditQuota,
    created_by: invitation.createdBy,
    created_at: invitation.createdAt,
    revoked_at: invitation.revokedAt,
  };
}

function stateOf({ revokedAt, uses, usesMax, expiresAt }: Invitation): InvitationView["state"] {
  if (revokedAt !== null) {
    return "revoked";
  }
  if (uses >= usesMax) {
    return "used_up";
  }
  return expiresAt !== null && expiresAt.getTime() <= Date.now() ? "expired" : "usable";
}

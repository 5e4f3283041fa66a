import { type CreateInvitationInput, createInvitationInput, type InvitationView } from "@sluice/contracts/registration";
import type { Act } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { Database, Queryable } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { digestOfInvitation, makeInvitation, openInvitation, sealInvitation } from "./invitation-codes.ts";
import {
  findInvitationByKey,
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
      const expiresAt = input.expires_at === null ? null : new Date(input.expires_at);
      const terms = { name, usesMax, expiresAt, groupName, creditQuota };
      const { invitation, isNew } = await makeOnce(tx, deps.masterKey, {
        ...{ terms, createdBy: origin.adminName, idempotencyKey: input.idempotency_key ?? null },
      });
      if (isNew) {
        const { sealedCode: _, ...after } = invitation;
        const what = { action: "invitation.create", subjectKind: "invitation", subjectId: invitation.id.toString() };
        await recordAct(tx, origin, { ...what, before: null, after, reason: input.reason });
      }
      return {
        isNew,
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

type Terms = Pick<Invitation, "name" | "usesMax" | "expiresAt" | "groupName" | "creditQuota">;

/** Makes an invitation, unless an earlier request with this key has made it. @throws AppError `idempotency_mismatch` */
async function makeOnce(
  tx: Queryable,
  masterKey: MasterKey,
  { terms, ...made }: { readonly terms: Terms; readonly createdBy: string; readonly idempotencyKey: string | null },
): Promise<{ readonly invitation: Invitation; readonly isNew: boolean }> {
  const code = makeInvitation();
  const digest = digestOfInvitation(code);
  if (digest === null) {
    throw new Error("an invitation that was just made can't be read");
  }
  const inserted = await insertInvitation(tx, { ...terms, ...made, digest }, (id) =>
    sealInvitation(masterKey, id, code),
  );
  return inserted === null
    ? { invitation: await findMade(tx, made.idempotencyKey, terms), isNew: false }
    : { invitation: inserted, isNew: true };
}

/** What an earlier request with this key has made. @throws AppError `idempotency_mismatch` if it asked for something else */
async function findMade(tx: Queryable, key: string | null, terms: Terms): Promise<Invitation> {
  const known = key === null ? null : await findInvitationByKey(tx, key);
  const isSame =
    known?.name === terms.name &&
    known.usesMax === terms.usesMax &&
    known.expiresAt?.getTime() === terms.expiresAt?.getTime() &&
    known.groupName === terms.groupName &&
    known.creditQuota === terms.creditQuota;
  if (known === null || !isSame) {
    throw new AppError("idempotency_mismatch", { message: "This idempotency key was used for another invitation." });
  }
  return known;
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

import { type AdminEntry, type SaveAdminInput, saveAdminInput } from "@sluice/contracts/accounts";
import type { Act } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { endAccess } from "../access-tokens/access-tokens.ts";
import { ofAdmin } from "../sessions/store.ts";
import { spendAdminTokens } from "./admin-tokens-store.ts";
import { entryOf, rightsName, roleToStore, superAgent } from "./hold-others.ts";
import { findAdminEntry, holdRights, setRights } from "./store.ts";

/**
 * Changes an admin's rights or role, or removes all rights. The admin has to log in again. Granting rights takes two people,
 * removing them only one. Throws `not_found`, `conflict` for an admin changed since it was loaded, `forbidden` if the
 * caller has lost the super-admin right by then, `last_admin`, `self_forbidden`.
 */
export function saveAdminAct(): Act<SaveAdminInput> {
  return {
    kind: "admin.save",
    schema: saveAdminInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, input, origin) => {
      const { admin_id: adminId, agent, reason } = input;
      // Two super-admins who remove each other's rights at the same moment do so one after the other.
      const holders = await holdRights(tx, adminId);
      const before = await findAdminEntry(tx, adminId);
      if (before === null) {
        throw notFound("admin");
      }
      const role = roleToStore(input, before);
      const isChanged = agent !== before.agent || role !== before.role;
      refuseWrong(holders, before, { input, isChanged, callerId: origin.adminId });
      await setRights(tx, adminId, { agent, role });
      if (isChanged) {
        await endAccess(tx, ofAdmin(adminId));
        await spendAdminTokens(tx, adminId);
      }
      const what = { action: "admin.save", subjectKind: "admin", subjectId: adminId.toString() };
      await recordAct(tx, origin, { ...what, ...changeOf(before, { agent, role }), reason });
      const after = await entryOf(tx, adminId);
      const address = before.email === null ? {} : { email: before.email };
      return {
        isNew: true,
        amount: null,
        takesTwo: grantsMore(before, { agent, role }),
        effects: {
          username: before.username,
          ...address,
          role_before: rightsName(before),
          role_after: rightsName({ agent, role }),
        },
        finish: async () => ({ admin: after }),
      };
    },
  };
}

type Rights = Pick<AdminEntry, "agent" | "role">;

const changeOf = (before: Rights, after: Rights) => ({
  before: { agent: before.agent, role: before.role },
  after,
});

/** Whether the new rights include one that is missing now. No limited role includes another. */
function grantsMore(before: Rights, after: Rights): boolean {
  if (after.agent !== before.agent) {
    return after.agent > before.agent;
  }
  return after.agent === 1 && after.role !== before.role && before.role !== "admin";
}

type RightsRequest = { readonly input: SaveAdminInput; readonly isChanged: boolean; readonly callerId: bigint };

function refuseWrong(
  holders: readonly { readonly id: bigint; readonly agent: number }[],
  before: AdminEntry,
  { input, isChanged, callerId }: RightsRequest,
): void {
  const superIds = holders.filter(({ agent }) => agent >= superAgent).map(({ id }) => id);
  if (!superIds.includes(callerId)) {
    throw new AppError("forbidden");
  }
  if (Date.parse(input.updated_at) !== before.updated_at.getTime()) {
    throw new AppError("conflict");
  }
  if (input.agent < superAgent && superIds.every((id) => id === input.admin_id)) {
    throw new AppError("last_admin");
  }
  if (input.admin_id === callerId && isChanged) {
    throw new AppError("self_forbidden");
  }
}

import type { AdminEntry, SaveAdminInput } from "@sluice/contracts/accounts";
import { writeAudit } from "../../audit/service.ts";
import type { Database } from "../../platform/db.ts";
import type { AdminCaller } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import type { Origin } from "../model.ts";
import { ofAdmin, revokeSessionsOf } from "../sessions/store.ts";
import { spendAdminTokens } from "./admin-tokens-store.ts";
import { findAdminEntry, holdRights, setAgent } from "./store.ts";

const superAgent = 2;

/**
 * Gives an admin other rights, or takes all of them. Whoever has other rights than before has to log in again.
 * @throws AppError `not_found`, `conflict` for one that was changed since it was loaded, `forbidden` for somebody who was no
 *   super-admin any more by the time it was done, `last_admin`, `self_forbidden`
 */
export async function saveAdmin(
  db: Database,
  input: SaveAdminInput,
  caller: AdminCaller,
  origin: Origin,
): Promise<AdminEntry> {
  return await db.withTransaction(async (tx) => {
    // Two super-admins who take the rights of each other at the same moment do so one after the other.
    const holders = await holdRights(tx, input.admin_id);
    const before = await findAdminEntry(tx, input.admin_id);
    if (before === null) {
      throw new AppError("not_found", { message: "There is no such admin." });
    }
    refuseWrong(holders, before, { input, caller });
    await setAgent(tx, input.admin_id, input.agent);
    if (input.agent !== before.agent) {
      await revokeSessionsOf(tx, ofAdmin(input.admin_id), null);
      await spendAdminTokens(tx, input.admin_id);
    }
    await writeAudit(tx, {
      actor: { kind: "admin", id: caller.adminId, name: caller.username },
      action: "admin.save",
      subjectKind: "admin",
      subjectId: input.admin_id.toString(),
      before: { agent: before.agent },
      after: { agent: input.agent },
      reason: input.reason,
      requestId: origin.requestId,
      ip: origin.ip,
    });
    const after = await findAdminEntry(tx, input.admin_id);
    if (after === null) {
      throw new Error(`admin ${input.admin_id} is gone`);
    }
    return after;
  });
}

type Question = { readonly input: SaveAdminInput; readonly caller: AdminCaller };

function refuseWrong(
  holders: readonly { readonly id: bigint; readonly agent: number }[],
  before: AdminEntry,
  { input, caller }: Question,
): void {
  const superIds = holders.filter(({ agent }) => agent >= superAgent).map(({ id }) => id);
  if (!superIds.includes(caller.adminId)) {
    throw new AppError("forbidden");
  }
  if (Date.parse(input.updated_at) !== before.updated_at.getTime()) {
    throw new AppError("conflict");
  }
  if (input.agent < superAgent && superIds.every((id) => id === input.admin_id)) {
    throw new AppError("last_admin");
  }
  if (input.admin_id === caller.adminId && input.agent !== before.agent) {
    throw new AppError("self_forbidden");
  }
}

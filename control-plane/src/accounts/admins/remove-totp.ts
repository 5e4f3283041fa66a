import { totpRemoveInput } from "@sluice/contracts/accounts";
import type { z } from "zod";
import type { Act } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import { AppError } from "../../platform/errors.ts";
import { endAccess } from "../access-tokens/access-tokens.ts";
import { ofAdmin, ofUser } from "../sessions/store.ts";
import { type CodeOwner, removeSecret } from "../totp/totp-store.ts";
import { requireOther, superAgent } from "./hold-others.ts";

export type TotpRemoval = z.output<typeof totpRemoveInput>;

/**
 * Removes the authenticator of an admin who has lost it, once a super-admin has verified the person's identity. All
 * their sessions end. For a super-admin's authenticator it takes two people: anyone with that person's password could
 * otherwise act as both. Throws `not_found` when there is none to remove, and `self_forbidden`.
 */
export function removeTotpAct(): Act<TotpRemoval> {
  return {
    kind: "totp.remove",
    schema: totpRemoveInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, input, origin) => {
      const owner: CodeOwner =
        "user_id" in input ? { kind: "user", id: input.user_id } : { kind: "admin", id: input.admin_id };
      const admin = owner.kind === "admin" ? await requireOther(tx, owner.id, origin.adminId) : null;
      if (!(await removeSecret(tx, owner))) {
        throw new AppError("not_found", { message: "This account has no authenticator." });
      }
      await endAccess(tx, owner.kind === "user" ? ofUser(owner.id) : ofAdmin(owner.id));
      const what = { action: "totp.remove", subjectKind: owner.kind, subjectId: owner.id.toString() };
      await recordAct(tx, origin, { ...what, before: null, after: null, reason: input.reason });
      return {
        isNew: true,
        amount: null,
        takesTwo: admin !== null && admin.agent >= superAgent,
        effects: admin === null ? {} : { username: admin.username },
        finish: async () => ({}),
      };
    },
  };
}

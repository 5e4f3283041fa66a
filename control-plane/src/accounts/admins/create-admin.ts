import { randomBytes } from "node:crypto";
import { type CreateAdminInput, createAdminInput } from "@sluice/contracts/accounts";
import type { Act } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import { AppError } from "../../platform/errors.ts";
import type { PasswordHashing } from "../passwords/password-hashing.ts";
import { entryOf, requireSuper, rightsName, roleToStore } from "./hold-others.ts";
import { type LinkDeps, leaveLink, tokenBytes } from "./leave-link.ts";
import { insertAdmin, insertSupportProfile } from "./store.ts";

/**
 * Creates an admin, who gets a link to set a first password. It takes two people: one super-admin alone could otherwise
 * act as two, or have the limits of two. Throws `conflict` when username, email or mobile number are taken, and
 * `forbidden`.
 */
export function createAdminAct(deps: LinkDeps & { readonly hashing: PasswordHashing }): Act<CreateAdminInput> {
  return {
    kind: "admin.create",
    schema: createAdminInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, input, origin) => {
      // Nobody knows this password, so nobody can log in before using the link.
      const passwordHash = await deps.hashing.hash(randomBytes(tokenBytes).toString("base64url"));
      await requireSuper(tx, origin.adminId);
      const { username, email, agent, mobile = null, reason } = input;
      const role = roleToStore(input, { agent: 0, role: "admin" });
      const adminId = await insertAdmin(tx, { username, email, mobile, passwordHash, agent, role });
      if (adminId === null) {
        throw new AppError("conflict", { message: "The username, e-mail address or mobile number is already in use." });
      }
      await insertSupportProfile(tx, adminId, username);
      await leaveLink(tx, deps, { adminId, email });
      const what = { action: "admin.create", subjectKind: "admin", subjectId: adminId.toString() };
      await recordAct(tx, origin, { ...what, before: null, after: { username, email, mobile, agent, role }, reason });
      const admin = await entryOf(tx, adminId);
      return {
        isNew: true,
        amount: null,
        takesTwo: true,
        effects: { username, email, role_after: rightsName({ agent, role }) },
        finish: async () => ({ admin }),
      };
    },
  };
}

import { adminActInput } from "@sluice/contracts/accounts";
import type { z } from "zod";
import type { Act } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import { AppError } from "../../platform/errors.ts";
import { requireOther, superAgent } from "./hold-others.ts";
import { type LinkDeps, leaveLink } from "./leave-link.ts";

export type AdminActInput = z.output<typeof adminActInput>;

/**
 * Emails an admin a link to set another password. The old one works until the link is used; authenticator codes are
 * required before and after. Anyone who reads another super-admin's email could act as both, so it takes two people.
 * Throws `not_found`, `self_forbidden`, `forbidden`, and `conflict` without an email address.
 */
export function passwordLinkAct(deps: LinkDeps): Act<AdminActInput> {
  return {
    kind: "admin.password_link",
    schema: adminActInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, { admin_id: adminId, reason }, origin) => {
      const { username, email, agent } = await requireOther(tx, adminId, origin.adminId);
      if (email === null || agent < 1) {
        const message =
          agent < 1
            ? "This admin has no rights, so no link can be sent."
            : "This admin has no address to send a link to.";
        throw new AppError("conflict", { message });
      }
      await leaveLink(tx, deps, { adminId, email });
      const what = { action: "admin.password_link", subjectKind: "admin", subjectId: adminId.toString() };
      await recordAct(tx, origin, { ...what, before: null, after: { email }, reason });
      return {
        isNew: true,
        amount: null,
        takesTwo: agent >= superAgent,
        effects: { username, email },
        finish: async () => ({}),
      };
    },
  };
}

import { type AdminClosingInput, adminClosingInput } from "@sluice/contracts/closing";
import type { UserId } from "@sluice/contracts/ids";
import type { Act } from "../../admin/approvals/port.ts";
import { byAdmin } from "../../admin/audit/service.ts";
import { findAccount } from "./closing-store.ts";
import { beginClosing, type ClosingDeps } from "./closings.ts";
import { closingFields } from "./model.ts";

/** Closes a customer's account. One with a balance takes two people, because what a customer paid for is lost. */
export function closeUserAct(deps: ClosingDeps): Act<AdminClosingInput> {
  return {
    kind: "user.close",
    schema: adminClosingInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, input, origin) => {
      const userId = input.user_id as UserId;
      const closing = await beginClosing(tx, deps, userId, {
        agreedQuota: input.agreed_balance,
        origin: byAdmin(
          { adminId: origin.adminId, username: origin.adminName, tokenName: origin.tokenName },
          { requestId: origin.requestId, ip: origin.ip },
        ),
        operator: { name: origin.adminName, reason: input.reason },
        keptSessionId: null,
      });
      const account = await findAccount(tx, userId);
      return {
        isNew: true,
        amount: null,
        takesTwo: closing.agreedQuota > 0n,
        effects: {
          user_email: account?.email ?? "",
          balance_lost_quota: closing.agreedQuota.toString(),
          closes_at: closing.closesAt.toISOString(),
        },
        finish: async () => await Promise.resolve({ closing: closingFields(closing) }),
      };
    },
  };
}

import { adminOperation } from "@sluice/contracts/admin-rights";
import type { UserId } from "@sluice/contracts/ids";
import { resendVerificationInput, revokeUserSessionsInput } from "@sluice/contracts/user-admin";
import { z } from "zod";
import { audit, byCaller } from "../admin/audit/service.ts";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { notFound } from "../platform/errors.ts";
import { endAccess } from "./access-tokens/access-tokens.ts";
import { type AccountRouteDeps, originOf } from "./route-deps.ts";
import { ofUser } from "./sessions/store.ts";
import { lockProfile } from "./store.ts";

/** Admin actions on users other than changing them. */
export function userAdminEndpoints(deps: AccountRouteDeps): AnyEndpoint[] {
  return [revokeEndpoint(deps), resendEndpoint(deps)];
}

function revokeEndpoint({ db }: AccountRouteDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/user/sessions/revoke/"),
    input: revokeUserSessionsInput,
    output: z.strictObject({ revoked: z.int() }),
    errors: ["not_found"],
    summary: "End every session of a user",
    handle: async ({ input, ...call }) => {
      const userId = input.user_id as UserId;
      const revoked = await db.withTransaction(async (tx) => {
        // A concurrent login either comes before this and is ended, or comes after it.
        if (!(await lockProfile(tx, userId))) {
          throw notFound("user");
        }
        const count = await endAccess(tx, ofUser(userId));
        await audit(tx, byCaller(call), "user.sessions_revoke", {
          subjectKind: "user",
          subjectId: userId,
          before: { sessions: count },
          after: { sessions: 0 },
          reason: input.reason,
        });
        return count;
      });
      return { revoked };
    },
  });
}

function resendEndpoint({ registration }: AccountRouteDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/user/resend-verification/"),
    input: resendVerificationInput,
    output: z.strictObject({ user_id: z.union([z.int(), z.string()]), status: z.literal("queued") }),
    errors: ["not_found", "conflict", "too_many_attempts"],
    limits: ["Shares its limit per address with the e-mails that users request themselves."],
    summary: "Send a new link to a user who has not verified the address yet; earlier links stop working",
    handle: async (call) => {
      await registration.resendFor(call.input.user_id as UserId, call.admin, {
        origin: originOf(call),
        reason: call.input.reason ?? null,
      });
      return { user_id: call.input.user_id, status: "queued" };
    },
  });
}

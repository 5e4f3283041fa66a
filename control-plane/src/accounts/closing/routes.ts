import { emptyResponse } from "@sluice/contracts/accounts";
import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  adminClosingInput,
  adminClosingResponse,
  adminUndoClosingInput,
  beginClosingInput,
  closingPreviewResponse,
  closingQuery,
  closingResponse,
  undoClosingInput,
} from "@sluice/contracts/closing";
import type { UserId } from "@sluice/contracts/ids";
import { z } from "zod";
import { byCaller, byUser } from "../../admin/audit/service.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { type AccountRouteDeps, originOf } from "../route-deps.ts";
import { proofErrors, proofLimits } from "../sign-in/account-routes.ts";
import { closingFields } from "./model.ts";

type Deps = Pick<AccountRouteDeps, "closings" | "links" | "approvals" | "acts">;

/** How accounts are closed: what it would mean, the beginning and how it is undone. */
export function closingEndpoints(deps: Deps): AnyEndpoint[] {
  return [...ownEndpoints(deps), ...adminEndpoints(deps)];
}

function ownEndpoints({ closings, links }: Deps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/auth/closing/",
      access: "user",
      withoutConsent: true,
      input: z.strictObject({}),
      summary: "Preview what closing the user's account would do, with its state if it is being closed",
      output: closingPreviewResponse,
      errors: [],
      handle: async ({ user }) => ({ preview: previewFields(await closings.preview(user.userId)) }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/closing/begin/",
      access: "user",
      withoutConsent: true,
      input: beginClosingInput,
      summary:
        "Begin to close the user's account: API keys stop and access tokens end immediately, and after some days it is closed for good",
      output: closingResponse,
      limits: proofLimits,
      errors: ["conflict", "closing_blocked", "balance_changed", ...proofErrors],
      handle: async (call) => {
        const { agreed_balance: agreed, ...proof } = call.input;
        const origin = originOf(call);
        if (call.user.sessionId === null) {
          throw new AppError("step_up_required");
        }
        await links.prove(call.user, proof, origin);
        return { closing: closingFields(await closings.begin(call.user, agreed, origin)) };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/closing/undo/",
      access: "user",
      withoutConsent: true,
      input: undoClosingInput,
      summary: "Keep the user's account: API keys work again; access tokens that ended do not",
      output: emptyResponse,
      limits: proofLimits,
      errors: ["not_found", "forbidden", ...proofErrors],
      handle: async (call) => {
        await links.prove(call.user, call.input, originOf(call));
        await closings.undo(call.user.userId, { origin: byUser(call.user, originOf(call)), reason: null });
        return {};
      },
    }),
  ];
}

function adminEndpoints({ closings, approvals, acts }: Deps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/user/closing/",
      access: "admin",
      input: closingQuery,
      summary: "Preview what closing a user's account would do, with its state if it is being closed",
      output: closingPreviewResponse,
      errors: ["not_found"],
      handle: async ({ input }) => ({ preview: previewFields(await closings.preview(input.user_id as UserId)) }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/user/closing/begin/"),
      input: adminClosingInput,
      summary: "Begin to close a user's account; only an admin can undo that",
      output: adminClosingResponse,
      limits: [
        "With admin.second_person_above_usd the loss of a balance waits until another super-admin has approved it.",
      ],
      errors: ["not_found", "conflict", "closing_blocked", "balance_changed"],
      handle: async (call) => await approvals.carryOut(acts.closeUser, call.input, call),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/user/closing/undo/"),
      input: adminUndoClosingInput,
      summary: "Keep an account that is being closed",
      output: emptyResponse,
      errors: ["not_found"],
      handle: async ({ input, ...call }) => {
        await closings.undo(input.user_id as UserId, { origin: byCaller(call), reason: input.reason });
        return {};
      },
    }),
  ];
}

function previewFields(preview: Awaited<ReturnType<Deps["closings"]["preview"]>>) {
  const { balance, effects, isPossible, waitingDays, closing } = preview;
  return {
    balance,
    effects,
    is_possible: isPossible,
    waiting_days: waitingDays,
    closing: closing === null || closing.doneAt !== null ? null : closingFields(closing),
  };
}

import { emptyResponse } from "@sluice/contracts/accounts";
import {
  linkedSignInsMax,
  linkSignInInput,
  linkSignInResponse,
  signInListResponse,
  unlinkSignInInput,
} from "@sluice/contracts/sign-in";
import { z } from "zod";
import { successAnswer } from "../../platform/endpoint/answer.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { limitSentences } from "../attempts/limit-sentences.ts";
import { type AccountRouteDeps, originOf, withCookie } from "../route-deps.ts";
import { accountPath } from "./model.ts";

export const proofErrors = [
  ...(["invalid_credentials", "code_required", "invalid_code", "step_up_required", "too_many_attempts"] as const),
  "unauthenticated",
] as const;
export const proofLimits = [...limitSentences.confirmation, ...limitSentences.code];

/** How users link accounts at other services, see them and remove them. */
export function signInAccountEndpoints({
  providers,
  signIn,
  links,
}: Pick<AccountRouteDeps, "providers" | "signIn" | "links">): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/auth/sign-ins/",
      access: "user",
      input: z.strictObject({}),
      summary: "List the accounts at other services with which the user logs in, and the services that can be linked",
      output: signInListResponse,
      errors: [],
      handle: async ({ user }) => {
        const linked = await links.list(user.userId);
        const labels = await providers.labelsOf(linked.map(({ issuer }) => issuer));
        const sign_ins = linked.map(({ id, issuer, email, createdAt, lastUsedAt }) => ({
          sign_in_id: id,
          label: labels.get(issuer) ?? issuer,
          email,
          created_at: createdAt,
          last_used_at: lastUsedAt,
        }));
        return { sign_ins, providers: await providers.offered() };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/sign-ins/link/",
      access: "user",
      input: linkSignInInput,
      summary: "Begin to link an account at another service; the browser opens the address and comes back linked",
      output: linkSignInResponse,
      limits: [`At most ${linkedSignInsMax} links.`, ...proofLimits],
      errors: ["not_found", "sign_in_unavailable", ...proofErrors],
      handle: async (call) => {
        const { user, input } = call;
        if (user.sessionId === null) {
          throw new AppError("step_up_required");
        }
        await links.prove(user, input, originOf(call));
        const link = { userId: user.userId.toString(), sessionId: user.sessionId.toString() };
        const { url, cookies } = await signIn.begin(input.provider, { next: accountPath, invitation: "", link });
        return withCookie(successAnswer({ url }, call.requestId), ...cookies);
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/sign-ins/unlink/",
      access: "user",
      input: unlinkSignInInput,
      summary: "Remove the link to an account at another service, unless it is the last way to log in",
      output: emptyResponse,
      limits: proofLimits,
      errors: ["not_found", "last_sign_in", ...proofErrors],
      handle: async (call) => {
        await links.prove(call.user, call.input, originOf(call));
        await links.unlink(call.user, call.input.sign_in_id, originOf(call));
        return {};
      },
    }),
  ];
}

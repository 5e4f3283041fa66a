import { emptyResponse } from "@sluice/contracts/accounts";
import {
  addPasskeyInput,
  beginPasskeyInput,
  beginPasskeyResponse,
  passkeyChallengeResponse,
  passkeyListResponse,
  passkeyLoginInput,
  passkeyLoginResponse,
  passkeyResponse,
  passkeysMax,
  removePasskeyInput,
  renamePasskeyInput,
} from "@sluice/contracts/passkeys";
import { z } from "zod";
import { successAnswer } from "../../platform/endpoint/answer.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { limitSentences } from "../attempts/limit-sentences.ts";
import { safeNext } from "../model.ts";
import { type AccountRouteDeps, originOf, withCookie } from "../route-deps.ts";
import { proofErrors, proofLimits } from "../sign-in/account-routes.ts";
import { challengeMinutes, type Passkey } from "./model.ts";

const challengeLimit = `What the browser signs is valid once, in this browser, for ${challengeMinutes} minutes.`;

/** How users add passkeys to their account, see them, rename and remove them, and log in with one. */
export function passkeyEndpoints(deps: Pick<AccountRouteDeps, "passkeys" | "passkeyLogin" | "links">): AnyEndpoint[] {
  return [...loginEndpoints(deps), ...addEndpoints(deps), ...ownEndpoints(deps)];
}

function loginEndpoints({ passkeyLogin }: Pick<AccountRouteDeps, "passkeyLogin">): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/auth/passkeys/login/begin/",
      access: "public",
      input: z.strictObject({}),
      summary: "Get what the browser has to sign with a passkey of this site",
      output: passkeyChallengeResponse,
      limits: [challengeLimit],
      errors: ["passkeys_unavailable"],
      handle: async ({ requestId }) => {
        const { options, cookie } = passkeyLogin.begin();
        return await Promise.resolve(withCookie(successAnswer({ options }, requestId), cookie));
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/passkeys/login/",
      access: "public",
      input: passkeyLoginInput,
      summary: "Log in with a passkey, which needs neither a name nor a password nor a code",
      output: passkeyLoginResponse,
      limits: limitSentences.passkey,
      errors: [
        "passkeys_unavailable",
        "passkey_unknown",
        "passkey_failed",
        "passkey_copied",
        "email_not_verified",
        "account_disabled",
        "invalid_cookie",
        "too_many_attempts",
      ],
      handle: async (call) => {
        const { credential, next } = call.input;
        const how = { request: call.request, origin: originOf(call) };
        const { user, cookies } = await passkeyLogin.logIn(credential, how);
        const body = { user: { user_id: user.userId, email: user.email }, next: safeNext(next) };
        return withCookie(successAnswer(body, call.requestId), ...cookies);
      },
    }),
  ];
}

function addEndpoints({ passkeys, links }: Pick<AccountRouteDeps, "passkeys" | "links">): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/auth/passkeys/begin/",
      access: "user",
      input: beginPasskeyInput,
      summary: "Get what the browser needs to create a passkey for the user",
      output: beginPasskeyResponse,
      limits: [`At most ${passkeysMax} passkeys.`, challengeLimit, ...proofLimits],
      errors: ["passkeys_unavailable", "too_many_passkeys", ...proofErrors],
      handle: async (call) => {
        await links.prove(call.user, call.input, originOf(call));
        const { options, cookie } = await passkeys.begin(call.user);
        return withCookie(successAnswer({ options }, call.requestId), cookie);
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/passkeys/add/",
      access: "user",
      input: addPasskeyInput,
      summary: "Add the passkey that the browser has created; the owner of the account gets an e-mail",
      output: passkeyResponse,
      limits: [`At most ${passkeysMax} passkeys.`],
      errors: [
        "passkeys_unavailable",
        "too_many_passkeys",
        "passkey_failed",
        "passkey_taken",
        "step_up_required",
        "unauthenticated",
      ],
      handle: async (call) => {
        const how = { request: call.request, origin: originOf(call) };
        return { passkey: viewOf(await passkeys.add(call.user, call.input, how)) };
      },
    }),
  ];
}

function ownEndpoints({ passkeys, links }: Pick<AccountRouteDeps, "passkeys" | "links">): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/auth/passkeys/",
      access: "user",
      input: z.strictObject({}),
      summary: "List the user's passkeys",
      output: passkeyListResponse,
      errors: [],
      handle: async ({ user }) => ({
        passkeys: (await passkeys.list(user.userId)).map(viewOf),
        is_offered: passkeys.isOffered,
      }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/passkeys/rename/",
      access: "user",
      input: renamePasskeyInput,
      summary: "Rename a passkey",
      output: passkeyResponse,
      limits: proofLimits,
      errors: ["not_found", ...proofErrors],
      handle: async (call) => {
        const { passkey_id, name, ...proof } = call.input;
        const origin = originOf(call);
        await links.prove(call.user, proof, origin);
        return { passkey: viewOf(await passkeys.rename(call.user, passkey_id, { name, origin })) };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/passkeys/remove/",
      access: "user",
      input: removePasskeyInput,
      summary: "Remove a passkey; the owner of the account gets an e-mail",
      output: emptyResponse,
      limits: proofLimits,
      errors: ["not_found", ...proofErrors],
      handle: async (call) => {
        const { passkey_id, ...proof } = call.input;
        await links.prove(call.user, proof, originOf(call));
        await passkeys.remove(call.user, passkey_id, originOf(call));
        return {};
      },
    }),
  ];
}

function viewOf({ id, name, isSynced, createdAt, lastUsedAt }: Passkey) {
  return { passkey_id: id, name, is_synced: isSynced, created_at: createdAt, last_used_at: lastUsedAt };
}

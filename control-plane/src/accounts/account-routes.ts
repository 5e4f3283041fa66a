import {
  emptyResponse,
  passwordChangeInput,
  profileSaveInput,
  recoveryCodesInput,
  recoveryCodesResponse,
  sessionListResponse,
  sessionRevokeInput,
  sessionRevokeResponse,
  totpBeginInput,
  totpBeginResponse,
  totpDisableInput,
  totpEnableInput,
  userResponse,
} from "@sluice/contracts/accounts";
import { z } from "zod";
import { mailLocaleOf } from "../mail/model.ts";
import { successAnswer } from "../platform/endpoint/answer.ts";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { notFound } from "../platform/errors.ts";
import { localeCookie } from "../platform/page-locale.ts";
import { limitSentences } from "./attempts/limit-sentences.ts";
import { profileFields } from "./model.ts";
import { type AccountRouteDeps, originOf, withCookie } from "./route-deps.ts";
import { sessionRules } from "./sessions/model.ts";
import { listSessionsOf, ofUser, revokeSession, revokeSessionsOf } from "./sessions/store.ts";

const nothing = z.strictObject({});

/** The endpoints with which users see and change their own account. */
export function accountEndpoints(deps: AccountRouteDeps): AnyEndpoint[] {
  return [...profileEndpoints(deps), ...sessionEndpoints(deps), ...totpEndpoints(deps)];
}

function profileEndpoints({ ownAccount, sessions }: AccountRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/auth/me/",
      access: "user",
      withoutConsent: true,
      input: nothing,
      summary: "Get the logged-in user",
      output: userResponse,
      errors: [],
      handle: async ({ user }) => ({ user: profileFields(await ownAccount.read(user.userId)) }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/profile/save/",
      access: "user",
      withoutConsent: true,
      input: profileSaveInput,
      summary: "Change the display name or language",
      output: userResponse,
      errors: [],
      handle: async (call) => {
        const { display_name: displayName, locale } = call.input;
        const change = {
          ...(displayName === undefined ? {} : { displayName }),
          ...(locale === undefined ? {} : { locale }),
        };
        const profile = await ownAccount.saveProfile(call.user, change, originOf(call));
        const answer = successAnswer({ user: profileFields(profile) }, call.requestId);
        return withCookie(answer, localeCookie(mailLocaleOf(profile.locale), sessions.isSecure));
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/password/change/",
      access: "user",
      input: passwordChangeInput,
      summary: "Change the password; every other session ends",
      output: emptyResponse,
      limits: limitSentences.confirmation,
      errors: ["invalid_credentials", "invalid_password", "conflict", "too_many_attempts"],
      handle: async (call) => {
        const passwords = { current: call.input.current_password, next: call.input.new_password };
        const cookie = await ownAccount.changePassword(call.user, passwords, call.request, originOf(call));
        return withCookie(successAnswer({}, call.requestId), cookie);
      },
    }),
  ];
}

function sessionEndpoints({ db }: AccountRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/auth/sessions/",
      access: "user",
      input: nothing,
      summary: "List the user's sessions, newest first",
      output: sessionListResponse,
      errors: [],
      handle: async ({ user }) => {
        const sessions = await listSessionsOf(db, ofUser(user.userId), sessionRules.user);
        return { sessions: sessions.map((each) => ({ ...each, is_current: each.id === user.sessionId })) };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/sessions/revoke/",
      access: "user",
      input: sessionRevokeInput,
      summary: "End one session, or all but this one",
      output: sessionRevokeResponse,
      errors: ["not_found"],
      handle: async ({ user, input }) => {
        if ("all_others" in input) {
          return { revoked: await revokeSessionsOf(db, ofUser(user.userId), user.sessionId) };
        }
        if (!(await revokeSession(db, input.session_id, ofUser(user.userId)))) {
          throw notFound("session");
        }
        return { revoked: 1 };
      },
    }),
  ];
}

function totpEndpoints({ ownAccount }: AccountRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/auth/totp/begin/",
      access: "user",
      input: totpBeginInput,
      summary: "Create an authenticator secret; it is shown once",
      output: totpBeginResponse,
      limits: limitSentences.confirmation,
      errors: ["invalid_credentials", "conflict", "too_many_attempts"],
      handle: async (call) => ({ ...(await ownAccount.beginTotp(call.user, call.input.password, originOf(call))) }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/totp/enable/",
      access: "user",
      input: totpEnableInput,
      summary: "Turn on codes at login, confirmed by a first valid code; the recovery codes are shown once",
      output: recoveryCodesResponse,
      limits: limitSentences.code,
      errors: ["invalid_code", "conflict", "too_many_attempts"],
      handle: async (call) => ({
        recovery_codes: await ownAccount.enableTotp(call.user, call.input.code, originOf(call)),
      }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/totp/recovery-codes/",
      access: "user",
      input: recoveryCodesInput,
      summary: "Create ten new recovery codes, shown once; the old ones stop working",
      output: recoveryCodesResponse,
      limits: [...limitSentences.confirmation, ...limitSentences.code],
      errors: ["invalid_credentials", "invalid_code", "code_required", "conflict", "too_many_attempts"],
      handle: async (call) => ({
        recovery_codes: await ownAccount.remakeRecoveryCodes(call.user, call.input, originOf(call)),
      }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/totp/disable/",
      access: "user",
      input: totpDisableInput,
      summary: "Turn off codes at login",
      output: emptyResponse,
      limits: [...limitSentences.confirmation, ...limitSentences.code],
      errors: ["invalid_credentials", "invalid_code", "code_required", "too_many_attempts"],
      handle: async (call) => {
        await ownAccount.disableTotp(call.user, call.input, originOf(call));
        return {};
      },
    }),
  ];
}

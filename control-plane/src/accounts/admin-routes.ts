import {
  adminLocaleInput,
  adminLoginInput,
  adminLoginResponse,
  adminMeResponse,
  doneOrWaiting,
  emptyResponse,
  passwordChangeInput,
  recoveryCodesInput,
  recoveryCodesResponse,
  sessionListResponse,
  sessionRevokeInput,
  sessionRevokeResponse,
  totpBeginInput,
  totpBeginResponse,
  totpDisableInput,
  totpEnableInput,
  totpRemoveInput,
  userSaveInput,
  userSaveResponse,
} from "@sluice/contracts/accounts";
import { adminOperation } from "@sluice/contracts/admin-rights";
import { z } from "zod";
import { successAnswer } from "../platform/endpoint/answer.ts";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { notFound } from "../platform/errors.ts";
import { adminRightsEndpoints } from "./admins/admin-rights-routes.ts";
import { limitSentences } from "./attempts/limit-sentences.ts";
import { type AccountRouteDeps, originOf, withCookie } from "./route-deps.ts";
import { endedSessionCookie } from "./sessions/cookie.ts";
import { sessionRules } from "./sessions/model.ts";
import { listSessionsOf, ofAdmin, revokeSession, revokeSessionsOf } from "./sessions/store.ts";

const nothing = z.strictObject({});

/** How admins log in and out, and what they change about users. */
export function adminAccountEndpoints(deps: AccountRouteDeps): AnyEndpoint[] {
  return [
    ...adminLoginEndpoints(deps),
    ...adminSessionEndpoints(deps),
    ...adminTotpEndpoints(deps),
    ...adminRightsEndpoints(deps),
    ...userEndpoints(deps),
  ];
}

function adminLoginEndpoints({ db, sessions, adminLogin, adminAccounts }: AccountRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/auth/admin/login/",
      access: "public",
      input: adminLoginInput,
      summary: "Log in an admin by username, e-mail or mobile number",
      output: adminLoginResponse,
      limits: limitSentences.adminLogin,
      errors: ["invalid_cookie", "invalid_credentials", "code_required", "invalid_code", "too_many_attempts"],
      handle: async (call) => {
        const { admin, cookies } = await adminLogin.logIn(call.input, call.request, originOf(call));
        const fields = { admin: { username: admin.username, is_super: admin.agent >= 2 } };
        return withCookie(successAnswer(fields, call.requestId), ...cookies);
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/admin/logout/",
      access: "public",
      input: nothing,
      summary: "End the admin's session",
      output: emptyResponse,
      errors: ["invalid_cookie"],
      handle: async ({ request, requestId }) => {
        await sessions.end(db, "admin", request);
        return withCookie(successAnswer({}, requestId), endedSessionCookie("admin", sessions.isSecure));
      },
    }),
    endpoint({
      method: "GET",
      ...adminOperation("/backend/auth/admin/me/"),
      input: nothing,
      summary: "Get the logged-in admin",
      output: adminMeResponse,
      errors: [],
      handle: async ({ admin }) => {
        const { username, role, isSuper, isFresh, lacksSecondFactor } = admin;
        const { hasCode, recoveryCodesLeft } = await adminAccounts.codesOf(admin);
        const codes = { has_totp: hasCode, recovery_codes_left: recoveryCodesLeft };
        const state = { is_super: isSuper, is_fresh: isFresh, lacks_second_factor: lacksSecondFactor };
        return { admin: { username, role, ...state, ...codes } };
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/auth/admin/locale/save/"),
      input: adminLocaleInput,
      summary: "Choose the language of the admin area for the admin",
      output: emptyResponse,
      errors: [],
      handle: async (call) => {
        await adminAccounts.chooseLocale(call.admin, call.input.locale, originOf(call));
        return {};
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/auth/admin/password/change/"),
      input: passwordChangeInput,
      summary: "Change the admin's password; every other session of the admin ends",
      output: emptyResponse,
      limits: limitSentences.confirmation,
      errors: ["invalid_credentials", "invalid_password", "conflict", "too_many_attempts"],
      handle: async (call) => {
        const passwords = { current: call.input.current_password, next: call.input.new_password };
        const cookie = await adminAccounts.changePassword(call.admin, passwords, call.request, originOf(call));
        return withCookie(successAnswer({}, call.requestId), cookie);
      },
    }),
  ];
}

function adminSessionEndpoints({ db }: AccountRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      ...adminOperation("/backend/auth/admin/sessions/"),
      input: nothing,
      summary: "List the admin's sessions, newest first",
      output: sessionListResponse,
      errors: [],
      handle: async ({ admin }) => {
        const sessions = await listSessionsOf(db, ofAdmin(admin.adminId), sessionRules.admin);
        return { sessions: sessions.map((each) => ({ ...each, is_current: each.id === admin.sessionId })) };
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/auth/admin/sessions/revoke/"),
      input: sessionRevokeInput,
      summary: "End one of the admin's sessions, or all but this one",
      output: sessionRevokeResponse,
      errors: ["not_found"],
      handle: async ({ admin, input }) => {
        if ("all_others" in input) {
          return { revoked: await revokeSessionsOf(db, ofAdmin(admin.adminId), admin.sessionId) };
        }
        if (!(await revokeSession(db, input.session_id, ofAdmin(admin.adminId)))) {
          throw notFound("session");
        }
        return { revoked: 1 };
      },
    }),
  ];
}

function adminTotpEndpoints({ adminAccounts, approvals, acts }: AccountRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/auth/admin/totp/begin/"),
      input: totpBeginInput,
      summary: "Create an authenticator secret; it is shown once",
      output: totpBeginResponse,
      limits: limitSentences.confirmation,
      errors: ["invalid_credentials", "conflict", "too_many_attempts"],
      handle: async (call) => ({
        ...(await adminAccounts.beginTotp(call.admin, call.input.password, originOf(call))),
      }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/auth/admin/totp/enable/"),
      input: totpEnableInput,
      summary: "Turn on codes at login, confirmed by a first valid code; the recovery codes are shown once",
      output: recoveryCodesResponse,
      limits: limitSentences.code,
      errors: ["invalid_code", "conflict", "too_many_attempts"],
      handle: async (call) => ({
        recovery_codes: await adminAccounts.enableTotp(call.admin, call.input.code, originOf(call)),
      }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/auth/admin/totp/recovery-codes/"),
      input: recoveryCodesInput,
      summary: "Create ten new recovery codes, shown once; the old ones stop working",
      output: recoveryCodesResponse,
      limits: [...limitSentences.confirmation, ...limitSentences.code],
      errors: ["invalid_credentials", "invalid_code", "code_required", "conflict", "too_many_attempts"],
      handle: async (call) => ({
        recovery_codes: await adminAccounts.remakeRecoveryCodes(call.admin, call.input, originOf(call)),
      }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/auth/admin/totp/disable/"),
      input: totpDisableInput,
      summary: "Turn off codes at login",
      output: emptyResponse,
      limits: [...limitSentences.confirmation, ...limitSentences.code],
      errors: ["invalid_credentials", "invalid_code", "code_required", "too_many_attempts"],
      handle: async (call) => {
        await adminAccounts.disableTotp(call.admin, call.input, originOf(call));
        return {};
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/totp/remove/"),
      input: totpRemoveInput,
      summary: "Remove a lost authenticator from a user or admin; the caller must have verified the person's identity",
      output: doneOrWaiting,
      errors: ["not_found", "self_forbidden"],
      limits: [
        "With admin.second_person_above_usd, removing one from a super-admin waits until another super-admin has approved it.",
      ],
      handle: async (call) => await approvals.carryOut(acts.removeTotp, call.input, call),
    }),
  ];
}

function userEndpoints({ approvals, acts }: AccountRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/user/save/"),
      input: userSaveInput,
      summary: "Change a user's display name, user type, status or rate multiplier",
      output: userSaveResponse,
      errors: ["not_found", "invalid_multiplier", "conflict", "self_forbidden"],
      limits: [
        "With admin.second_person_above_usd, a lower multiplier waits until another super-admin has approved it.",
      ],
      handle: async (call) => await approvals.carryOut(acts.saveUser, call.input, call),
    }),
  ];
}

import {
  emailInput,
  emptyResponse,
  loginInput,
  loginResponse,
  passwordResetInput,
  registerInput,
  registrationResponse,
  verifiedResponse,
} from "@sluice/contracts/accounts";
import { legalPath } from "@sluice/contracts/brand";
import { registrationNeedsResponse } from "@sluice/contracts/registration";
import { z } from "zod";
import { successAnswer } from "../platform/endpoint/answer.ts";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { pageLocaleOf } from "../platform/page-locale.ts";
import { limitSentences } from "./attempts/limit-sentences.ts";
import { inLanguage } from "./form-input.ts";
import { type AccountRouteDeps, originOf, seeOther, wantsPage, withCookie } from "./route-deps.ts";
import { endedSessionCookie } from "./sessions/cookie.ts";

const admissionErrors = [
  "registration_closed",
  "domain_refused",
  "invitation_required",
  "invitation_unusable",
  "consent_required",
  "proof_required",
] as const;

/** How users register, log in and log out. */
export function authEndpoints(deps: AccountRouteDeps): AnyEndpoint[] {
  return [...registrationEndpoints(deps), ...loginEndpoints(deps), ...resetEndpoints(deps)];
}

function registrationEndpoints({ registration, newcomers }: AccountRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/auth/register/rules/",
      access: "public",
      input: z.strictObject({}),
      summary:
        "Get who may register, and the proof of work that a registration needs: a decimal number whose text makes the SHA-256 of `<challenge>:<address in lower case>:<number>` begin with `bits` zero bits",
      output: registrationNeedsResponse,
      limits: ["A challenge is valid for one registration within ten minutes."],
      errors: [],
      handle: async () => {
        const { mode, domains, proof, accepts } = await newcomers.needs();
        const asked =
          proof === null ? null : { challenge: proof.challenge, bits: proof.bits, expires_at: proof.expiresAt };
        return {
          mode,
          domains,
          proof: asked,
          accepts: accepts.map((each) => ({ ...each, url: legalPath(each.page) })),
        };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/register/",
      access: "public",
      status: 202,
      input: registerInput,
      summary:
        "Register a user, who must verify the e-mail address; the response does not reveal whether it is already registered",
      output: registrationResponse,
      limits: limitSentences.registration,
      errors: ["invalid_email", "invalid_password", "too_many_attempts", ...admissionErrors],
      handle: async (call) => {
        const { email, password, display_name, locale, invitation = "", proof = null, accepts = [] } = call.input;
        const language = pageLocaleOf(call.request, locale ?? "");
        const passes = { invitation, proof, accepts };
        const input = { email, password, displayName: display_name ?? null, locale: language, ...passes };
        const { answer } = await registration.register(input, call.request, originOf(call));
        return { ...answer };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/resend-verification/",
      access: "public",
      status: 202,
      input: emailInput,
      summary: "Send the verification link again; the response does not depend on the address",
      output: registrationResponse,
      limits: limitSentences.mail,
      errors: ["invalid_email", "too_many_attempts"],
      handle: async (call) => ({ ...(await registration.resend(call.input.email, originOf(call))) }),
    }),
    endpoint({
      method: "GET",
      path: "/backend/auth/verify-email/",
      access: "public",
      input: z.object({ token: z.string().max(1_024).default(""), lang: z.string().max(35).default("") }),
      summary: "Verify an e-mail address by its link and activate the user; a browser gets a confirmation page",
      output: verifiedResponse,
      otherResponses: [{ status: 303, type: null, summary: "Redirects a browser to the confirmation page." }],
      errors: ["invalid_token", "invitation_unusable"],
      handle: async (call) => {
        const { input, request } = call;
        // Programs that scan the links in emails must not use them up.
        if (request.method === "HEAD") {
          return {};
        }
        if (wantsPage(request)) {
          return seeOther(inLanguage(`/verify-email/?token=${encodeURIComponent(input.token)}`, input));
        }
        await registration.verify(input.token, originOf(call));
        return { status: "active" };
      },
    }),
  ];
}

function loginEndpoints({ db, sessions, userLogin }: AccountRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/auth/login/",
      access: "public",
      input: loginInput,
      summary: "Log in a verified user",
      output: loginResponse,
      limits: limitSentences.login,
      errors: [
        "invalid_cookie",
        "invalid_credentials",
        "code_required",
        "invalid_code",
        "email_not_verified",
        "account_disabled",
        "too_many_attempts",
      ],
      handle: async (call) => {
        const { cookies, user } = await userLogin.logIn(call.input, call.request, originOf(call));
        return withCookie(
          successAnswer({ user: { user_id: user.userId, email: user.email } }, call.requestId),
          ...cookies,
        );
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/logout/",
      access: "public",
      body: "form",
      input: z.object({}),
      summary: "End the user's session; after a form, show the login page",
      output: emptyResponse,
      otherResponses: [{ status: 303, type: null, summary: "Redirects to the login page, after a form." }],
      errors: ["invalid_cookie"],
      handle: async ({ request, requestId }) => {
        await sessions.end(db, "user", request);
        const isForm = request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") === true;
        const answer = isForm ? seeOther("/login/") : successAnswer({}, requestId);
        return withCookie(answer, endedSessionCookie("user", sessions.isSecure));
      },
    }),
  ];
}

function resetEndpoints({ reset }: AccountRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/auth/password-reset/request/",
      access: "public",
      status: 202,
      input: emailInput,
      summary: "Send a password reset link, if the address has an account; the response does not depend on it",
      output: emptyResponse,
      limits: limitSentences.mail,
      errors: ["invalid_email", "too_many_attempts"],
      handle: async (call) => {
        await reset.request(call.input.email, call.request, originOf(call));
        return {};
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/password-reset/confirm/",
      access: "public",
      input: passwordResetInput,
      summary:
        "Set a new password by a reset link, end every session, and remove linked sign-ins and passkeys if requested",
      output: emptyResponse,
      errors: ["invalid_token", "invalid_password", "invitation_unusable", "too_many_attempts"],
      handle: async (call) => {
        const { token, password, end_sign_ins: endsSignIns, end_passkeys: endsPasskeys } = call.input;
        await reset.confirm({ token, password, endsSignIns, endsPasskeys }, originOf(call));
        return {};
      },
    }),
  ];
}

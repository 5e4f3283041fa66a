import {
  emailInput,
  emptyAnswer,
  loginAnswer,
  loginInput,
  passwordResetInput,
  registerInput,
  registrationAnswer,
  verifiedAnswer,
} from "@sluice/contracts/accounts";
import { z } from "zod";
import { successAnswer } from "../platform/endpoint/answer.ts";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { pageLocaleOf } from "../platform/page-locale.ts";
import { limitSentences } from "./attempts/limit-sentences.ts";
import { inLanguage } from "./form-input.ts";
import { type AccountRouteParts, originOf, seeOther, wantsPage, withCookie } from "./route-parts.ts";
import { endedSessionCookie } from "./sessions/cookie.ts";

/** How users come to be, come in and go out. */
export function authEndpoints(parts: AccountRouteParts): AnyEndpoint[] {
  return [...registrationEndpoints(parts), ...loginEndpoints(parts), ...resetEndpoints(parts)];
}

function registrationEndpoints({ registration }: AccountRouteParts): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/auth/register/",
      access: "public",
      status: 202,
      input: registerInput,
      summary: "Makes a user who has to verify the e-mail address. The answer is the same for a known address.",
      output: registrationAnswer,
      limits: limitSentences.registration,
      errors: ["invalid_email", "invalid_password", "too_many_attempts"],
      handle: async (call) => {
        const { email, password, display_name, locale } = call.input;
        const language = pageLocaleOf(call.request, locale ?? "");
        const input = { email, password, displayName: display_name ?? null, locale: language };
        return { ...(await registration.register(input, originOf(call))) };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/resend-verification/",
      access: "public",
      status: 202,
      input: emailInput,
      summary: "Sends the link of the verification again. The answer is the same for every address.",
      output: registrationAnswer,
      limits: limitSentences.mail,
      errors: ["invalid_email", "too_many_attempts"],
      handle: async (call) => ({ ...(await registration.resend(call.input.email, originOf(call))) }),
    }),
    endpoint({
      method: "GET",
      path: "/backend/auth/verify-email/",
      access: "public",
      input: z.object({ token: z.string().max(1_024).default(""), lang: z.string().max(35).default("") }),
      summary: "Makes the user active whose link it is. A browser gets the page with the button that does it.",
      output: verifiedAnswer,
      otherAnswers: [{ status: 303, type: null, summary: "To the page with the button, for a browser." }],
      errors: ["invalid_token"],
      handle: async (call) => {
        const { input, request } = call;
        // What looks at the links of a mail before a person does must not use them up.
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

function loginEndpoints({ db, sessions, userLogin }: AccountRouteParts): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/auth/login/",
      access: "public",
      input: loginInput,
      summary: "Logs a verified user in.",
      output: loginAnswer,
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
      summary: "Ends the session of a user; after a form, shows the login page.",
      output: emptyAnswer,
      otherAnswers: [{ status: 303, type: null, summary: "To the login, after a form." }],
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

function resetEndpoints({ reset }: AccountRouteParts): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/auth/password-reset/request/",
      access: "public",
      status: 202,
      input: emailInput,
      summary: "Sends a link for a new password, if the address has an account. The answer is always the same.",
      output: emptyAnswer,
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
      summary: "Sets a new password by a link, and ends every session.",
      output: emptyAnswer,
      errors: ["invalid_token", "invalid_password", "too_many_attempts"],
      handle: async (call) => {
        await reset.confirm(call.input.token, call.input.password, originOf(call));
        return {};
      },
    }),
  ];
}

import { sha256 } from "../platform/crypto/digest.ts";
import { type AnyEndpoint, type CallBase, endpoint } from "../platform/endpoint/model.ts";
import { AppError } from "../platform/errors.ts";
import { withRetryAfter } from "../platform/form-problem.ts";
import { adminLocaleOf } from "../platform/page-locale.ts";
import { limitSentences } from "./attempts/limit-sentences.ts";
import {
  anyForm,
  formField,
  inLanguage,
  localeOf,
  nextOf,
  problemOf,
  readableError,
  rememberingLanguage,
} from "./form-input.ts";
import { safeNext } from "./model.ts";
import type { LinkPurpose, LoginPageState } from "./port.ts";
import { formAnswers, registerForm } from "./registration/form-routes.ts";
import { type AccountRouteDeps, originOf, seeOther, withCookie } from "./route-deps.ts";
import { findPurpose } from "./tokens-store.ts";

const emptyLogin: Omit<LoginPageState, "locale" | "signIns" | "hasPasskeys"> = {
  email: "",
  next: "",
  problem: null,
  notice: null,
  asksForCode: false,
  signedInAs: null,
};

/** The login pages, which work without JavaScript. */
export function formEndpoints(deps: AccountRouteDeps): AnyEndpoint[] {
  return [...loginForm(deps), ...adminLoginForm(deps), ...registerForm(deps), ...verifyForm(deps), ...resetForm(deps)];
}

function loginForm({ userLogin, pages, sessions, providers, passkeys }: AccountRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/login/",
      access: "optional_user",
      input: anyForm,
      summary: "The login page; if you are already logged in, it offers to continue or log out",
      output: null,
      otherResponses: [{ status: 200, type: "text/html", summary: "The page." }],
      errors: [],
      handle: async (call) => {
        const { input, user } = call;
        const page = pages.login(
          {
            ...emptyLogin,
            locale: localeOf(call),
            next: nextOf(input),
            notice: formField(input, "notice"),
            signedInAs: user?.email ?? null,
            signIns: await providers.offered(),
            hasPasskeys: passkeys.isOffered,
          },
          200,
        );
        return rememberingLanguage(page, input, sessions.isSecure);
      },
    }),
    endpoint({
      method: "POST",
      path: "/login/",
      access: "public",
      body: "form",
      input: anyForm,
      summary: "Log in a verified user and open the console",
      output: null,
      otherResponses: formAnswers,
      limits: limitSentences.login,
      errors: [],
      handle: async (call) => {
        const { input } = call;
        const next = nextOf(input);
        const email = formField(input, "email");
        const login = { email, password: formField(input, "password"), code: formField(input, "code") };
        try {
          if (login.password === "") {
            throw new AppError("invalid_password");
          }
          const { cookies } = await userLogin.logIn(login, call.request, originOf(call));
          return withCookie(seeOther(safeNext(next)), ...cookies);
        } catch (thrown) {
          const error = readableError(thrown);
          const asksForCode = error.code === "code_required" || error.code === "invalid_code";
          const typed = { email, next, problem: problemOf(error), asksForCode };
          const others = { signIns: await providers.offered(), hasPasskeys: passkeys.isOffered };
          const state = { ...emptyLogin, ...typed, ...others, locale: localeOf(call) };
          return withRetryAfter(pages.login(state, error.status), error);
        }
      },
    }),
  ];
}

function adminLoginForm({ adminLogin, sessions, pages }: AccountRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/admin/login/",
      access: "public",
      input: anyForm,
      summary: "The admin login form, which every admin page shows until you log in",
      output: null,
      otherResponses: [
        { status: 303, type: null, summary: "Redirects to the admin area, if already logged in." },
        { status: 401, type: "text/html", summary: "The form." },
      ],
      errors: [],
      handle: async ({ request, input }) =>
        (await sessions.readAdmin(request)) === null
          ? pages.adminLogin(
              {
                locale: adminLocaleOf(request, ""),
                login: "",
                next: adminNextOf(input),
                problem: null,
                asksForCode: false,
              },
              401,
            )
          : seeOther("/admin/"),
    }),
    endpoint({
      method: "POST",
      path: "/admin/login/",
      access: "public",
      body: "form",
      input: anyForm,
      summary: "Log in an admin and open the admin area",
      output: null,
      otherResponses: formAnswers,
      limits: limitSentences.adminLogin,
      errors: [],
      handle: async (call) => {
        const { input } = call;
        const next = adminNextOf(input);
        const typed = {
          login: formField(input, "login"),
          password: formField(input, "password"),
          code: formField(input, "code"),
        };
        const { code, ...credentials } = typed;
        try {
          const { cookies } = await adminLogin.logIn(
            code === "" ? credentials : { ...credentials, code },
            call.request,
            originOf(call),
          );
          return withCookie(seeOther(next), ...cookies);
        } catch (thrown) {
          const error = readableError(thrown);
          const asksForCode = error.code === "code_required" || error.code === "invalid_code";
          const locale = adminLocaleOf(call.request, "");
          const state = { locale, login: typed.login, next, problem: problemOf(error), asksForCode };
          return withRetryAfter(pages.adminLogin(state, error.status), error);
        }
      },
    }),
  ];
}

function resetForm({ reset, pages, sessions }: AccountRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/reset-password/",
      access: "public",
      input: anyForm,
      summary:
        "The page for a new password: its form if opened by a reset link, otherwise the form that requests a link",
      output: null,
      otherResponses: [{ status: 200, type: "text/html", summary: "The page." }],
      errors: [],
      handle: async (call) => {
        const token = formField(call.input, "token");
        const state = { locale: localeOf(call), token, email: "", problem: null, ...(await reset.otherWays(token)) };
        return rememberingLanguage(pages.reset(state, 200), call.input, sessions.isSecure);
      },
    }),
    endpoint({
      method: "POST",
      path: "/reset-password/",
      access: "public",
      body: "form",
      input: anyForm,
      summary: "Set a new password by a reset link, or send one",
      output: null,
      otherResponses: formAnswers,
      limits: limitSentences.mail,
      errors: [],
      handle: async (call) => {
        const token = formField(call.input, "token");
        const email = formField(call.input, "email");
        try {
          if (token === "") {
            await reset.request(email, call.request, originOf(call));
            return seeOther(inLanguage("/login/?notice=sent", call.input));
          }
          const endsSignIns = formField(call.input, "end_sign_ins") !== "";
          const endsPasskeys = formField(call.input, "end_passkeys") !== "";
          const wanted = { token, password: formField(call.input, "password"), endsSignIns, endsPasskeys };
          const whose = await reset.confirm(wanted, originOf(call));
          return seeOther(whose === "admin" ? "/admin/" : inLanguage("/login/?notice=reset", call.input));
        } catch (thrown) {
          const error = readableError(thrown);
          const kept = error.code === "invalid_token" ? "" : token;
          const others = await reset.otherWays(kept);
          const state = { locale: localeOf(call), token: kept, email, problem: problemOf(error), ...others };
          return withRetryAfter(pages.reset(state, error.status), error);
        }
      },
    }),
  ];
}

function verifyForm({ db, registration, emailChange, pages, sessions }: AccountRouteDeps): AnyEndpoint[] {
  const purposeOf = async (token: string): Promise<LinkPurpose> => {
    const purpose = token === "" ? null : await findPurpose(db, sha256(token));
    return purpose === "email_change" || purpose === "email_undo" ? purpose : "email_verify";
  };
  /** @returns each `Set-Cookie`, if the link has also logged the browser in */
  const followLink = async (purpose: LinkPurpose, token: string, call: CallBase<unknown>): Promise<string[]> => {
    const origin = originOf(call);
    switch (purpose) {
      case "email_verify":
        return await registration.verify(token, origin, call.request);
      case "email_change":
        await emailChange.confirm(token, origin);
        return [];
      case "email_undo":
        await emailChange.undo(token, origin);
        return [];
    }
  };
  return [
    endpoint({
      method: "GET",
      path: "/verify-email/",
      access: "public",
      input: anyForm,
      summary: "The page that verifies an address by its link, or the form that requests a link",
      output: null,
      otherResponses: [{ status: 200, type: "text/html", summary: "The page." }],
      errors: [],
      handle: async (call) => {
        const token = formField(call.input, "token");
        const state = { locale: localeOf(call), token, email: "", problem: null, purpose: await purposeOf(token) };
        return rememberingLanguage(pages.verify(state, 200), call.input, sessions.isSecure);
      },
    }),
    endpoint({
      method: "POST",
      path: "/verify-email/",
      access: "public",
      body: "form",
      input: anyForm,
      summary:
        "Verify an address by its link, change the address of an account by one, or undo that; or send a link again; then show the login page, or the console in the browser that created the account",
      output: null,
      otherResponses: formAnswers,
      limits: limitSentences.mail,
      errors: [],
      handle: async (call) => {
        const token = formField(call.input, "token");
        const email = formField(call.input, "email");
        try {
          if (token === "") {
            await registration.resend(email, originOf(call));
            return seeOther(inLanguage("/login/?notice=resent", call.input));
          }
          const purpose = await purposeOf(token);
          const login = await followLink(purpose, token, call);
          return login.length > 0
            ? withCookie(seeOther("/console/"), ...login)
            : seeOther(inLanguage(`/login/?notice=${linkNotices[purpose]}`, call.input));
        } catch (thrown) {
          const error = readableError(thrown);
          const state = {
            ...({
              locale: localeOf(call),
              token: "",
              email,
              problem: problemOf(error),
              purpose: "email_verify",
            } as const),
          };
          return withRetryAfter(pages.verify(state, error.status), error);
        }
      },
    }),
  ];
}

/** What the login page says after a link was followed. */
const linkNotices: Readonly<Record<LinkPurpose, string>> = {
  email_verify: "verified",
  email_change: "changed",
  email_undo: "undone",
};

/** Admins always return to a page of the admin area, even if the form names another one. */
function adminNextOf(input: Record<string, unknown>): string {
  const next = safeNext(formField(input, "next"));
  return next.startsWith("/admin/") && !next.startsWith("/admin/login") ? next : "/admin/";
}

import { type AnyEndpoint, endpoint, type OtherResponse } from "../platform/endpoint/model.ts";
import { AppError } from "../platform/errors.ts";
import { withRetryAfter } from "../platform/form-problem.ts";
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
import { type AccountRouteDeps, originOf, seeOther, withCookie } from "./route-deps.ts";

const statusesOfForms: readonly number[] = [400, 401, 403, 429];

/** The result of a submitted form: another page, or the same page with its errors. */
const formAnswers: readonly OtherResponse[] = [
  { status: 303, type: null, summary: "Redirects to the next page." },
  ...statusesOfForms.map((status) => ({ status, type: "text/html", summary: "The form, with its errors." })),
];

const emptyLogin = { email: "", next: "", problem: null, notice: null, asksForCode: false, signedInAs: null };

/** The login pages, which work without JavaScript. */
export function formEndpoints(deps: AccountRouteDeps): AnyEndpoint[] {
  return [...loginForm(deps), ...adminLoginForm(deps), ...registerForm(deps), ...verifyForm(deps), ...resetForm(deps)];
}

function loginForm({ userLogin, pages, sessions }: AccountRouteDeps): AnyEndpoint[] {
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
          const state = { ...emptyLogin, locale: localeOf(call), email, next, problem: problemOf(error), asksForCode };
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
          ? pages.adminLogin({ login: "", next: adminNextOf(input), problem: null, asksForCode: false }, 401)
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
          const state = { login: typed.login, next, problem: error.message, asksForCode };
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
        const state = { locale: localeOf(call), token: formField(call.input, "token"), email: "", problem: null };
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
          const whose = await reset.confirm(token, formField(call.input, "password"), originOf(call));
          return seeOther(whose === "admin" ? "/admin/" : inLanguage("/login/?notice=reset", call.input));
        } catch (thrown) {
          const error = readableError(thrown);
          const kept = error.code === "invalid_token" ? "" : token;
          const state = { locale: localeOf(call), token: kept, email, problem: problemOf(error) };
          return withRetryAfter(pages.reset(state, error.status), error);
        }
      },
    }),
  ];
}

function registerForm({ registration, pages, sessions }: AccountRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/register/",
      access: "public",
      input: anyForm,
      summary: "The registration page",
      output: null,
      otherResponses: [{ status: 200, type: "text/html", summary: "The page." }],
      errors: [],
      handle: async (call) => {
        const state = { locale: localeOf(call), email: "", displayName: "", problem: null };
        return rememberingLanguage(pages.register(state, 200), call.input, sessions.isSecure);
      },
    }),
    endpoint({
      method: "POST",
      path: "/register/",
      access: "public",
      body: "form",
      input: anyForm,
      summary: "Register a user, who must verify the e-mail address, and show that a mail is on its way",
      output: null,
      otherResponses: [{ status: 200, type: "text/html", summary: "The next steps." }, ...formAnswers.slice(1)],
      limits: limitSentences.registration,
      errors: [],
      handle: async (call) => {
        const { input } = call;
        const locale = localeOf(call);
        const email = formField(input, "email");
        const displayName = formField(input, "display_name");
        try {
          const person = { email, password: formField(input, "password"), displayName: displayName || null, locale };
          const { verification_url } = await registration.register(person, originOf(call));
          return pages.sent({ locale, email, link: verification_url ?? null });
        } catch (thrown) {
          const error = readableError(thrown);
          const state = { locale, email, displayName, problem: problemOf(error) };
          return withRetryAfter(pages.register(state, error.status), error);
        }
      },
    }),
  ];
}

function verifyForm({ registration, pages, sessions }: AccountRouteDeps): AnyEndpoint[] {
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
        const state = { locale: localeOf(call), token: formField(call.input, "token"), email: "", problem: null };
        return rememberingLanguage(pages.verify(state, 200), call.input, sessions.isSecure);
      },
    }),
    endpoint({
      method: "POST",
      path: "/verify-email/",
      access: "public",
      body: "form",
      input: anyForm,
      summary: "Verify an address by its link, or send the link again and show the login page",
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
          await registration.verify(token, originOf(call));
          return seeOther(inLanguage("/login/?notice=verified", call.input));
        } catch (thrown) {
          const error = readableError(thrown);
          const state = { locale: localeOf(call), token: "", email, problem: problemOf(error) };
          return withRetryAfter(pages.verify(state, error.status), error);
        }
      },
    }),
  ];
}

/** Admins always return to a page of the admin area, even if the form names another one. */
function adminNextOf(input: Record<string, unknown>): string {
  const next = safeNext(formField(input, "next"));
  return next.startsWith("/admin/") && !next.startsWith("/admin/login") ? next : "/admin/";
}

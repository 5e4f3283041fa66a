import { z } from "zod";
import { type AnyEndpoint, endpoint, type OtherAnswer } from "../platform/endpoint/model.ts";
import { AppError } from "../platform/errors.ts";
import { limitSentences } from "./attempts/limit-sentences.ts";
import { safeNext } from "./model.ts";
import { type AccountRouteParts, originOf, seeOther, withCookie } from "./route-parts.ts";

/** A form may hold anything; what it should hold is read field by field, so that a page can say what is wrong. */
const anyForm = z.record(z.string(), z.unknown());

const statusesOfForms: readonly number[] = [400, 401, 403, 429];

/** What comes of a form that was sent: another page, or the same with what is wrong. */
const formAnswers: readonly OtherAnswer[] = [
  { status: 303, type: null, summary: "To the next page." },
  ...statusesOfForms.map((status) => ({ status, type: "text/html", summary: "The form with what is wrong." })),
];

const notices: Readonly<Record<string, string>> = {
  verified: "Your e-mail address is verified. You can log in now.",
  reset: "Your password is changed. Log in with the new one.",
  sent: "If the address has an account, a mail with a link is on its way.",
};

/** The pages of the login, which work without script. */
export function formEndpoints(parts: AccountRouteParts): AnyEndpoint[] {
  return [...loginForm(parts), ...adminLoginForm(parts), ...resetForm(parts)];
}

function loginForm({ userLogin, pages }: AccountRouteParts): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/login/",
      access: "public",
      input: anyForm,
      summary: "The page with the form of the login.",
      output: null,
      otherAnswers: [{ status: 200, type: "text/html", summary: "The page." }],
      errors: [],
      handle: async ({ input }) => {
        const notice = notices[field(input, "notice")] ?? null;
        return pages.login({ email: "", next: nextOf(input), problem: null, notice, asksForCode: false }, 200);
      },
    }),
    endpoint({
      method: "POST",
      path: "/login/",
      access: "public",
      body: "form",
      input: anyForm,
      summary: "Logs a verified user in and shows the console.",
      output: null,
      otherAnswers: formAnswers,
      limits: limitSentences.login,
      errors: [],
      handle: async (call) => {
        const { input } = call;
        const next = nextOf(input);
        const email = field(input, "email");
        const login = { email, password: field(input, "password"), code: field(input, "code") };
        try {
          if (login.password === "") {
            throw new AppError("invalid_password");
          }
          const { cookies } = await userLogin.logIn(login, call.request, originOf(call));
          return withCookie(seeOther(safeNext(next)), ...cookies);
        } catch (thrown) {
          const error = readableError(thrown);
          const asksForCode = error.code === "code_required" || error.code === "invalid_code";
          const page = pages.login({ email, next, problem: error.message, notice: null, asksForCode }, error.status);
          return withRetryAfter(page, error);
        }
      },
    }),
  ];
}

function adminLoginForm({ adminLogin, pages }: AccountRouteParts): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/admin/login/",
      access: "public",
      body: "form",
      input: anyForm,
      summary: "Logs an admin in and shows the admin.",
      output: null,
      otherAnswers: formAnswers,
      limits: limitSentences.adminLogin,
      errors: [],
      handle: async (call) => {
        const { input } = call;
        const next = adminNextOf(input);
        const typed = { login: field(input, "login"), password: field(input, "password"), code: field(input, "code") };
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

function resetForm({ reset, pages }: AccountRouteParts): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/reset-password/",
      access: "public",
      input: anyForm,
      summary: "The page for a new password: behind a link its form, else the form that asks for a link.",
      output: null,
      otherAnswers: [{ status: 200, type: "text/html", summary: "The page." }],
      errors: [],
      handle: async ({ input }) => pages.reset({ token: field(input, "token"), problem: null }, 200),
    }),
    endpoint({
      method: "POST",
      path: "/reset-password/",
      access: "public",
      body: "form",
      input: anyForm,
      summary: "Sets a new password by a link, or sends one.",
      output: null,
      otherAnswers: formAnswers,
      limits: limitSentences.mail,
      errors: [],
      handle: async (call) => {
        const token = field(call.input, "token");
        try {
          if (token === "") {
            await reset.request(field(call.input, "email"), originOf(call));
            return seeOther("/login/?notice=sent");
          }
          await reset.confirm(token, field(call.input, "password"), originOf(call));
          return seeOther("/login/?notice=reset");
        } catch (thrown) {
          const error = readableError(thrown);
          const state = { token: error.code === "invalid_token" ? "" : token, problem: error.message };
          return withRetryAfter(pages.reset(state, error.status), error);
        }
      },
    }),
  ];
}

function field(input: Record<string, unknown>, name: string): string {
  const value = input[name];
  return typeof value === "string" ? value.slice(0, 2_000) : "";
}

function nextOf(input: Record<string, unknown>): string {
  const next = field(input, "next");
  return next === "" ? "" : safeNext(next);
}

/** An admin goes back to a page of the admin, whatever the form says. */
function adminNextOf(input: Record<string, unknown>): string {
  const next = safeNext(field(input, "next"));
  return next.startsWith("/admin/") && !next.startsWith("/admin/login") ? next : "/admin/";
}

/** What a person can do something about; the rest is a failure of ours and goes the way of all failures. */
function readableError(thrown: unknown): AppError {
  if (thrown instanceof AppError && thrown.status < 500) {
    return thrown;
  }
  throw thrown;
}

function withRetryAfter(page: Response, { retryAfterSeconds }: AppError): Response {
  if (retryAfterSeconds !== null) {
    page.headers.set("retry-after", String(retryAfterSeconds));
  }
  return page;
}

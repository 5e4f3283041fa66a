import type { Locale } from "@sluice/contracts/locales";
import { type AnyEndpoint, endpoint, type OtherResponse } from "../../platform/endpoint/model.ts";
import { withRetryAfter } from "../../platform/form-problem.ts";
import { limitSentences } from "../attempts/limit-sentences.ts";
import {
  acceptsOf,
  anyForm,
  formField,
  invitationOf,
  localeOf,
  problemOf,
  readableError,
  rememberingLanguage,
} from "../form-input.ts";
import { type AccountRouteDeps, originOf, withCookie } from "../route-deps.ts";
import { referralCookies } from "./referral-cookie.ts";

const statusesOfForms: readonly number[] = [400, 401, 403, 409, 429];

/** The result of a submitted form: another page, or the same page with its errors. */
export const formAnswers: readonly OtherResponse[] = [
  { status: 303, type: null, summary: "Redirects to the next page." },
  ...statusesOfForms.map((status) => ({ status, type: "text/html", summary: "The form, with its errors." })),
];

type Parts = Pick<AccountRouteDeps, "registration" | "newcomers" | "devices" | "pages" | "sessions" | "providers">;

/** The page where people register. Without JavaScript it works as long as no proof of work is asked for. */
export function registerForm(parts: Parts): AnyEndpoint[] {
  const { registration, pages, sessions } = parts;
  return [
    endpoint({
      method: "GET",
      path: "/register/",
      access: "public",
      input: anyForm,
      summary: "The registration page, which says who may register",
      output: null,
      otherResponses: [{ status: 200, type: "text/html", summary: "The page." }],
      errors: [],
      handle: async (call) => {
        const empty = { locale: localeOf(call), email: "", displayName: "", invitation: invitationOf(call.input) };
        const page = pages.register({ ...(await stateOf(parts, empty)), problem: null }, 200);
        withCookie(page, ...parts.devices.visitorCookies(call.request));
        withCookie(page, ...referralCookies(formField(call.input, "ref"), sessions.isSecure));
        return rememberingLanguage(page, call.input, sessions.isSecure);
      },
    }),
    endpoint({
      method: "POST",
      path: "/register/",
      access: "public",
      body: "form",
      input: anyForm,
      summary: "Register a user, who must verify the e-mail address, and show that an e-mail is on its way",
      output: null,
      otherResponses: [{ status: 200, type: "text/html", summary: "The next steps." }, ...formAnswers.slice(1)],
      limits: limitSentences.registration,
      errors: [],
      handle: async (call) => {
        const { input, request } = call;
        const locale = localeOf(call);
        const email = formField(input, "email");
        const displayName = formField(input, "display_name");
        const invitation = invitationOf(input);
        const challenge = formField(input, "challenge");
        const proof = challenge === "" ? null : { challenge, solution: formField(input, "solution") };
        const accepts = acceptsOf(input);
        try {
          const password = formField(input, "password");
          const person = { email, password, displayName: displayName || null, locale, invitation, proof, accepts };
          const { answer, cookie } = await registration.register(person, request, originOf(call));
          return withCookie(pages.sent({ locale, email, link: answer.verification_url ?? null }), cookie);
        } catch (thrown) {
          const error = readableError(thrown);
          const state = await stateOf(parts, { locale, email, displayName, invitation });
          return withRetryAfter(pages.register({ ...state, problem: problemOf(error) }, error.status), error);
        }
      },
    }),
  ];
}

type Typed = {
  readonly locale: Locale;
  readonly email: string;
  readonly displayName: string;
  readonly invitation: string;
};

/** What the page shows beside what was typed. */
async function stateOf({ newcomers, providers }: Parts, typed: Typed) {
  return { ...typed, needs: await newcomers.needs(), signIns: await providers.offered() };
}

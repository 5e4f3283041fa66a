import { providerSlug } from "@sluice/contracts/sign-in";
import { type AnyEndpoint, type CallBase, endpoint, type OtherResponse } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { withRetryAfter } from "../../platform/form-problem.ts";
import { limitSentences } from "../attempts/limit-sentences.ts";
import { anyForm, formField, invitationOf, localeOf, nextOf, problemOf, readableError } from "../form-input.ts";
import { safeNext } from "../model.ts";
import { type AccountRouteDeps, originOf, seeOther, withCookie } from "../route-deps.ts";
import type { SignInFlow } from "./flow-cookie.ts";
import { accountPath } from "./model.ts";
import type { Outcome } from "./sign-in.ts";

type Parts = Pick<AccountRouteDeps, "pages" | "providers" | "signIn" | "sessions" | "links" | "devices" | "passkeys">;
type Call = CallBase<Record<string, unknown>>;

const params = { provider: providerSlug };
const pageAnswers: readonly OtherResponse[] = [
  { status: 303, type: null, summary: "Redirects to the next page." },
  ...[200, 400, 401, 403, 404, 409, 429, 503].map((status) => ({
    status,
    type: "text/html",
    summary: "The page of the login, with what is missing or went wrong.",
  })),
];

/** What the browser opens on its way to a provider and back. */
export function signInBrowserEndpoints(parts: Parts): AnyEndpoint[] {
  return [...wayThere(parts), ...wayBack(parts), ...codeForm(parts)];
}

function wayThere(parts: Parts): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/login/with/:provider/",
      access: "public",
      params,
      input: anyForm,
      summary: "Send the browser to the login of a provider",
      output: null,
      otherResponses: pageAnswers,
      errors: [],
      handle: async (call) => {
        // Another site must not begin a login here for its visitor.
        if (isFromElsewhere(call.request)) {
          return seeOther("/login/");
        }
        try {
          const how = { next: nextOf(call.input), invitation: invitationOf(call.input), link: null };
          const { url, cookies } = await parts.signIn.begin(call.params["provider"] ?? "", how);
          return withCookie(seeOther(url), ...cookies, ...parts.devices.visitorCookies(call.request));
        } catch (thrown) {
          return await loginProblem(parts, thrown, call);
        }
      },
    }),
  ];
}

function wayBack(parts: Parts): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/login/with/:provider/callback/",
      access: "public",
      params,
      input: anyForm,
      summary: "Finish a sign-in that this browser has begun with a provider, or the link of one to the user's account",
      output: null,
      otherResponses: pageAnswers,
      limits: limitSentences.signIn,
      errors: [],
      handle: async (call) => {
        const flow = parts.signIn.flowOf(call.request, call.params["provider"] ?? "");
        if (flow?.link != null) {
          return withCookie(
            seeOther(`${accountPath}?sign_in=${await linkOutcome(parts, flow, call)}`),
            parts.signIn.forget(),
          );
        }
        try {
          if (flow === null) {
            throw new AppError("sign_in_failed");
          }
          const who = await parts.signIn.receive(flow, call.request, originOf(call));
          const outcome = await parts.signIn.logIn(who, flow, { request: call.request, origin: originOf(call) });
          return answerTo(parts, outcome, call);
        } catch (thrown) {
          return withCookie(await loginProblem(parts, thrown, call), parts.signIn.forget());
        }
      },
    }),
  ];
}

/** The question for a code, which a login with a password asks on its own page. */
function codeForm(parts: Parts): AnyEndpoint[] {
  const { signIn, pages } = parts;
  return [
    endpoint({
      method: "POST",
      path: "/login/code/",
      access: "public",
      body: "form",
      input: anyForm,
      summary: "Finish a sign-in with the code of the account's authenticator",
      output: null,
      otherResponses: pageAnswers,
      limits: limitSentences.code,
      errors: [],
      handle: async (call) => {
        try {
          const typed = formField(call.input, "code");
          return answerTo(
            parts,
            await signIn.confirmCode(typed, { request: call.request, origin: originOf(call) }),
            call,
          );
        } catch (thrown) {
          const error = readableError(thrown);
          if (error.code !== "code_required" && error.code !== "invalid_code" && error.code !== "too_many_attempts") {
            return withCookie(await loginProblem(parts, error, call), signIn.forget());
          }
          const state = { locale: localeOf(call), next: nextOf(call.input), problem: problemOf(error) };
          return withRetryAfter(pages.code(state, error.status), error);
        }
      },
    }),
  ];
}

function answerTo({ pages }: Parts, { kind, next, cookies }: Outcome, call: Call): Response {
  const page =
    kind === "done" ? seeOther(safeNext(next)) : pages.code({ locale: localeOf(call), next, problem: null }, 200);
  return withCookie(page, ...cookies);
}

async function loginProblem({ pages, providers, passkeys }: Parts, thrown: unknown, call: Call): Promise<Response> {
  const error = unavailableOrReadable(thrown);
  const state = {
    ...{ locale: localeOf(call), email: "", next: "", notice: null, asksForCode: false, signedInAs: null },
    problem: problemOf(error),
    signIns: await providers.offered(),
    hasPasskeys: passkeys.isOffered,
  };
  return withRetryAfter(pages.login(state, error.status), error);
}

/** The link is for the user who began it, in the session that began it; what it came to is shown on the account page. */
async function linkOutcome({ signIn, sessions, links }: Parts, flow: SignInFlow, call: Call): Promise<string> {
  try {
    const user = await sessions.readUser(call.request);
    if (
      user === null ||
      user.userId.toString() !== flow.link?.userId ||
      user.sessionId?.toString() !== flow.link?.sessionId
    ) {
      throw new AppError("sign_in_failed");
    }
    const { provider, person } = await signIn.receive(flow, call.request, originOf(call));
    await links.link(user, { ...person, label: provider.label, origin: originOf(call) });
    return "linked";
  } catch (thrown) {
    return unavailableOrReadable(thrown).code;
  }
}

/** A provider that fails is not an error of ours. */
function unavailableOrReadable(thrown: unknown): AppError {
  return thrown instanceof AppError && thrown.code === "sign_in_unavailable" ? thrown : readableError(thrown);
}

function isFromElsewhere(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  return site !== null && site !== "same-origin" && site !== "none";
}

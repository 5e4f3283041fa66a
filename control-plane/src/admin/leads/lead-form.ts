import { type CreateLeadInput, createLeadInput } from "@sluice/contracts/leads";
import { z } from "zod";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { type FormPageState, withRetryAfter } from "../../platform/form-problem.ts";
import { pageLocaleOf } from "../../platform/page-locale.ts";

/** An error page in the language of the form. */
export type LeadProblemPage = (state: FormPageState, status: number) => Response;

const names = ["company", "contact", "email", "volume", "message", "website"] as const;
const anyForm = z.record(z.string(), z.unknown());

/** The form of `/contact/` as browsers without JavaScript send it. The response is always a page. */
export function leadForm(
  receive: (lead: CreateLeadInput, clientIp: string) => Promise<void>,
  problemPage: LeadProblemPage,
): AnyEndpoint {
  return endpoint({
    method: "POST",
    path: "/contact/send/",
    access: "public",
    body: "form",
    input: anyForm,
    summary: "Request an offer for a company through a form",
    output: null,
    otherResponses: [
      { status: 303, type: null, summary: "Redirects to the confirmation page." },
      { status: 400, type: "text/html", summary: "The form's errors." },
      { status: 429, type: "text/html", summary: "A page that says there were too many requests." },
    ],
    limits: ["Shares its rate limit with `/backend/lead/create/`."],
    errors: [],
    handle: async ({ input, request, clientIp }) => {
      const locale = pageLocaleOf(request, textOf(input, "lang"));
      try {
        await receive(leadOf(input), clientIp);
      } catch (error) {
        if (error instanceof AppError && error.status < 500) {
          return withRetryAfter(problemPage({ locale, problem: error }, error.status), error);
        }
        throw error;
      }
      const location = `${locale === "en" ? "" : `/${locale}`}/contact/sent/`;
      return new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });
    },
  });
}

function textOf(input: Record<string, unknown>, name: string): string {
  const value = input[name];
  return typeof value === "string" ? value : "";
}

/** @throws AppError `invalid_email` when nothing else is wrong, `invalid_value` */
function leadOf(input: Record<string, unknown>): CreateLeadInput {
  const result = createLeadInput.safeParse(Object.fromEntries(names.map((name) => [name, textOf(input, name)])));
  if (!result.success) {
    throw new AppError(
      result.error.issues.every(({ path }) => path[0] === "email") ? "invalid_email" : "invalid_value",
    );
  }
  return result.data;
}

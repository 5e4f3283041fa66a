import type { Locale } from "@sluice/contracts/locales";
import type { AppError } from "./errors.ts";

/** What went wrong, in a form that a page renders in its language. */
export type FormProblem = {
  /** A code of the table of errors, or the rule that a password breaks: `length`, `characters`, `owner`, `guessed`. */
  readonly code: string;
  readonly retryAfterSeconds: number | null;
};

export type FormPageState = { readonly locale: Locale; readonly problem: FormProblem | null };

/** Adds the wait to the page, if the error has one. */
export function withRetryAfter(page: Response, { retryAfterSeconds }: AppError): Response {
  if (retryAfterSeconds !== null) {
    page.headers.set("retry-after", String(retryAfterSeconds));
  }
  return page;
}

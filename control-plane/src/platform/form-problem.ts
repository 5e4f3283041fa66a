import type { Locale } from "@sluice/contracts/locales";
import type { AppError } from "./errors.ts";

/** What went wrong, for a page that renders it in its language. */
export type FormProblem = {
  /** A code of the table of errors, or what is wrong with a password: `length`, `characters`, `owner`, `guessed`. */
  readonly code: string;
  readonly retryAfterSeconds: number | null;
};

export type FormPageState = { readonly locale: Locale; readonly problem: FormProblem | null };

/** The page, with the wait if the error has one. */
export function withRetryAfter(page: Response, { retryAfterSeconds }: AppError): Response {
  if (retryAfterSeconds !== null) {
    page.headers.set("retry-after", String(retryAfterSeconds));
  }
  return page;
}

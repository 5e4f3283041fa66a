/** What the forms of the feature share: reading the input, and reporting what is wrong with it. */
import { type ConsentPage, consentPages } from "@sluice/contracts/brand";
import { type Locale, localeOfTag } from "@sluice/contracts/locales";
import { z } from "zod";
import type { CallBase } from "../platform/endpoint/model.ts";
import { AppError } from "../platform/errors.ts";
import type { FormProblem } from "../platform/form-problem.ts";
import { localeCookie, pageLocaleOf } from "../platform/page-locale.ts";
import { safeNext } from "./model.ts";
import { passwordFaultOf } from "./passwords/password-rules.ts";
import { withCookie } from "./route-deps.ts";

/** A form may contain anything: its fields are read one by one, so that a page can show what is wrong. */
export const anyForm = z.record(z.string(), z.unknown());

type AnyInput = Record<string, unknown>;

const fieldLengthMax = 2_000;
const invitationLengthMax = 100;

export function formField(input: AnyInput, name: string): string {
  const value = input[name];
  return typeof value === "string" ? value.slice(0, fieldLengthMax) : "";
}

/** The path to continue to, if any. */
export function nextOf(input: AnyInput): string {
  const next = formField(input, "next");
  return next === "" ? "" : safeNext(next);
}

/** The code of an invitation, if any. */
export function invitationOf(input: AnyInput): string {
  return formField(input, "invitation").slice(0, invitationLengthMax);
}

/** The editions of the legal pages that a ticked box names, such as `terms.2 privacy.1`. */
export function acceptsOf(input: AnyInput): { readonly page: ConsentPage; readonly edition: number }[] {
  const named = new Set(formField(input, "accepts").split(" "));
  return consentPages.flatMap((page) =>
    [...named]
      .filter((each) => each.startsWith(`${page}.`) && /\.[1-9]\d{0,5}$/.test(each))
      .map((each) => ({ page, edition: Number(each.slice(page.length + 1)) })),
  );
}

/** The language for a page with a form. */
export function localeOf({ input, request }: CallBase<AnyInput>): Locale {
  return pageLocaleOf(request, formField(input, "lang"));
}

/** Adds the language that the form names, if any, to the path. */
export function inLanguage(path: string, input: AnyInput): string {
  const locale = localeOfTag(formField(input, "lang"));
  return locale === null ? path : `${path}${path.includes("?") ? "&" : "?"}lang=${locale}`;
}

/** Returns the page and remembers the language from its address. */
export function rememberingLanguage(page: Response, input: AnyInput, isSecure: boolean): Response {
  const locale = localeOfTag(formField(input, "lang"));
  return locale === null ? page : withCookie(page, localeCookie(locale, isSecure));
}

/** An error that the user can fix; any other error is our own failure and is handled as such. */
export function readableError(thrown: unknown): AppError {
  if (thrown instanceof AppError && thrown.status < 500) {
    return thrown;
  }
  throw thrown;
}

export function problemOf({ code, message, retryAfterSeconds }: AppError): FormProblem {
  return { code: (code === "invalid_password" ? passwordFaultOf(message) : null) ?? code, retryAfterSeconds };
}

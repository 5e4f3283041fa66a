/** What the forms of the feature have in common: reading what was typed, and saying what is wrong with it. */
import { type Locale, localeOfTag } from "@sluice/contracts/locales";
import { z } from "zod";
import type { CallBase } from "../platform/endpoint/model.ts";
import { AppError } from "../platform/errors.ts";
import type { FormProblem } from "../platform/form-problem.ts";
import { localeCookie, pageLocaleOf } from "../platform/page-locale.ts";
import { safeNext } from "./model.ts";
import { passwordFaultOf } from "./passwords/password-rules.ts";
import { withCookie } from "./route-deps.ts";

/** A form may hold anything; what it should hold is read field by field, so that a page can say what is wrong. */
export const anyForm = z.record(z.string(), z.unknown());

type AnyInput = Record<string, unknown>;

const fieldLengthMax = 2_000;

export function formField(input: AnyInput, name: string): string {
  const value = input[name];
  return typeof value === "string" ? value.slice(0, fieldLengthMax) : "";
}

/** Where to go on, or nothing. */
export function nextOf(input: AnyInput): string {
  const next = formField(input, "next");
  return next === "" ? "" : safeNext(next);
}

/** The language that a page with a form is to be in. */
export function localeOf({ input, request }: CallBase<AnyInput>): Locale {
  return pageLocaleOf(request, formField(input, "lang"));
}

/** A path that goes on in the language that the form names, if it names one. */
export function inLanguage(path: string, input: AnyInput): string {
  const locale = localeOfTag(formField(input, "lang"));
  return locale === null ? path : `${path}${path.includes("?") ? "&" : "?"}lang=${locale}`;
}

/** The page, and the language that its address names is remembered. */
export function rememberingLanguage(page: Response, input: AnyInput, isSecure: boolean): Response {
  const locale = localeOfTag(formField(input, "lang"));
  return locale === null ? page : withCookie(page, localeCookie(locale, isSecure));
}

/** What a person can do something about; the rest is our own failure and goes the way of all failures. */
export function readableError(thrown: unknown): AppError {
  if (thrown instanceof AppError && thrown.status < 500) {
    return thrown;
  }
  throw thrown;
}

export function problemOf({ code, message, retryAfterSeconds }: AppError): FormProblem {
  return { code: (code === "invalid_password" ? passwordFaultOf(message) : null) ?? code, retryAfterSeconds };
}

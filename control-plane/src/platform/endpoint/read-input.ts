import type { ErrorCode } from "@sluice/contracts/errors";
import { codeOfField, codeOfParameter } from "@sluice/contracts/field-errors";
import { organisationParameter } from "@sluice/contracts/organisation-rights";
import type { z } from "zod";
import { AppError } from "../errors.ts";
import type { AnyEndpoint, BodyKind } from "./model.ts";

const jsonType = /^application\/json\s*(;|$)/i;
const textType = /^text\/plain\s*(;|$)/i;
const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const fieldsShownMax = 20;

/**
 * The input of a request, checked by the endpoint's schema.
 * @throws AppError `unsupported_media_type`, `invalid_json`; for invalid fields the code of their kind, such as
 * `invalid_id`, `unknown_field` for undeclared fields, and `invalid_value` for several of different kinds
 */
export function readInput(endpoint: AnyEndpoint, request: Request, bytes: Uint8Array): unknown {
  const received = endpoint.method === "GET" ? readQuery(request) : readBody(endpoint.body ?? "json", request, bytes);
  return checkInput(endpoint, received);
}

/**
 * Checks an input that did not come as a request of its own, by the same rules.
 * @throws AppError as `readInput`
 */
export function checkInput(endpoint: AnyEndpoint, received: unknown): unknown {
  const codeOf = endpoint.method === "GET" ? codeOfParameter : codeOfField;
  const unstorable = findUnstorable(received);
  if (unstorable !== null) {
    throw new AppError(codeOf(unstorable), {
      fields: { [unstorable]: "This contains a character that can't be stored." },
    });
  }
  const result = endpoint.input.safeParse(received);
  if (!result.success) {
    const issues = result.error.issues.flatMap(nearest);
    throw new AppError(commonCode(issues, codeOf), { fields: fieldsOf(issues) });
  }
  return result.data;
}

type Issue = z.core.$ZodIssue;

/** The issues of a body that matches none of several forms: those of the form that it comes closest to. */
function nearest(issue: Issue): readonly Issue[] {
  if (issue.code !== "invalid_union" || issue.path.length > 0) {
    return [issue];
  }
  const byDistance = [...issue.errors].sort((one, other) => one.length - other.length);
  return byDistance[0] ?? [issue];
}

/** The code that all issues have in common. */
function commonCode(issues: readonly Issue[], codeOf: (name: string) => ErrorCode): ErrorCode {
  const isQuery = codeOf === codeOfParameter;
  const codes = new Set(
    issues.map((issue): ErrorCode => {
      if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
        return isQuery ? "invalid_parameter" : "unknown_field";
      }
      return codeOf(String(issue.path[0] ?? ""));
    }),
  );
  const [code = "invalid_value"] = codes;
  return codes.size > 1 ? "invalid_value" : code;
}

function readQuery(request: Request): Record<string, string> {
  const { searchParams } = new URL(request.url);
  // It says who asks; no endpoint declares it.
  searchParams.delete(organisationParameter);
  return Object.fromEntries(searchParams);
}

function readBody(kind: BodyKind, request: Request, bytes: Uint8Array): unknown {
  const contentType = request.headers.get("content-type") ?? "";
  if (kind === "raw") {
    return {};
  }
  if (kind === "form" && formType.test(contentType)) {
    return Object.fromEntries(new URLSearchParams(decode(bytes)));
  }
  if (!jsonType.test(contentType) && !(kind === "beacon" && textType.test(contentType))) {
    throw new AppError("unsupported_media_type", { message: "Send the body as application/json." });
  }
  try {
    return JSON.parse(decode(bytes));
  } catch {
    throw new AppError("invalid_json");
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new AppError("invalid_json");
  }
}

/**
 * The field with text that the database refuses (a zero character), or would store differently (an unpaired surrogate);
 * null when there is none. Passwords are not checked: they are never stored, and their service has its own rules.
 */
function findUnstorable(received: unknown): string | null {
  if (typeof received !== "object" || received === null || Array.isArray(received)) {
    return isStorable(received) ? null : "body";
  }
  for (const [name, value] of Object.entries(received)) {
    if (!isStorable(name)) {
      return "body";
    }
    if (!name.endsWith("password") && !isStorable(value)) {
      return name;
    }
  }
  return null;
}

/** The check does not recurse, because a body may be nested to any depth. */
function isStorable(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string" && (next.includes("\0") || !next.isWellFormed())) {
      return false;
    }
    if (typeof next === "object" && next !== null) {
      for (const [name, each] of Object.entries(next)) {
        open.push(name, each);
      }
    }
  }
  return true;
}

/** One sentence for each field, by its path. */
function fieldsOf(issues: readonly z.core.$ZodIssue[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const issue of issues.slice(0, fieldsShownMax)) {
    const name = issue.path.map(String).join(".") || "body";
    fields[name] ??= issue.message;
  }
  return fields;
}

import { type ErrorCode, errorTable } from "@sluice/contracts/errors";
import { z } from "zod";
import { errorsOf } from "./documented-errors.ts";
import type { AnyEndpoint } from "./model.ts";

const jsonType = /^application\/json\s*(;|$)/i;
const problemsShown = 5;

/** The form of every error of the kit. */
export const errorBody = z.strictObject({
  ok: z.literal(false),
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    request_id: z.string(),
    fields: z.record(z.string(), z.string()).optional(),
  }),
});

/**
 * A sentence about what is undeclared in a response, or null if everything is declared. Files and pages are checked
 * only by status and type, and not read.
 */
export async function undocumentedIn(endpoint: AnyEndpoint, answer: Response): Promise<string | null> {
  const type = answer.headers.get("content-type");
  const isOther = (endpoint.otherResponses ?? []).some(
    (other) => other.status === answer.status && (type ?? "").split(";")[0] === (other.type ?? ""),
  );
  if (isOther) {
    return null;
  }
  if (type === null || !jsonType.test(type)) {
    return `${answer.status} ${type} is not declared`;
  }
  const body: unknown = await answer.clone().json();
  return answer.status >= 400 ? problemOfError(endpoint, answer.status, body) : problemOfSuccess(endpoint, body);
}

function problemOfError(endpoint: AnyEndpoint, status: number, body: unknown): string | null {
  const read = errorBody.safeParse(body);
  if (!read.success) {
    return `an error with another shape: ${problemsOf(read.error)}`;
  }
  const { code } = read.data.error;
  if (!isErrorCode(code) || errorTable[code].status !== status) {
    return `${status} ${code} is not in the table of errors`;
  }
  return errorsOf(endpoint).includes(code) ? null : `${code} is not declared`;
}

function problemOfSuccess(endpoint: AnyEndpoint, body: unknown): string | null {
  if (endpoint.output === null) {
    return "JSON is not declared";
  }
  const { ok, ...fields } = z.looseObject({ ok: z.literal(true) }).parse(body);
  const read = endpoint.output.safeParse(fields);
  return read.success ? null : problemsOf(read.error);
}

function problemsOf(error: z.ZodError): string {
  const shown = error.issues.slice(0, problemsShown);
  return shown.map(({ path, message }) => `${path.map(String).join(".")}: ${message}`).join("; ");
}

function isErrorCode(code: string): code is ErrorCode {
  return code in errorTable;
}

import { type ErrorCode, errorDefinition } from "@sluice/contracts/errors";

/** An error in the format that callers of `/v1` know. Its text is the table's, with nothing from a provider. */
export function errorAnswer(code: ErrorCode, headers: Record<string, string>): Response {
  const { status, openaiType, message } = errorDefinition(code);
  const body = { error: { message, type: openaiType, param: null, code } };
  return Response.json(body, { status, headers: { "cache-control": "no-store", ...headers } });
}

import { type ErrorCode, errorDefinition } from "@sluice/contracts/errors";

/** An error as the callers of `/v1` know it. The text comes out of the table, and nothing of a provider is in it. */
export function errorAnswer(code: ErrorCode, headers: Record<string, string>): Response {
  const { status, openaiType, message } = errorDefinition(code);
  const body = { error: { message, type: openaiType, param: null, code } };
  return Response.json(body, { status, headers: { "cache-control": "no-store", ...headers } });
}

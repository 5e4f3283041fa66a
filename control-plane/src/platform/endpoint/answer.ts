import type { AppError } from "../errors.ts";

const headers = (requestId: string): Record<string, string> => ({
  "content-type": "application/json; charset=utf-8",
  "x-request-id": requestId,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
});

/** `{"ok":true, ...}`. Amounts are integers; one that a JSON number can't hold becomes a string. */
export function successAnswer(fields: Record<string, unknown>, requestId: string, status = 200): Response {
  return new Response(JSON.stringify({ ok: true, ...fields }, writeBigInt), { status, headers: headers(requestId) });
}

/** `{"ok":false,"error":{code, message, request_id, fields?}}`. */
export function errorAnswer(error: AppError, requestId: string): Response {
  const { code, message, fields } = error;
  const body = { ok: false, error: { code, message, request_id: requestId, ...(fields === null ? {} : { fields }) } };
  const more: Record<string, string> = {};
  if (error.retryAfterSeconds !== null) {
    more["retry-after"] = String(error.retryAfterSeconds);
  }
  if (error.allowedMethods !== null) {
    more["allow"] = error.allowedMethods;
  }
  return new Response(JSON.stringify(body), { status: error.status, headers: { ...headers(requestId), ...more } });
}

function writeBigInt(_: string, value: unknown): unknown {
  if (typeof value !== "bigint") {
    return value;
  }
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

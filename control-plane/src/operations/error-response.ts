import { type ErrorCode, errorDefinition } from "@sluice/contracts/errors";

/** An error in the format of the backend, for paths that belong to no other dialect. */
export function errorResponse(code: ErrorCode, requestId: string): Response {
  const { status, message } = errorDefinition(code);
  return Response.json(
    { ok: false, error: { code, message, request_id: requestId } },
    {
      status,
      headers: { "x-request-id": requestId, "cache-control": "no-store", "x-content-type-options": "nosniff" },
    },
  );
}

export function notFoundResponse(): Response {
  return errorResponse("not_found", Bun.randomUUIDv7());
}

export function internalErrorResponse(requestId: string): Response {
  return errorResponse("internal_error", requestId);
}

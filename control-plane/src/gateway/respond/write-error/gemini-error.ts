import type { AppError } from "../../../platform/errors.ts";

/** The names that clients of the Gemini API know for statuses. */
const names: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  402: "RESOURCE_EXHAUSTED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/**
 * An error in the form of the Gemini API.
 * @param answer the same error in the form of the OpenAI API
 */
export function toGeminiError(
  error: AppError,
  { error: { message, code: reason } }: { readonly error: { readonly message: string; readonly code: string } },
  { requestId }: { readonly requestId: string },
) {
  const status = names[error.status] ?? (error.status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
  return {
    error: {
      code: error.status,
      message,
      status,
      details: [
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "sluice" },
        { "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId },
      ],
    },
  };
}

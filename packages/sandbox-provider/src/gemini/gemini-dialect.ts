/** The format of Google's Gemini API around requests and answers. */
import type { ApiCall } from "../api/api-call.ts";
import type { Dialect } from "../api/dialect.ts";
import type { ApiError } from "../api/json-answer.ts";
import { asArray, asObject } from "../api/prompt.ts";
import type { IncomingRequest } from "../script/incoming-request.ts";
import { partsOf, resultOf } from "./parts.ts";
import { statusName } from "./status-name.ts";

export const geminiDialect: Dialect = {
  authStyles: ["x-goog-api-key", "query"],
  keyErrors: {
    missing: {
      status: 403,
      message: "Method doesn't allow unregistered callers (callers without established identity).",
    },
    wrong: { status: 400, message: "API key not valid. Please pass a valid API key." },
  },
  form: {
    nameOf: () => null,
    isEnd: () => false,
    end: null,
    errorEvent: (message) => ({ data: JSON.stringify({ error: { code: 503, message, status: statusName(503) } }) }),
  },
  errorBody,
  headers: () => [
    ["Server-Timing", "gfet4t7; dur=1"],
    ["X-Content-Type-Options", "nosniff"],
  ],
  spoken: spokenText,
};

/** How long to wait is in the body, too. */
function errorBody({ status, message }: ApiError, { behaviour }: ApiCall): unknown {
  const { retryAfter } = behaviour;
  const type = "type.googleapis.com/google.rpc.RetryInfo";
  const details = typeof retryAfter === "number" ? { details: [{ "@type": type, retryDelay: `${retryAfter}s` }] } : {};
  return { error: { code: status, message, status: statusName(status), ...details } };
}

function spokenText(request: IncomingRequest): string | null {
  const last = asObject(asArray(request.jsonObject?.["contents"]).at(-1));
  const parts = partsOf(last);
  if (last["role"] === "model" || parts.some((part) => resultOf(part) !== null)) {
    return null;
  }
  return parts
    .map(({ text }) => text)
    .filter((text) => typeof text === "string")
    .join(" ");
}

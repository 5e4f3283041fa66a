/** The format of Anthropic's Messages API around requests and answers. */
import type { ApiCall } from "../api/api-call.ts";
import type { Dialect } from "../api/dialect.ts";
import { asArray, asObject } from "../api/prompt.ts";
import type { IncomingRequest } from "../script/incoming-request.ts";
import { isBlock, textBlocks } from "./blocks.ts";

const errorTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export const messagesDialect: Dialect = {
  authStyles: ["x-api-key", "bearer"],
  keyErrors: {
    missing: { status: 401, message: "x-api-key header is required" },
    wrong: { status: 401, message: "invalid x-api-key" },
  },
  form: {
    nameOf: ({ type }) => (typeof type === "string" ? type : null),
    isEnd: (event) => event.name === "message_stop",
    end: null,
    errorEvent: (message) => ({
      name: "error",
      data: JSON.stringify({ type: "error", error: { details: null, type: "overloaded_error", message } }),
    }),
  },
  errorBody: ({ status, message }, call) => ({
    type: "error",
    error: { type: errorType(status), message },
    request_id: requestId(call),
  }),
  headers: (call) => [
    ["request-id", requestId(call)],
    ["anthropic-organization-id", "sandbox-organization"],
    ["anthropic-ratelimit-requests-limit", "4000"],
    ["anthropic-ratelimit-requests-remaining", "3999"],
    ["anthropic-ratelimit-requests-reset", new Date((call.createdAtSeconds + 60) * 1000).toISOString()],
  ],
  spoken: spokenText,
};

function requestId({ index }: ApiCall): string {
  return `req_sandbox_${index}`;
}

function errorType(status: number): string {
  return errorTypes[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

/** Clients put reminders into system turns and into blocks of their own; neither is what the user said. */
function spokenText(request: IncomingRequest): string | null {
  const turns = asArray(request.jsonObject?.["messages"]).map(asObject);
  const last = turns.findLast((turn) => turn["role"] !== "system");
  if (last?.["role"] !== "user" || asArray(last["content"]).some((block) => isBlock(block, "tool_result"))) {
    return null;
  }
  const texts = textBlocks(last["content"]);
  return texts.filter((text) => !text.startsWith("<system-reminder>")).join(" ");
}

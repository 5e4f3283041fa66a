/** The format of chat completions, responses and all other paths of the OpenAI API. */
import { plainForm } from "../wire/events.ts";
import type { Dialect } from "./dialect.ts";
import type { ApiError } from "./json-answer.ts";
import { lastUserText } from "./prompt.ts";

const usualErrors: Readonly<Record<number, Pick<ApiError, "type" | "code">>> = {
  401: { type: "invalid_request_error", code: "invalid_api_key" },
  403: { type: "invalid_request_error", code: "unsupported_country_region_territory" },
  404: { type: "invalid_request_error", code: "model_not_found" },
  429: { type: "requests", code: "rate_limit_exceeded" },
};

export const openAiDialect: Dialect = {
  authStyles: ["bearer"],
  keyErrors: {
    missing: {
      status: 401,
      message: "You didn't provide an API key. Send it in an Authorization header: 'Authorization: Bearer KEY'.",
    },
    wrong: { status: 401, message: "Incorrect API key provided.", code: "invalid_api_key" },
  },
  form: plainForm,
  errorBody: openAiErrorBody,
  headers: ({ index }) => [
    ["x-request-id", `req_sandbox_${index}`],
    ["openai-organization", "sandbox-organization"],
    ["openai-processing-ms", "1"],
    ["openai-version", "2020-10-01"],
    ["x-ratelimit-limit-requests", "10000"],
    ["x-ratelimit-remaining-requests", "9999"],
    ["x-ratelimit-reset-requests", "6ms"],
  ],
  spoken: lastUserText,
};

export function openAiErrorBody({ status, message, type, param = null, code, isScripted }: ApiError): unknown {
  const usual = isScripted === true ? usualErrors[status] : undefined;
  const usualType = status >= 500 ? "server_error" : "invalid_request_error";
  return {
    error: { message, type: type ?? usual?.type ?? usualType, param, code: code ?? usual?.code ?? null },
  };
}

/** JSON responses, and errors in the format that OpenAI clients parse. */
import { type Answer, type AnswerHeader, utf8 } from "../wire/plan.ts";

export type ApiError = {
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
};

/** Thrown by an endpoint to refuse a request; becomes the response. */
export class RequestRefused extends Error {
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(error.message);
    this.name = "RequestRefused";
    this.error = error;
  }
}

export const eventStreamHeaders: readonly AnswerHeader[] = [
  ["Content-Type", "text/event-stream; charset=utf-8"],
  ["Cache-Control", "no-cache"],
];

const jsonHeader: AnswerHeader = ["Content-Type", "application/json"];

const ordinaryErrors: Readonly<Record<number, Pick<ApiError, "type" | "code">>> = {
  401: { type: "invalid_request_error", code: "invalid_api_key" },
  403: { type: "invalid_request_error", code: "unsupported_country_region_territory" },
  404: { type: "invalid_request_error", code: "model_not_found" },
  429: { type: "requests", code: "rate_limit_exceeded" },
};

export function jsonAnswer(value: unknown, status = 200, headers: readonly AnswerHeader[] = []): Answer {
  return bytesAnswer(utf8(JSON.stringify(value)), status, [jsonHeader, ...headers]);
}

export function bytesAnswer(bytes: Uint8Array, status: number, headers: readonly AnswerHeader[]): Answer {
  return { status, headers, body: { kind: "whole", bytes } };
}

export function errorAnswer(error: ApiError): Answer {
  const { status, message, type = "invalid_request_error", param = null, code = null } = error;
  return jsonAnswer({ error: { message, type, param, code } }, status);
}

/** The error that a provider usually gives with this status. */
export function errorOfStatus(status: number): ApiError {
  const usual = ordinaryErrors[status] ?? {
    type: status >= 500 ? "server_error" : "invalid_request_error",
    code: null,
  };
  return { status, message: `The sandbox answers ${status} because it was told to.`, ...usual };
}

/** A 400 that names the parameter. */
export function refuse(message: string, param: string | null = null, code: string | null = null): RequestRefused {
  return new RequestRefused({ status: 400, message, param, code });
}

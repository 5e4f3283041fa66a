import { type ErrorCode, errorDefinition } from "@sluice/contracts/errors";
import type { AppError } from "../../platform/errors.ts";
import { redact } from "../../platform/log.ts";
import type { GatewayAnswer } from "../model.ts";

const messageLengthMax = 2_000;

/** An error in the shape of the OpenAI API. */
export type OpenaiError = { message: string; type: string; param: string | null; code: string };

/** The body of an error. */
export function toOpenaiError(error: AppError): { error: OpenaiError } {
  const { openaiType } = errorDefinition(error.code);
  return { error: { message: error.message, type: openaiType, param: error.param, code: error.code } };
}

/** An error as an answer: status, `Retry-After` where there is one, JSON body. */
export function writeError(error: AppError): GatewayAnswer {
  const headers: Record<string, string> = { "content-type": "application/json; charset=utf-8" };
  if (error.retryAfterSeconds !== null) {
    headers["retry-after"] = String(error.retryAfterSeconds);
  }
  if (error.code === "method_not_allowed") {
    headers["allow"] = error.param ?? "POST";
  }
  const body = toOpenaiError(error);
  if (error.code === "method_not_allowed") {
    body.error.param = null;
  }
  return { status: error.status, headers, body: Buffer.from(JSON.stringify(body)) };
}

/** The event that ends a stream which went wrong; no `[DONE]` follows it. */
export function errorEvent(error: AppError): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(toOpenaiError(error))}\n\n`);
}

/**
 * What a provider said of a request that it refused, so that the client can mend it: message, type, param and code as
 * texts of limited length, with everything that looks like a credential removed. Null when it was no such error.
 */
export function readUpstreamError(body: Uint8Array): OpenaiError | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    return null;
  }
  const error = (parsed as { error?: unknown } | null)?.error;
  if (typeof error !== "object" || error === null) {
    return null;
  }
  const fields = error as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === "string" ? redact(value.slice(0, messageLengthMax)) : null);
  const message = text(fields["message"]);
  if (message === null) {
    return null;
  }
  return {
    message,
    type: text(fields["type"])?.slice(0, 100) ?? "invalid_request_error",
    param: text(fields["param"])?.slice(0, 200) ?? null,
    code: text(fields["code"])?.slice(0, 100) ?? ("upstream_rejected" satisfies ErrorCode),
  };
}

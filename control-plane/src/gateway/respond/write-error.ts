import { errorDefinition } from "@sluice/contracts/errors";
import type { AppError } from "../../platform/errors.ts";
import type { GatewayAnswer } from "../model.ts";

/** An error in the shape of the OpenAI API. */
type OpenaiError = { message: string; type: string; param: string | null; code: string };

/** The body of an error. */
export function toOpenaiError(error: AppError): { error: OpenaiError } {
  if (error.upstream !== null) {
    return { error: error.upstream };
  }
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
    headers["allow"] = error.allowedMethods ?? "POST";
  }
  return { status: error.status, headers, body: Buffer.from(JSON.stringify(toOpenaiError(error))) };
}

/** The event that ends a stream which went wrong; no `[DONE]` follows it. */
export function errorEvent(error: AppError): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(toOpenaiError(error))}\n\n`);
}

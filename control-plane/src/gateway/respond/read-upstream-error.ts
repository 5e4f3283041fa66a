import type { ErrorCode } from "@sluice/contracts/errors";
import type { UpstreamWords } from "../../platform/errors.ts";
import { HttpClientError, type HttpResponse } from "../../platform/http-client/model.ts";
import { redact } from "../../platform/log.ts";
import type { AttemptFailure } from "../model.ts";

const messageLengthMax = 2_000;
const errorBodyBytesMax = 65_536;

/** The body of an error answer; only one about the request itself is worth reading, the rest is shown to nobody. */
export async function readErrorBody(response: HttpResponse, failure: AttemptFailure): Promise<Uint8Array | null> {
  const isJson = response.headers.some(([name, value]) => name === "content-type" && value.includes("json"));
  if (!failure.isRequestFault || !isJson) {
    response.body.cancel();
    return null;
  }
  try {
    return await response.body.bytes(errorBodyBytesMax);
  } catch (error) {
    if (error instanceof HttpClientError) {
      return null;
    }
    throw error;
  }
}

/**
 * What a provider said of a request that it refused, so that the client can mend it: message, type, param and code as
 * texts of limited length, with everything that looks like a credential removed. Null when it was no such error.
 */
export function readUpstreamError(body: Uint8Array): UpstreamWords | null {
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

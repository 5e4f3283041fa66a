import { AppError } from "../../platform/errors.ts";
import { canonicalApiKey } from "../keys/model.ts";
import type { CallHeaders, GatewayCall } from "../model.ts";
import { isGeminiCall } from "../operations/gemini-path.ts";

/** Some clients leave the scheme out, which other gateways allow. */
const bearerPattern = /^(?:Bearer +)?(\S+) *$/i;
/** Matches a header that is present but empty. */
const emptyPattern = /^(?:Bearer)? *$/i;

/**
 * The API key of a call, as it is looked up. Only clients of the Gemini API may send it in Google's header or in the query.
 * @throws AppError `missing_api_key`, `ambiguous_credentials`, `invalid_api_key` when it can't be one of our keys
 */
export function readApiKey({ headers, path, query }: Pick<GatewayCall, "headers" | "path" | "query">): string {
  const authorization = readCredential(headers, "authorization");
  const bearer = authorization === null ? null : (bearerPattern.exec(authorization)?.[1] ?? "");
  const plain = readCredential(headers, "x-api-key");
  const isGemini = isGeminiCall({ path, headers });
  const google = isGemini ? readCredential(headers, "x-goog-api-key") : null;
  const asked = isGemini && query !== "" ? new URLSearchParams(query).get("key") : null;
  const key = bearer ?? plain ?? google ?? asked;
  if (key === null) {
    throw new AppError("missing_api_key");
  }
  const isOther = (other: string | null) => other !== null && other !== key;
  if (isOther(plain) || isOther(google) || isOther(asked)) {
    throw new AppError("ambiguous_credentials");
  }
  const canonical = canonicalApiKey(key);
  if (canonical === null) {
    throw new AppError("invalid_api_key");
  }
  return canonical;
}

/**
 * The digest under which the API key of a call is looked up; made once for calls that repeat their head, with path and query.
 * @throws AppError as `readApiKey` does
 */
export function digestApiKey(
  call: Pick<GatewayCall, "headers" | "path" | "query">,
  digestKey: (key: string) => string,
): string {
  const derived = call.headers.derived ?? null;
  const digest = derived?.keyDigest ?? digestKey(readApiKey(call));
  if (derived !== null) {
    derived.keyDigest = digest;
  }
  return digest;
}

function readCredential(headers: CallHeaders, name: string): string | null {
  const value = headers.get(name);
  return value === null || emptyPattern.test(value) ? null : value;
}

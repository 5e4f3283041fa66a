import { AppError } from "../../platform/errors.ts";
import { looksLikeApiKey } from "../keys/model.ts";

const bearerPattern = /^Bearer +(\S+) *$/i;
/** Matches a header that is present but empty. */
const emptyPattern = /^(?:Bearer)? *$/i;

/**
 * The API key from the headers; never from the query.
 * @throws AppError `missing_api_key`, `ambiguous_credentials`, `invalid_api_key` when it can't be one of our keys
 */
export function readApiKey(headers: Headers): string {
  const authorization = readCredential(headers, "authorization");
  const plain = readCredential(headers, "x-api-key");
  if (authorization === null && plain === null) {
    throw new AppError("missing_api_key");
  }
  const bearer = authorization === null ? null : (bearerPattern.exec(authorization)?.[1] ?? "");
  if (bearer !== null && plain !== null && bearer !== plain) {
    throw new AppError("ambiguous_credentials");
  }
  const key = bearer ?? plain ?? "";
  if (!looksLikeApiKey(key)) {
    throw new AppError("invalid_api_key");
  }
  return key;
}

function readCredential(headers: Headers, name: string): string | null {
  const value = headers.get(name);
  return value === null || emptyPattern.test(value) ? null : value;
}

import { AppError } from "../../platform/errors.ts";
import { looksLikeApiKey } from "../keys/model.ts";

const bearerPattern = /^Bearer +(\S+) *$/i;

/**
 * The API key out of the headers; never out of the query.
 * @throws AppError `missing_api_key`, `ambiguous_credentials`, `invalid_api_key` when it can't be a key of ours
 */
export function readApiKey(headers: Headers): string {
  const authorization = headers.get("authorization");
  const bearer = authorization === null ? null : (bearerPattern.exec(authorization)?.[1] ?? "");
  const plain = headers.get("x-api-key");
  if (bearer !== null && plain !== null && bearer !== plain) {
    throw new AppError("ambiguous_credentials");
  }
  const key = bearer ?? plain;
  if (key === null || key === "") {
    throw new AppError(authorization === null || bearer === "" ? "missing_api_key" : "invalid_api_key");
  }
  if (!looksLikeApiKey(key)) {
    throw new AppError("invalid_api_key");
  }
  return key;
}

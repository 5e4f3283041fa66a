import type { ErrorCode } from "@sluice/contracts/errors";
import { MessagesError, ThreadUnsupportedError } from "@sluice/messages-conversion/errors/messages-error";
import { readMessagesRequest } from "@sluice/messages-conversion/request/from-messages-request";
import { AppError } from "../../../platform/errors.ts";
import type { JsonObject } from "../model.ts";

/**
 * Checks the outermost fields of a Messages request, in the words of that API.
 * @throws AppError `missing_field`, `invalid_type`, `invalid_value`, `provider_object`
 */
export function checkMessageFields(fields: JsonObject, needsMaxTokens: boolean): void {
  try {
    readMessagesRequest(fields, needsMaxTokens);
  } catch (error) {
    if (!(error instanceof MessagesError)) {
      throw error;
    }
    const { message } = error;
    throw new AppError(codeOf(error), { message, param: message.slice(0, message.indexOf(":")) });
  }
}

function codeOf(error: MessagesError): ErrorCode {
  if (error instanceof ThreadUnsupportedError) {
    return "provider_object";
  }
  if (error.message.endsWith("Field required")) {
    return "missing_field";
  }
  return /valid (?:string|list|boolean)$/.test(error.message) ? "invalid_type" : "invalid_value";
}

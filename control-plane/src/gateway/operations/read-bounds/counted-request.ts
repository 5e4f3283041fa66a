import type { JsonObject } from "../model.ts";
import { checkNamedModel } from "./check-embeddings.ts";
import { fieldsOf, objectOf, readFields } from "./gemini-fields.ts";

const countFields = fieldsOf(["contents", "generateContentRequest"]);

/**
 * What a count of the Gemini API is about: contents, or a whole request, which names its model.
 * @throws AppError `unknown_field`, `invalid_type`, `invalid_value`
 */
export function countedRequest(fields: JsonObject, path: string): JsonObject {
  const { contents, generateContentRequest } = readFields(fields, countFields, "");
  if (generateContentRequest === undefined || generateContentRequest === null) {
    return { contents };
  }
  const { model, ...request } = objectOf(generateContentRequest, "generateContentRequest");
  checkNamedModel(model, path, "generateContentRequest.model");
  return request;
}

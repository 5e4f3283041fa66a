import { AppError } from "../../../platform/errors.ts";
import { boundTokens } from "../../usage-count/bound-tokens.ts";
import type { JsonObject } from "../model.ts";
import { contentFields, partFields } from "./check-contents.ts";
import { fieldsOf, listOf, objectOf, readFields } from "./gemini-fields.ts";

const batchFields = fieldsOf(["requests"]);
const embeddedFields = fieldsOf(["model", "content", "taskType", "title", "outputDimensionality"]);
/** Ten times as many as the provider accepts. */
const requestsMax = 1_000;
/**
 * Checks what is to be embedded, one by one or in a batch.
 * @param model the name in the path, which every request has to repeat if it names one
 * @returns our own count of its tokens, for providers that report none
 * @throws AppError `missing_field`, `invalid_type`, `invalid_value`, `unknown_field`, `unpriced_option`
 */
export function checkEmbeddings(fields: JsonObject, model: string, isBatch: boolean): number {
  if (!isBatch) {
    return countRequest(fields, model, "");
  }
  const requests = listOf(readFields(fields, batchFields, "")["requests"] ?? [], "requests");
  if (requests.length === 0 || requests.length > requestsMax) {
    const message = `'requests' must have 1 to ${requestsMax.toLocaleString("en")} entries.`;
    throw new AppError("invalid_value", { message, param: "requests" });
  }
  return requests.reduce<number>((sum, request, index) => {
    const param = `requests[${index}]`;
    return sum + countRequest(objectOf(request, param), model, `${param}.`);
  }, 0);
}

function countRequest(fields: JsonObject, model: string, prefix: string): number {
  const request = readFields(fields, embeddedFields, prefix);
  checkNamedModel(request["model"], model, `${prefix}model`);
  if ((request["content"] ?? null) === null) {
    throw new AppError("missing_field", { param: `${prefix}content` });
  }
  const { parts } = readFields(objectOf(request["content"], `${prefix}content`), contentFields, `${prefix}content.`);
  const texts = listOf(parts ?? [], `${prefix}content.parts`).map((part, index) => {
    const place = `${prefix}content.parts[${index}]`;
    const { text, ...others } = readFields(objectOf(part, place), partFields, `${place}.`);
    if (typeof text !== "string" || Object.values(others).some((value) => (value ?? null) !== null)) {
      throw new AppError("unpriced_option", { message: "Only text has a price here.", param: place });
    }
    return text;
  });
  const { title } = request;
  return [...texts, typeof title === "string" ? title : ""].reduce((sum, text) => sum + boundTokens(text), 0);
}

/** Another model would be called, and paid, in place of the one in the path. @throws AppError `invalid_value` */
export function checkNamedModel(named: unknown, model: string, param: string): void {
  if (named !== undefined && named !== null && named !== model && named !== `models/${model}`) {
    throw new AppError("invalid_value", { message: `'${param}' must be the model in the path.`, param });
  }
}

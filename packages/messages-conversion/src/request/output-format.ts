import type { ChatCompletionRequest } from "../chat-completions.ts";
import { invalidRequest } from "../errors/messages-error.ts";
import { isGiven, isJsonObject, type JsonObject } from "../json.ts";
import { asObject, requireObject, requireShallow } from "./check-fields.ts";
import type { RequestContext } from "./context.ts";

/**
 * The requested response format, from `output_config.format` or the older `output_format`. The schema is passed on
 * unchanged: clients have already brought it into the strict form.
 * @throws MessagesError for a format that is not a JSON schema, or when the model supports none
 */
export function convertOutputFormat(
  body: JsonObject,
  context: RequestContext,
): Pick<ChatCompletionRequest, "response_format"> {
  const { output_config: config } = body;
  const isCurrent = isJsonObject(config) && isGiven(config["format"]);
  const place = isCurrent ? "output_config.format" : "output_format";
  const wanted = isCurrent ? config["format"] : body["output_format"];
  if (!isGiven(wanted)) {
    return {};
  }
  const format = asObject(wanted, place);
  if (format["type"] !== "json_schema") {
    throw invalidRequest(`${place}.type`, "Input should be 'json_schema'");
  }
  const schema = requireObject(format, "schema", place);
  if (!context.flags.json_schema) {
    throw invalidRequest(place, "json_schema is not supported by this model");
  }
  requireShallow(schema, `${place}.schema`);
  return { response_format: { type: "json_schema", json_schema: { name: "structured_output", schema, strict: true } } };
}

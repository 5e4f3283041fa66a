import { depthMax, isDeeperThan } from "@sluice/messages-conversion/request/check-fields";
import { FieldReader } from "../field-reader.ts";
import { ConversionError, type JsonObject } from "../model.ts";

const jsonInstruction = "Respond with one JSON object and nothing else: no introduction, no code fence.";

export type OutputFormat = { type: "json_schema"; schema: JsonObject };

export type ConvertedFormat = {
  /** `output_config.format`, or null. */
  readonly format: OutputFormat | null;
  /** A line for the system prompt, or null. */
  readonly instruction: string | null;
};

/** The `response_format` of a request. @throws ConversionError if it is malformed or has no schema */
export function convertOutputFormat(request: FieldReader): ConvertedFormat {
  const wanted = request.object("response_format");
  const type = wanted === null ? "text" : wanted.oneOf("type", ["text", "json_object", "json_schema"]);
  if (wanted === null || type === "text") {
    return { format: null, instruction: null };
  }
  if (type === "json_object") {
    return { format: null, instruction: jsonInstruction };
  }
  const holder = wanted.object("json_schema") ?? new FieldReader(null, wanted.pathOf("json_schema"));
  const schema = holder.object("schema") ?? new FieldReader(null, holder.pathOf("schema"));
  if (isDeeperThan(schema.value, depthMax)) {
    throw new ConversionError(`'${schema.at}' is nested too deeply.`, schema.at);
  }
  return { format: { type: "json_schema", schema: schema.value }, instruction: null };
}

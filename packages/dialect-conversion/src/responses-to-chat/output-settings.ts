import type { JsonObject } from "@sluice/messages-conversion/json";
import type { FieldReader } from "../field-reader.ts";
import { ConversionError, type ConversionSettings } from "../model.ts";
import type { DroppedNames } from "./dropped-names.ts";

/** The fields of a chat request that decide how the model responds. @throws ConversionError */
export function convertOutputSettings(
  request: FieldReader,
  { flags }: ConversionSettings,
  dropped: DroppedNames,
): JsonObject {
  const limit = request.positiveInteger("max_output_tokens");
  const temperature = request.number("temperature");
  const topP = request.number("top_p");
  const effort = request.object("reasoning")?.text("effort") ?? null;
  const text = request.object("text");
  const verbosity = text?.text("verbosity") ?? null;
  const format = convertFormat(text?.object("format") ?? null);
  const cacheKey = request.text("prompt_cache_key");
  if (verbosity !== null && !flags.verbosity && verbosity !== "medium") {
    dropped.add("text.verbosity");
  }
  return {
    ...(limit === null ? {} : { [flags.tokenParam]: limit }),
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { top_p: topP }),
    ...(effort === null ? {} : { reasoning_effort: effort }),
    ...(verbosity === null || !flags.verbosity ? {} : { verbosity }),
    ...(format === null ? {} : { response_format: format }),
    ...(cacheKey === null || !flags.cacheKey ? {} : { prompt_cache_key: cacheKey }),
  };
}

function convertFormat(format: FieldReader | null): JsonObject | null {
  if (format === null) {
    return null;
  }
  const type = format.requiredText("type");
  switch (type) {
    case "text":
      return null;
    case "json_object":
      return { type };
    case "json_schema": {
      const schema = format.object("schema");
      if (schema === null) {
        throw new ConversionError(`Missing required parameter: '${format.pathOf("schema")}'.`, format.pathOf("schema"));
      }
      const description = format.text("description");
      const isStrict = format.flag("strict");
      return {
        type,
        json_schema: {
          name: format.requiredName("name"),
          ...(description === null ? {} : { description }),
          schema: schema.value,
          ...(isStrict === null ? {} : { strict: isStrict }),
        },
      };
    }
    default: {
      const path = format.pathOf("type");
      throw new ConversionError(`'${path}' must be one of: text, json_object, json_schema.`, path);
    }
  }
}

import type { JsonSchema } from "@sluice/contracts/native-route";
import { z } from "zod";
import { schemaNotes } from "./schema-notes.ts";

/** The `format` implies these patterns, which would be longer than everything else. */
const spelledOut: ReadonlySet<unknown> = new Set(["date", "date-time", "uuid", "email"]);

/**
 * A zod schema as JSON Schema 2020-12.
 * @param side `input` is what a caller may send, `output` what a response contains
 */
export function toJsonSchema(schema: z.ZodType, side: "input" | "output"): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: side,
    // A rule that only code checks (a known time zone, for example) leaves a plain string in the schema.
    unrepresentable: "any",
    override: ({ jsonSchema, zodSchema }) => {
      Object.assign(jsonSchema, schemaNotes.get(zodSchema));
      if (spelledOut.has(jsonSchema.format)) {
        delete jsonSchema.pattern;
      }
      // In responses, `integer` is enough; in requests, the range is a limit.
      if (side === "output" && jsonSchema.minimum === Number.MIN_SAFE_INTEGER) {
        delete jsonSchema.minimum;
      }
      if (side === "output" && jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
        delete jsonSchema.maximum;
      }
    },
  });
  return rest;
}

export type QueryField = { readonly name: string; readonly isRequired: boolean; readonly schema: JsonSchema };

/** The fields of an input that is sent in the query, each as a parameter. */
export function queryFields(schema: z.ZodType): QueryField[] {
  const whole = toJsonSchema(schema, "input");
  const parts = [whole, ...(Array.isArray(whole["anyOf"]) ? (whole["anyOf"] as JsonSchema[]) : [])];
  const fields = new Map<string, QueryField>();
  for (const part of parts) {
    const required = (part["required"] ?? []) as string[];
    for (const [name, each] of Object.entries((part["properties"] ?? {}) as Record<string, JsonSchema>)) {
      // If an input has several forms, no field is required in all of them.
      fields.set(name, { name, isRequired: parts.length === 1 && required.includes(name), schema: each });
    }
  }
  return [...fields.values()];
}

import { z } from "zod";

type IntegerDefinition = {
  readonly kind: "integer";
  readonly schema: z.ZodType<number>;
  readonly default: number;
  readonly min: number;
  readonly max: number;
};
type FlagDefinition = { readonly kind: "boolean"; readonly schema: z.ZodType<boolean>; readonly default: boolean };

type TextDefinition = { readonly kind: "text"; readonly schema: z.ZodType<string>; readonly default: string };

/** The definition of a setting. */
export type SettingDefinition = (IntegerDefinition | FlagDefinition | TextDefinition) & {
  /** The effect of the setting, in sentences for admins. */
  readonly description: string;
  /** The unit of an integer. */
  readonly unit: string | null;
  /** The environment variable that fixes the setting, if it is set. */
  readonly variable: "TRACE_PAYLOADS" | "TRACE_MAX_PAYLOAD_BYTES" | "ADMIN_SECOND_PERSON_ABOVE_USD" | null;
};

export function integer(range: {
  readonly default: number;
  readonly min: number;
  readonly max: number;
}): IntegerDefinition {
  const sentence = `Enter a whole number from ${range.min} to ${range.max}.`;
  return { kind: "integer", schema: z.int(sentence).min(range.min, sentence).max(range.max, sentence), ...range };
}

export function flag(isOn: boolean): FlagDefinition {
  return { kind: "boolean", schema: z.boolean("Choose on or off."), default: isOn };
}

export function text(schema: z.ZodType<string>, ofDefault: string): TextDefinition {
  return { kind: "text", schema, default: ofDefault };
}

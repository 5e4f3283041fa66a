import type { FieldReader } from "../field-reader.ts";
import { ConversionError } from "../model.ts";
import type { RequestContext } from "./request-context.ts";

export type SamplingFields = { readonly temperature?: number; readonly top_p?: number };

/** The limit that the client set, or else the model's, which no call exceeds. @throws ConversionError */
export function readMaxTokens(request: FieldReader, outputTokensMax: number): number {
  const completion = request.positiveInteger("max_completion_tokens");
  const older = request.positiveInteger("max_tokens");
  return Math.min(completion ?? older ?? outputTokensMax, outputTokensMax);
}

/**
 * Temperature and top_p, which the Messages API takes one of, up to 1, and only while the model does not think.
 * @throws ConversionError for values that chat completions refuse too
 */
export function convertSampling(request: FieldReader, isThinking: boolean, context: RequestContext): SamplingFields {
  const temperature = readWithin(request, "temperature", 2);
  const topP = readWithin(request, "top_p", 1);
  const isFree = context.flags.sampling && !isThinking;
  if (temperature !== null && temperature !== 1 && (!isFree || temperature > 1)) {
    context.dropped.add("temperature");
  }
  const sendsTemperature = isFree && temperature !== null;
  const sendsTopP = isFree && topP !== null && topP !== 1 && (temperature === null || temperature === 1);
  if (topP !== null && topP !== 1 && !sendsTopP) {
    context.dropped.add("top_p");
  }
  return sendsTopP ? { top_p: topP } : sendsTemperature ? { temperature: Math.min(temperature, 1) } : {};
}

function readWithin(request: FieldReader, name: string, max: number): number | null {
  const value = request.number(name);
  if (value !== null && (value < 0 || value > max)) {
    throw new ConversionError(`'${name}' must be between 0 and ${max}.`, name);
  }
  return value;
}

/** Blank sequences are left out: the Messages API refuses them. @throws ConversionError */
export function readStopSequences(request: FieldReader): string[] {
  const stop = request.get("stop");
  if (stop === null || typeof stop === "string") {
    return [stop ?? ""].filter(isVisible);
  }
  const sequences = (request.list("stop") ?? []).map((entry, index) => {
    if (typeof entry !== "string") {
      throw new ConversionError(`'stop[${index}]' must be a string.`, `stop[${index}]`);
    }
    return entry;
  });
  return sequences.filter(isVisible);
}

function isVisible(text: string): boolean {
  return text.trim() !== "";
}

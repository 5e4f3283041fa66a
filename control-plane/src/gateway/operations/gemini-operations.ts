import type { RequestBounds } from "../model.ts";
import type { GeminiPath } from "./gemini-path.ts";
import type { JsonObject, Operation, OperationRules } from "./model.ts";
import { plain, written } from "./plain-rules.ts";
import { embeddingBounds, embeddingsBounds, geminiBounds, geminiCountBounds } from "./read-bounds.ts";

type Row = OperationRules & {
  /** @param model the name in the path */
  readonly readBounds: (fields: JsonObject, bodyBytes: number, model: string) => RequestBounds;
};

const ofGemini = { dialect: "gemini", hasOwnFields: true, streams: "never" } as const;
/** A prompt that is blocked has no candidates. */
const generated: Row = { ...written, ...ofGemini, isRepeatable: true, readBounds: geminiBounds, stream: "candidates" };
const embedded: OperationRules = { ...plain, ...ofGemini, output: "vectors", telemetryName: "embeddings" };

const rows: Readonly<Record<GeminiPath["action"], Row>> = {
  generateContent: generated,
  streamGenerateContent: { ...generated, streams: "always" },
  countTokens: { ...plain, ...ofGemini, handling: "count", readBounds: geminiCountBounds, output: "nothing" },
  embedContent: { ...embedded, readBounds: embeddingBounds },
  batchEmbedContents: { ...embedded, readBounds: embeddingsBounds, resultList: "embeddings" },
};

/** An operation of the Gemini API, which has the model in the path. */
export function geminiOperation({ action, model }: GeminiPath): Operation {
  const { readBounds, ...rules } = rows[action];
  return {
    ...rules,
    body: "json",
    defaultModel: model,
    readBounds: (fields, bodyBytes) => readBounds(fields, bodyBytes, model),
  };
}

import type { ModelKind } from "@sluice/contracts/model-kinds";

type Limits = { readonly output: number; readonly context?: number; readonly image?: number };

/** What the names of models say about their kind; the first match counts. Null: no call can use such a model. */
const kindsByName: readonly (readonly [pattern: RegExp, kind: ModelKind | null])[] = [
  [/(^|[^a-z])(sora|veo|video|lyria|aqa|computer-use)([^a-z]|$)/, null],
  [/rerank/, "rerank"],
  [/embed|(^|[/-])(bge|gte|e5|voyage)-/, "embedding"],
  [/moderation/, "moderation"],
  [/realtime|-voice-|native-audio|(^|-)live(-|$)/, "realtime"],
  [/whisper|transcribe|(^|[^a-z])(tts|stt)([^a-z]|$)|text-to-speech|voxtral/, "audio"],
  [/image|dall-e|imagen|(^|[^a-z])flux|stable-diffusion|sdxl|seedream/, "image"],
];

/** Words of providers' lists for the kinds of models. */
const kindsByWord: Readonly<Record<string, ModelKind | null>> = {
  chat: "chat",
  language: "chat",
  code: "chat",
  embedding: "embedding",
  embeddings: "embedding",
  image: "image",
  rerank: "rerank",
  moderation: "moderation",
  audio: "audio",
  transcribe: "audio",
  video: null,
};

const vision = 5_000;
/** Limits that neither lists nor the price data state, by family; the first match counts. */
const limitsByName: readonly (readonly [pattern: RegExp, limits: Limits])[] = [
  [/claude-(opus-4-[01]|opus-4\.1|opus-4$|opus-4-2)/, { output: 32_000, image: vision }],
  [/claude-3-7|claude-3\.7/, { output: 64_000, image: vision }],
  [/claude-3/, { output: 8_192, image: vision }],
  [/claude-(sonnet-4|haiku-4|opus-4[.-]5)/, { output: 64_000, image: vision }],
  [/claude/, { output: 128_000, image: vision }],
  [/gpt-oss/, { output: 131_072, context: 131_072 }],
  // A picture counts about thirty times as many tokens for this model as for its larger sibling.
  [/gpt-4o-mini/, { output: 16_384, context: 128_000, image: 50_000 }],
  [/gpt-4o|chatgpt-4o|gpt-audio/, { output: 16_384, context: 128_000, image: vision }],
  [/gpt-4\.1/, { output: 32_768, context: 1_047_576, image: vision }],
  [/gpt-4-turbo/, { output: 4_096, context: 128_000, image: vision }],
  [/gpt-4|gpt-3\.5/, { output: 4_096 }],
  [/gpt-[5-9]/, { output: 128_000, image: vision }],
  [/(^|\/)o[134](-|$)/, { output: 100_000, context: 200_000, image: vision }],
  [/gemini-(2\.5|[3-9])/, { output: 65_536, context: 1_048_576, image: vision }],
  [/gemini/, { output: 8_192, context: 1_048_576, image: vision }],
  [/deepseek-(reasoner|r1)/, { output: 65_536 }],
  [/deepseek-chat/, { output: 8_192 }],
  [/grok-[4-9]/, { output: 128_000, image: vision }],
  [/-vl(-|$)|pixtral|llama-4/, { output: 32_768, image: vision }],
];

/** Most chat models take and return at least this much. */
const usualChat = { context: 128_000, output: 32_768 };
/** Models that return no text are called with short texts. */
const usualOther = { context: 8_192, output: 4_096 };

/** The kind of a model; null if no call can use it. */
export function kindOf(id: string, word: string | null): ModelKind | null {
  const stated = word === null ? undefined : kindsByWord[word.toLowerCase()];
  if (stated !== undefined) {
    return stated;
  }
  const name = id.toLowerCase();
  const found = kindsByName.find(([pattern]) => pattern.test(name));
  return found === undefined ? "chat" : found[1];
}

type StatedLimits = { readonly context: number | null; readonly output: number | null };

/** The limits of a model: as stated, else those of its family, else usual ones, which are then `areAssumed`. */
export function limitsOf(id: string, kind: ModelKind, stated: StatedLimits) {
  const usual = kind === "chat" ? usualChat : usualOther;
  const family = kind === "chat" ? limitsByName.find(([pattern]) => pattern.test(id.toLowerCase()))?.[1] : undefined;
  const context = stated.context ?? family?.context ?? null;
  const output = stated.output ?? family?.output ?? null;
  const contextTokensMax = Math.max(1, context ?? usual.context);
  return {
    contextTokensMax,
    outputTokensMax: Math.max(1, Math.min(output ?? usual.output, contextTokensMax)),
    imageTokensMax: family?.image ?? 0,
    areAssumed: kind === "chat" && (context === null || output === null),
  };
}

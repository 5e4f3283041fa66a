import type { ModelKind } from "@sluice/contracts/model-kinds";
import type { SiteCatalogue } from "@sluice/contracts/site-catalogue";
import { chatModels, cheapestChatModel } from "../../i18n/model-prices.ts";

/** The values of an installation that a snippet needs. */
export type SnippetValues = {
  /** Without a trailing slash. */
  readonly origin: string;
  readonly model: string;
  /** A name that the map of the Messages API knows. */
  readonly messages_model: string;
  /** A name that clients of the Gemini API use. */
  readonly gemini_model: string;
  /** A model that speaks the Messages API itself. */
  readonly claude_model: string;
  readonly embedding_model: string;
  readonly image_model: string;
  readonly speech_model: string;
  readonly transcription_model: string;
  readonly rerank_model: string;
  readonly cohere_rerank_model: string;
  readonly moderation_model: string;
  readonly context_tokens: number;
  readonly output_tokens: number;
};

const usualModel = "claude-sonnet-5-5";
const usualGeminiModel = "gemini-3-pro";
/** Whether the name is neither of the most expensive nor of the smallest models of a family. */
const isMiddling = (name: string): boolean => name.includes("sonnet");
const placePattern = /\{\{(\w+)\}\}/g;

/**
 * Fills the `{{placeholders}}` of a snippet, and removes the line end after it.
 * @throws Error when it names an unknown value
 */
export function fillSnippet(text: string, values: SnippetValues): string {
  return text.trimEnd().replace(placePattern, (_place, name: string) => {
    if (!Object.hasOwn(values, name)) {
      throw new Error(`a snippet asks for ${name}`);
    }
    return String(values[name as keyof SnippetValues]);
  });
}

/** The values of an installation: its cheapest chat model, and what most clients of the Messages API ask for. */
export function snippetValues({
  origin,
  models,
  messages_models: names,
}: Pick<SiteCatalogue, "origin" | "models" | "messages_models">): SnippetValues {
  const chat = chatModels(models);
  const model = cheapestChatModel(models);
  const named = (kind: ModelKind, pattern: RegExp, usual: string): string =>
    models.find((each) => each.kind === kind && pattern.test(each.name))?.name ?? usual;
  return {
    origin,
    model: model?.name ?? "gpt-4o-mini",
    messages_model: names.find((name) => name === usualModel) ?? names.find(isMiddling) ?? names[0] ?? usualModel,
    gemini_model: chat.find(({ name }) => name.includes("gemini"))?.name ?? usualGeminiModel,
    claude_model: named("chat", /claude/, usualModel),
    embedding_model: named("embedding", /./, "text-embedding-3-small"),
    image_model: named("image", /./, "gpt-image-1"),
    speech_model: named("audio", /tts|speech/, "gpt-4o-mini-tts"),
    transcription_model: named("audio", /whisper|transcribe/, "whisper-1"),
    rerank_model: named("rerank", /^(?!.*cohere)/, "bge-reranker-v2-m3"),
    cohere_rerank_model: named("rerank", /cohere|rerank-v/, "rerank-v3.5"),
    moderation_model: named("moderation", /./, "omni-moderation-latest"),
    context_tokens: model?.context_tokens_max ?? 128_000,
    output_tokens: model?.output_tokens_max ?? 16_384,
  };
}

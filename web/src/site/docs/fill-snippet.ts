import type { SiteCatalogue } from "@sluice/contracts/site-catalogue";
import { chatModels } from "../../i18n/model-prices.ts";

/** The values of an installation that a snippet needs. */
export type SnippetValues = {
  /** Without a trailing slash. */
  readonly origin: string;
  readonly model: string;
  /** A name that the map of the Messages API knows. */
  readonly messages_model: string;
  /** A name that clients of the Gemini API use. */
  readonly gemini_model: string;
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

/** The values of an installation: its first model, and what most clients of the Messages API ask for. */
export function snippetValues({ origin, models, messages_models: names }: SiteCatalogue): SnippetValues {
  const chat = chatModels(models);
  const model = chat.find(({ deprecated_at }) => deprecated_at === null) ?? chat[0];
  return {
    origin,
    model: model?.name ?? "gpt-4o-mini",
    messages_model: names.find((name) => name === usualModel) ?? names.find(isMiddling) ?? names[0] ?? usualModel,
    gemini_model: chat.find(({ name }) => name.includes("gemini"))?.name ?? usualGeminiModel,
    context_tokens: model?.context_tokens_max ?? 128_000,
    output_tokens: model?.output_tokens_max ?? 16_384,
  };
}

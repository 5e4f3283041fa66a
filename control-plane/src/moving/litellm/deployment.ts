import { textOf } from "../source/read-values.ts";

type Fields = Readonly<Record<string, unknown>>;

/** One way to call a model: a row of the database or an entry of the configuration file, decrypted. */
export type Deployment = {
  readonly id: string;
  /** What clients call it. */
  readonly modelName: string;
  readonly provider: string;
  /** What the provider calls it. */
  readonly upstreamModel: string;
  readonly params: Fields;
  readonly info: Fields;
  readonly isEnabled: boolean;
};

/** Providers of names without a prefix. */
const providersByName: readonly (readonly [name: RegExp, provider: string])[] = [
  [/^(gpt-|chatgpt-|o\d|text-embedding-|text-moderation|omni-moderation|dall-e|whisper|tts-|ft:)/, "openai"],
  [/^claude/, "anthropic"],
  [/^gemini/, "vertex_ai"],
  [/^command/, "cohere"],
];

/** The provider and its name of a model, which are one text there: `openai/gpt-4o`. */
export function splitModel(params: Fields): { readonly provider: string; readonly upstreamModel: string } {
  const model = textOf(params["model"]).trim();
  const stated = textOf(params["custom_llm_provider"]).trim();
  const slash = model.indexOf("/");
  if (stated !== "") {
    return { provider: stated, upstreamModel: model.startsWith(`${stated}/`) ? model.slice(stated.length + 1) : model };
  }
  if (slash > 0) {
    return { provider: model.slice(0, slash), upstreamModel: model.slice(slash + 1) };
  }
  return { provider: providersByName.find(([name]) => name.test(model))?.[1] ?? "", upstreamModel: model };
}

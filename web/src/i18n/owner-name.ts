/** The makers of models, as they write their names; the catalog has them in small letters. */
const names: Readonly<Record<string, string>> = {
  ai21: "AI21",
  alibaba: "Alibaba",
  amazon: "Amazon",
  anthropic: "Anthropic",
  azure: "Azure",
  "black-forest-labs": "Black Forest Labs",
  bytedance: "ByteDance",
  cohere: "Cohere",
  deepseek: "DeepSeek",
  elevenlabs: "ElevenLabs",
  google: "Google",
  jina: "Jina AI",
  meta: "Meta",
  microsoft: "Microsoft",
  minimax: "MiniMax",
  mistral: "Mistral",
  mistralai: "Mistral",
  moonshot: "Moonshot AI",
  moonshotai: "Moonshot AI",
  nvidia: "NVIDIA",
  openai: "OpenAI",
  openrouter: "OpenRouter",
  perplexity: "Perplexity",
  qwen: "Qwen",
  stepfun: "StepFun",
  tencent: "Tencent",
  voyage: "Voyage AI",
  "x-ai": "xAI",
  xai: "xAI",
  zhipu: "Zhipu AI",
  "z-ai": "Z.ai",
};

/** The name of a model's maker for people; an unknown one is shown as it is stored. */
export function ownerName(ownedBy: string): string {
  const key = ownedBy.toLowerCase();
  return Object.hasOwn(names, key) ? (names[key] ?? ownedBy) : ownedBy;
}

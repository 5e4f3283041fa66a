/** Since when a model is deprecated, and when it ends. */
export const deprecationHeader = "deprecation";
export const sunsetHeader = "sunset";

const facts = ["limit", "remaining", "reset"] as const;

/** Headers of responses about limits per minute, as clients of the OpenAI and of the Messages API read them. */
export const limitHeaderNames: readonly string[] = ["requests", "tokens"].flatMap((unit) => [
  ...facts.map((fact) => `x-ratelimit-${fact}-${unit}`),
  ...facts.map((fact) => `anthropic-ratelimit-${unit}-${fact}`),
]);

import type { PromptCache } from "../messages/prompt-cache.ts";

/** What the provider remembers between requests, or knows of itself. */
export type Account = {
  readonly promptCache: PromptCache;
  /** Signatures of thinking are made with it; a provider with another one refuses them. */
  readonly signatureKey: string;
};

/** What a provider counted for one call, or what we counted ourselves when it did not. */
export type Units = {
  /** All input tokens, those read from or written to a cache included. */
  readonly inputTokens: bigint;
  /** All output tokens, reasoning included. */
  readonly outputTokens: bigint;
  readonly cacheReadTokens: bigint;
  readonly cacheWriteTokens: bigint;
  readonly reasoningTokens: bigint;
  readonly images: number;
  readonly audioMs: bigint;
};

/** Nothing was counted. */
export const noUnits: Units = {
  inputTokens: 0n,
  outputTokens: 0n,
  cacheReadTokens: 0n,
  cacheWriteTokens: 0n,
  reasoningTokens: 0n,
  images: 0,
  audioMs: 0n,
};

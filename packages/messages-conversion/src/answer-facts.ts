/** What the conversion of a request leaves for the conversion of its response. */
export type AnswerFacts = {
  /** The model as the client named it; the client never sees another name. */
  readonly requestedModel: string;
  readonly upstreamModel: string;
  readonly isStream: boolean;
  /** The output limit that the client asked for; null for a model that needs none. */
  readonly maxTokens: number | null;
  readonly wantsThinking: boolean;
  /** The client's tool names by their upstream names, if the two differ. */
  readonly toolNames: ReadonlyMap<string, string>;
  /**
   * Ids of the calls that are already in the conversation. A client would mistake a new call with such an id for the
   * old one.
   */
  readonly usedToolIds: ReadonlySet<string>;
  /** The client's names of tools whose arguments are sent in deltas. */
  readonly eagerTools: ReadonlySet<string>;
  readonly stopSequences: readonly string[];
  readonly isLenientAtEof: boolean;
  readonly splitsThinkTags: boolean;
};

/** Ids for one response. */
export type AnswerIds = {
  /** `msg_` and 24 characters, never used before. */
  readonly messageId: string;
  /** Makes `toolu_` and 24 characters for a call without an id, or with one that is taken. */
  readonly makeToolUseId: () => string;
};

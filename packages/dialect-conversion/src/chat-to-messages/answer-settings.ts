import type { ConversionSettings } from "../model.ts";

/** What a response has to know of its request. */
export type AnswerSettings = {
  readonly settings: ConversionSettings;
  /** The client's names of tools by the upstream's, where they differ. */
  readonly toolNames: ReadonlyMap<string, string>;
  /** The client wants to be told the usage at the end of a stream. */
  readonly wantsUsage: boolean;
};

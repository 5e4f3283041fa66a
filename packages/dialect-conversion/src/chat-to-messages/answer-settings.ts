import type { ConversionSettings } from "../model.ts";

/** What a response has to know of its request. */
export type AnswerSettings = {
  readonly settings: Pick<ConversionSettings, "clientModel" | "nowSeconds" | "makeId">;
  /** The client's names of tools by the upstream's, where they differ. */
  readonly toolNames: ReadonlyMap<string, string>;
  /** The client wants to be told the usage at the end of a stream. */
  readonly wantsUsage: boolean;
};

/** The same as plain data. */
export type ChatFacts = Omit<AnswerSettings, "settings"> & Pick<ConversionSettings, "clientModel" | "nowSeconds">;

import type { ModelFlags } from "../model-flags.ts";
import type { DroppedFeatures } from "./dropped-features.ts";
import type { TalkSettings } from "./talk-settings.ts";
import type { ToolNames } from "./tool-names.ts";

/** The state that every part of the conversion of one request may read and write. */
export type RequestContext = {
  readonly flags: ModelFlags;
  readonly names: ToolNames;
  readonly dropped: DroppedFeatures;
  /** Ids of the calls in the conversation. */
  readonly toolIds: Set<string>;
  /** Settings that messages of the conversation make. */
  readonly talk: TalkSettings;
};

import { DroppedFeatures } from "@sluice/messages-conversion/request/dropped-features";
import { ToolNames } from "@sluice/messages-conversion/request/tool-names";
import { sha256Hex } from "../digest.ts";
import type { ConversionFlags } from "../model.ts";
import { CacheMarks } from "./cache-marks.ts";

/** What the parts of one request share while it is converted. */
export type RequestContext = {
  readonly flags: ConversionFlags;
  readonly dropped: DroppedFeatures;
  readonly toolNames: ToolNames;
  readonly cacheMarks: CacheMarks;
};

export function newRequestContext(flags: ConversionFlags): RequestContext {
  return {
    flags,
    dropped: new DroppedFeatures(),
    toolNames: new ToolNames(sha256Hex),
    cacheMarks: new CacheMarks(),
  };
}

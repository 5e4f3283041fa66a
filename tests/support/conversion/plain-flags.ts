import type { ConversionFlags } from "@sluice/dialect-conversion/model";

/** An upstream without peculiarities. */
export const plainFlags: ConversionFlags = {
  tokenParam: "max_tokens",
  developerRole: false,
  reasoningBack: false,
  thinkTags: false,
  cacheKey: false,
  verbosity: false,
  thinking: "adaptive",
  sampling: true,
  systemTurns: false,
  automaticCaching: false,
};

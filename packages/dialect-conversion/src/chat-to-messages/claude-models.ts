import type { ConversionFlags } from "../model.ts";

/** The flags that follow from the model. */
export type ModelFlags = Pick<ConversionFlags, "thinking" | "sampling" | "systemTurns">;

/** Both orders occur: `claude-3-7-sonnet-20250219` and `anthropic.claude-opus-4-5-20251101-v1:0`; dates are not versions. */
const claudeName =
  /claude-(?:(\d{1,2})(?:[-.](\d{1,2}))?-)?(opus|sonnet|haiku|fable|mythos)(?:-(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?)?/;

type ClaudeModel = {
  readonly family: string;
  /** Major version times 100 plus minor version. */
  readonly version: number;
};

/**
 * What a model of a Messages upstream accepts, by the upstream's name of it. Claude models changed with their versions;
 * those of other makers take a budget, which was the first form.
 */
export function messagesModelFlags(upstreamModel: string): ModelFlags {
  const model = readClaudeName(upstreamModel.toLowerCase());
  if (model === null) {
    return { thinking: "budget", sampling: true, systemTurns: false };
  }
  const { family, version } = model;
  return {
    thinking: thinkingOf(model),
    // Since 4.7 they refuse every value but the default ones.
    sampling: version < 407,
    systemTurns: family === "opus" ? version >= 408 : version > 500,
  };
}

function thinkingOf({ family, version }: ClaudeModel): ModelFlags["thinking"] {
  const isAlwaysOn = family === "fable" || family === "mythos" || (family !== "haiku" && version >= 505);
  if (isAlwaysOn) {
    return "always";
  }
  return version >= 406 ? "adaptive" : version >= 307 ? "budget" : "none";
}

function readClaudeName(name: string): ClaudeModel | null {
  const [, majorBefore, minorBefore, family, majorAfter, minorAfter] = claudeName.exec(name) ?? [];
  if (family === undefined) {
    return null;
  }
  const major = majorBefore ?? majorAfter;
  const minor = majorBefore === undefined ? minorAfter : minorBefore;
  // A name without a version is an alias of the newest.
  return { family, version: major === undefined ? 500 : Number(major) * 100 + Number(minor ?? 0) };
}

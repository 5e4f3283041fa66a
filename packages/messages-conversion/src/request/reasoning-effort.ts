import { invalidRequest, MessagesError } from "../errors/messages-error.ts";
import { isGiven, isJsonObject, type JsonObject, textOf } from "../json.ts";
import { type ReasoningEffort, reasoningEfforts } from "../model-flags.ts";
import type { RequestContext } from "./context.ts";

const budgetTokensMin = 1_024;

/** A budget below this number of tokens means this effort. */
const effortByBudget: readonly (readonly [tokens: number, effort: ReasoningEffort])[] = [
  [2_048, "low"],
  [8_192, "medium"],
  [Number.POSITIVE_INFINITY, "high"],
];

const requestableEfforts: ReadonlySet<string> = new Set(["low", "medium", "high", "xhigh", "max"]);

/** The client's request for thinking. */
export type ThinkingRequest = {
  /** Whether the client receives the thinking. */
  readonly wantsThinking: boolean;
  /** The requested effort; "none" when thinking is switched off, null when the client leaves it to the model. */
  readonly effort: ReasoningEffort | null;
  /** Whether the client named the effort; otherwise it was derived from the thinking. */
  readonly isEffortNamed: boolean;
};

/**
 * Reads `thinking` and `output_config.effort`, which the conversation may have changed. Unknown kinds of thinking or
 * effort are ignored.
 * @throws MessagesError for a budget that the Messages API would refuse too
 */
export function readThinkingRequest(
  { thinking, output_config: config }: JsonObject,
  maxTokens: number | null,
  context: RequestContext,
): ThinkingRequest {
  const settings: JsonObject = isJsonObject(thinking) ? thinking : {};
  const kind = settings["type"];
  const byThinking = kind === "enabled" ? effortOfBudget(settings, maxTokens) : null;
  const wantsThinking = kind === "enabled" || kind === "adaptive";
  const named = context.talk.effort ?? (isJsonObject(config) ? config["effort"] : null);
  const namedText = textOf(named);
  if (namedText !== null && requestableEfforts.has(namedText)) {
    return { wantsThinking, effort: namedText as ReasoningEffort, isEffortNamed: true };
  }
  if (isGiven(named)) {
    context.dropped.add("effort");
  }
  const isOff = kind === "disabled" || kind === "between_tools";
  const effort = isOff ? "none" : byThinking;
  return { wantsThinking, effort: kind === "adaptive" ? "medium" : effort, isEffortNamed: false };
}

function effortOfBudget(thinking: JsonObject, maxTokens: number | null): ReasoningEffort {
  const place = "thinking.enabled.budget_tokens";
  const { budget_tokens: budget } = thinking;
  if (typeof budget !== "number" || !Number.isInteger(budget)) {
    throw invalidRequest(place, budget === undefined ? "Field required" : "Input should be a valid integer");
  }
  if (budget < budgetTokensMin) {
    throw invalidRequest(place, `Input should be greater than or equal to ${budgetTokensMin}`);
  }
  if (maxTokens !== null && budget >= maxTokens) {
    const problem = "`max_tokens` must be greater than `thinking.budget_tokens`.";
    throw new MessagesError(400, "invalid_request_error", problem);
  }
  return effortByBudget.find(([tokens]) => budget < tokens)?.[1] ?? "high";
}

/** The effort to send; null to send none. */
export function chooseReasoningEffort(
  thinking: ThinkingRequest,
  hasTools: boolean,
  context: RequestContext,
): ReasoningEffort | null {
  const { reasoning, effort_with_tools: isFree, reasoning_efforts: known } = context.flags;
  if (!reasoning || (hasTools && !isFree)) {
    noteIgnoredThinking(thinking, context);
    // A model that accepts no effort together with tools needs an explicit "none": its default would be refused as
    // well.
    return reasoning ? "none" : null;
  }
  if (thinking.effort === null || thinking.effort === "none") {
    return thinking.effort !== null && known.includes("none") ? "none" : null;
  }
  return nearestEffort(thinking.effort, known);
}

function noteIgnoredThinking(thinking: ThinkingRequest, context: RequestContext): void {
  if (thinking.wantsThinking) {
    context.dropped.add("thinking");
  }
  if (thinking.isEffortNamed) {
    context.dropped.add("effort");
  }
}

/** The highest effort of the list up to the wanted one, or else the lowest. "none" does not count as an effort. */
function nearestEffort(wanted: ReasoningEffort, known: readonly ReasoningEffort[]): ReasoningEffort | null {
  const scale = reasoningEfforts.filter((effort) => effort !== "none" && known.includes(effort));
  const limit = reasoningEfforts.indexOf(wanted);
  return scale.findLast((effort) => reasoningEfforts.indexOf(effort) <= limit) ?? scale[0] ?? null;
}

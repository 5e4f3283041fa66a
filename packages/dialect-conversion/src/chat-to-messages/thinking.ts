import type { FieldReader } from "../field-reader.ts";
import type { Turn } from "./blocks.ts";
import type { RequestContext } from "./request-context.ts";
import type { MessagesToolChoice } from "./tool-choice.ts";

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
type Effort = (typeof efforts)[number];
export type SpentEffort = Exclude<Effort, "none" | "minimal">;

/** The least budget that the Messages API accepts. */
const budgetMin = 1_024;

/** Tokens of thinking for each effort, for models that take a budget. */
const budgets: Readonly<Record<SpentEffort, number>> = {
  low: 1_024,
  medium: 4_096,
  high: 16_384,
  xhigh: 24_576,
  max: 32_768,
};

/** A budget below this number of tokens means this effort. */
const effortByBudget: readonly (readonly [tokens: number, effort: SpentEffort])[] = [
  [2_048, "low"],
  [8_192, "medium"],
  [Number.POSITIVE_INFINITY, "high"],
];

export type ThinkingField =
  | { readonly type: "adaptive"; readonly display: "summarized" }
  | { readonly type: "enabled"; readonly budget_tokens: number }
  | { readonly type: "disabled" };

export type ConvertedThinking = {
  readonly thinking: ThinkingField | null;
  readonly effort: SpentEffort | null;
  readonly choice: MessagesToolChoice | null;
  /** Whether the request makes the model think, which excludes sampling parameters. */
  readonly isThinking: boolean;
};

/** The client's wish: nothing, to think not at all, or to think, by an effort or a number of tokens. */
type Wish =
  | { readonly kind: "default" | "off" }
  | { readonly kind: "on"; readonly effort: SpentEffort | null; readonly budget: number | null };

type ForcedChoice = Exclude<MessagesToolChoice, { type: "none" }>;

/** What the thinking of a request depends on. */
export type ThinkingInput = {
  readonly maxTokens: number;
  readonly turns: readonly Turn[];
  readonly choice: MessagesToolChoice | null;
};

/**
 * How much the model thinks, from `reasoning_effort`, or from `reasoning` and `thinking`, which clients send to other
 * gateways. A model cannot think and be forced to call a tool: then it does not think, or if it always does, it is not
 * forced. @throws ConversionError if a field has the wrong type
 */
export function convertThinking(
  request: FieldReader,
  input: ThinkingInput,
  context: RequestContext,
): ConvertedThinking {
  const wish = readWish(request);
  switch (context.flags.thinking) {
    case "adaptive":
      return thinkAdaptively(wish, input.choice, context);
    case "always":
      return thinkAlways(wish, input.choice, context);
    case "budget":
      return thinkByBudget(wish, input, context);
    case "none":
      return withoutThinking(wish, input.choice, context);
  }
}

function readWish(request: FieldReader): Wish {
  const reasoning = request.object("reasoning");
  const thinking = request.object("thinking");
  const named = request.oneOf("reasoning_effort", efforts) ?? reasoning?.oneOf("effort", efforts) ?? null;
  const budget = reasoning?.positiveInteger("max_tokens") ?? thinking?.positiveInteger("budget_tokens") ?? null;
  const type = thinking?.text("type") ?? null;
  const isOff = reasoning?.flag("enabled") === false || type === "disabled";
  if (named === "none" || named === "minimal" || (named === null && isOff)) {
    return { kind: "off" };
  }
  const isOn = reasoning?.flag("enabled") === true || type === "enabled" || type === "adaptive";
  return named !== null || budget !== null || isOn ? { kind: "on", effort: named, budget } : { kind: "default" };
}

function thinkAdaptively(wish: Wish, choice: MessagesToolChoice | null, context: RequestContext): ConvertedThinking {
  const effort = wish.kind === "on" ? effortOf(wish) : null;
  if (isForced(choice)) {
    noteIfWished(wish, context);
    // Without thinking, no more than a high effort is accepted.
    const spent = effort === "xhigh" || effort === "max" ? "high" : effort;
    return { thinking: { type: "disabled" }, effort: spent, choice, isThinking: false };
  }
  if (wish.kind === "on") {
    return { thinking: { type: "adaptive", display: "summarized" }, effort, choice, isThinking: true };
  }
  return { thinking: wish.kind === "off" ? { type: "disabled" } : null, effort: null, choice, isThinking: false };
}

function thinkAlways(wish: Wish, choice: MessagesToolChoice | null, context: RequestContext): ConvertedThinking {
  if (isForced(choice)) {
    context.dropped.add("tool_choice");
  }
  const allowed = isForced(choice) ? toFreeChoice(choice) : choice;
  if (wish.kind === "on") {
    const thinking = { type: "adaptive", display: "summarized" } as const;
    return { thinking, effort: effortOf(wish), choice: allowed, isThinking: true };
  }
  return { thinking: null, effort: wish.kind === "off" ? "low" : null, choice: allowed, isThinking: true };
}

function thinkByBudget(wish: Wish, input: ThinkingInput, context: RequestContext): ConvertedThinking {
  const off = { thinking: null, effort: null, choice: input.choice, isThinking: false };
  if (wish.kind !== "on") {
    return off;
  }
  const wished = wish.budget ?? budgets[wish.effort ?? "medium"];
  // A quarter is left for the response. The limit of the client is never raised: it is what the call may cost.
  const budget = Math.min(Math.max(wished, budgetMin), Math.floor((input.maxTokens * 3) / 4));
  if (budget < budgetMin || isForced(input.choice) || lacksThinking(input.turns)) {
    noteIfWished(wish, context);
    return off;
  }
  return { ...off, thinking: { type: "enabled", budget_tokens: budget }, isThinking: true };
}

function withoutThinking(wish: Wish, choice: MessagesToolChoice | null, context: RequestContext): ConvertedThinking {
  noteIfWished(wish, context);
  return { thinking: null, effort: null, choice, isThinking: false };
}

function effortOf({ effort, budget }: Extract<Wish, { kind: "on" }>): SpentEffort | null {
  return effort ?? (budget === null ? null : (effortByBudget.find(([tokens]) => budget < tokens)?.[1] ?? null));
}

function noteIfWished(wish: Wish, context: RequestContext): void {
  if (wish.kind === "on") {
    context.dropped.add("reasoning_effort");
  }
}

function isForced(choice: MessagesToolChoice | null): choice is ForcedChoice {
  return choice?.type === "any" || choice?.type === "tool";
}

function toFreeChoice({ disable_parallel_tool_use: isSingle }: ForcedChoice): MessagesToolChoice {
  return isSingle === true ? { type: "auto", disable_parallel_tool_use: true } : { type: "auto" };
}

/** With a budget, the calls whose results come last have to follow the thinking that led to them. */
function lacksThinking(turns: readonly Turn[]): boolean {
  const spoken = turns.findLast(({ role }) => role === "assistant");
  const said = turns.findLast(({ role }) => role === "user");
  const hasResults = said?.role === "user" && said.content.some(({ type }) => type === "tool_result");
  const first = spoken?.role === "assistant" ? spoken.content[0]?.type : undefined;
  return hasResults && first !== "thinking" && first !== "redacted_thinking";
}

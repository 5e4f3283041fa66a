import type { ChatMessage, ContentPart, Measures } from "./chat-messages.ts";
import type { ToolCall } from "./tool-calls.ts";

/** A picture or a file that goes with a message, as a data URL; a text file is sent as its text. */
export type Attachment = {
  readonly id: string;
  readonly name: string;
  readonly kind: "image" | "file" | "text";
  /** The data URL, or the text. */
  readonly data: string;
  readonly bytes: number;
};

/** What went wrong with a call, in words for people, and the code by which the cure is found. */
export type Problem = {
  readonly code: string;
  readonly message: string;
  readonly requestId: string | null;
};

/** One call of a model: its text, or the tools that it wants called, and then their results. */
export type Step = {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  /** What the person entered as the result of each call, in their order; null until then. */
  readonly results: readonly string[] | null;
  readonly measures: Measures | null;
  readonly problem: Problem | null;
  readonly isStopped: boolean;
};

export type Answer = { readonly model: string; readonly steps: readonly Step[] };

/** A message and what each model has answered to it, by the id of its place in the comparison. */
export type Round = {
  readonly id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly answers: Readonly<Record<string, Answer>>;
};

/** The place of a model in the comparison; the model in it can change during the conversation. */
export type Place = { readonly id: string; readonly model: string };

/** The most models that are asked at once. */
export const placesMax = 4;

export const emptyStep: Step = {
  text: "",
  reasoning: "",
  toolCalls: [],
  results: null,
  measures: null,
  problem: null,
  isStopped: false,
};

/** Whether a step can be part of the next request: it has a text, or tools whose results are known. */
function isUsable(step: Step): boolean {
  return step.toolCalls.length > 0 ? step.results !== null : step.text !== "";
}

/** Whether an answer waits for the person to enter the results of tools. */
export function awaitsResults(answer: Answer | undefined): boolean {
  const last = answer?.steps.at(-1);
  return last !== undefined && last.toolCalls.length > 0 && last.results === null && last.problem === null;
}

/**
 * The messages of a request for a place. A model that came later reads what the first one had answered; a message that
 * nobody answered is not part of what follows, except the last one.
 */
export function toMessages(rounds: readonly Round[], placeId: string, system: string): ChatMessage[] {
  const instructions: ChatMessage[] = system.trim() === "" ? [] : [{ role: "system", content: system }];
  return [
    ...instructions,
    ...rounds.flatMap((round, index) => {
      const isLast = index === rounds.length - 1;
      const steps = stepsFor(round, placeId, isLast).filter(isUsable);
      return steps.length === 0 && !isLast ? [] : [toUserMessage(round), ...steps.flatMap(toStepMessages)];
    }),
  ];
}

function stepsFor({ answers }: Round, placeId: string, isLast: boolean): readonly Step[] {
  const own = answers[placeId]?.steps ?? [];
  if (isLast || own.some(isUsable)) {
    return own;
  }
  return Object.values(answers).find(({ steps }) => steps.some(isUsable))?.steps ?? [];
}

function toUserMessage({ text, attachments }: Round): ChatMessage {
  if (attachments.length === 0) {
    return { role: "user", content: text };
  }
  const own: ContentPart[] = text === "" ? [] : [{ type: "text", text }];
  return { role: "user", content: [...attachments.map(toPart), ...own] };
}

function toPart({ kind, name, data }: Attachment): ContentPart {
  switch (kind) {
    case "image":
      return { type: "image_url", image_url: { url: data } };
    case "file":
      return { type: "file", file: { filename: name, file_data: data } };
    case "text":
      return { type: "text", text: `${name}:\n\n${data}` };
  }
}

function toStepMessages({ text, toolCalls, results }: Step): ChatMessage[] {
  if (toolCalls.length === 0) {
    return [{ role: "assistant", content: text }];
  }
  return [
    {
      role: "assistant",
      ...(text === "" ? {} : { content: text }),
      tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
        id,
        type: "function",
        function: { name, arguments: given },
      })),
    },
    ...toolCalls.map(
      ({ id }, index): ChatMessage => ({ role: "tool", tool_call_id: id, content: results?.[index] ?? "" }),
    ),
  ];
}

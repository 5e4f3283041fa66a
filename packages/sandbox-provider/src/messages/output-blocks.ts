/** What the assistant says as blocks of Messages: thinking, text and calls of tools. */
import type { Account } from "../api/account.ts";
import type { JsonObject } from "../api/prompt.ts";
import type { Choice } from "../api/reply.ts";
import { sign } from "../api/signature.ts";
import { type TextSource, wholeText, wordsOf } from "../api/text-source.ts";
import { argumentFragments, parsedArguments, type ToolCall } from "../api/tool-calls.ts";
import type { Behaviour } from "../script/behaviour.ts";

/** A block as a stream builds it up, and as a whole. */
export type OutputBlock = {
  readonly begun: JsonObject;
  readonly deltas: () => Iterable<JsonObject>;
  readonly whole: () => JsonObject;
};

type Form = {
  /** The client wants the signature without the text. */
  readonly isThinkingOmitted: boolean;
  readonly behaviour: Behaviour;
  readonly account: Account;
};

const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
};

export function outputBlocks(choice: Choice, form: Form): readonly OutputBlock[] {
  const text = choice.refusal === null ? choice.text : wordsOf(choice.refusal);
  return [
    ...(choice.reasoning === "" ? [] : [thinkingBlock(choice.reasoning, form)]),
    ...(text.bytes === 0 ? [] : [textBlock(text)]),
    ...choice.toolCalls.map(toolBlock),
  ];
}

/** How the message ends. */
export function endOf(choice: Choice): JsonObject {
  if (choice.refusal !== null) {
    const details = { type: "refusal", category: null, explanation: choice.refusal };
    return { stop_reason: "refusal", stop_sequence: null, stop_details: details };
  }
  if (choice.stoppedBy !== null) {
    return { stop_reason: "stop_sequence", stop_sequence: choice.stoppedBy };
  }
  return { stop_reason: stopReasons[choice.finishReason] ?? choice.finishReason, stop_sequence: null };
}

function thinkingBlock(reasoning: string, { isThinkingOmitted, behaviour, account }: Form): OutputBlock {
  const signature = sign(reasoning, account.signatureKey);
  if (behaviour.isReasoningRedacted === true) {
    const block = { type: "redacted_thinking", data: signature };
    return { begun: block, deltas: () => [], whole: () => block };
  }
  const thinking = isThinkingOmitted ? "" : reasoning;
  return {
    begun: { type: "thinking", thinking: "", signature: "" },
    *deltas() {
      for (const piece of wordsOf(thinking).pieces()) {
        yield { type: "thinking_delta", thinking: piece };
      }
      yield { type: "signature_delta", signature };
    },
    whole: () => ({ type: "thinking", thinking, signature }),
  };
}

function textBlock(text: TextSource): OutputBlock {
  return {
    begun: { type: "text", text: "" },
    *deltas() {
      for (const piece of text.pieces()) {
        yield { type: "text_delta", text: piece };
      }
    },
    whole: () => ({ type: "text", text: wholeText(text) }),
  };
}

function toolBlock(call: ToolCall): OutputBlock {
  const block = { type: "tool_use", id: call.id, name: call.name };
  return {
    begun: { ...block, input: {} },
    *deltas() {
      yield { type: "input_json_delta", partial_json: "" };
      for (const fragment of argumentFragments(call.arguments)) {
        yield { type: "input_json_delta", partial_json: fragment };
      }
    },
    whole: () => ({ ...block, input: parsedArguments(call) }),
  };
}

/** The output items of a response: reasoning, a message, and calls of tools. */
import type { Account } from "./account.ts";
import { refuse } from "./json-answer.ts";
import { asArray, asObject, type JsonObject } from "./prompt.ts";
import type { Choice } from "./reply.ts";
import type { OutputItem } from "./response-events.ts";
import { isSignedBy, sign } from "./signature.ts";
import { wholeText } from "./text-source.ts";
import type { ToolCall } from "./tool-calls.ts";

export function outputItems(choice: Choice, body: JsonObject, index: number, account: Account): readonly OutputItem[] {
  const reasoning = choice.reasoning === "" ? [] : [reasoningItem(choice, body, index, account)];
  const calls = choice.toolCalls.map(
    (call, position): OutputItem => ({ ...callItem(call, `${index}_${position}`), choice }),
  );
  if (choice.text.bytes === 0 && choice.refusal === null && calls.length > 0) {
    return [...reasoning, ...calls];
  }
  const message = { id: `msg_sandbox_${index}`, type: "message", role: "assistant" };
  const status = choice.finishReason === "length" ? "incomplete" : "completed";
  const begun = { ...message, status: "in_progress", content: [] };
  const said = { begun, whole: { ...message, status, content: [contentPart(choice)] }, choice };
  return [...reasoning, said, ...calls];
}

/** Reasoning that comes back encrypted must be what this provider encrypted. @throws RequestRefused */
export function checkReasoning(input: unknown, { signatureKey }: Account): void {
  for (const [index, item] of asArray(input).map(asObject).entries()) {
    const { type, id, encrypted_content: encrypted } = item;
    if (type === "reasoning" && encrypted != null && !isSignedBy(signatureKey, encrypted, null)) {
      const message = `The encrypted content for item ${String(id)} could not be verified.`;
      throw refuse(message, `input[${index}].encrypted_content`, "invalid_encrypted_content");
    }
  }
}

/** Its text is a summary, which only those get who ask. */
function reasoningItem(choice: Choice, body: JsonObject, index: number, account: Account): OutputItem {
  const item = { id: `rs_sandbox_${index}`, type: "reasoning", summary: [] };
  const hasSummary = asObject(body["reasoning"])["summary"] != null;
  const summary = hasSummary ? [{ type: "summary_text", text: choice.reasoning }] : [];
  const isEncrypted = asArray(body["include"]).includes("reasoning.encrypted_content");
  const encrypted = isEncrypted ? { encrypted_content: sign(choice.reasoning, account.signatureKey) } : {};
  return { begun: { ...item, ...encrypted }, whole: { ...item, summary, ...encrypted }, choice };
}

function callItem(call: ToolCall, place: string): Pick<OutputItem, "begun" | "whole"> {
  const namespace = call.namespace === null ? {} : { namespace: call.namespace };
  const named = { call_id: call.id, name: call.name, ...namespace };
  if (call.isCustom) {
    const custom = { id: `ctc_sandbox_${place}`, type: "custom_tool_call", ...named };
    return {
      begun: { ...custom, input: "", status: "in_progress" },
      whole: { ...custom, input: call.arguments, status: "completed" },
    };
  }
  const item = { id: `fc_sandbox_${place}`, type: "function_call", ...named };
  return {
    begun: { ...item, arguments: "", status: "in_progress" },
    whole: { ...item, arguments: call.arguments, status: "completed" },
  };
}

function contentPart(choice: Choice): JsonObject {
  return choice.refusal === null
    ? { type: "output_text", text: wholeText(choice.text), annotations: [], logprobs: [] }
    : { type: "refusal", refusal: choice.refusal };
}

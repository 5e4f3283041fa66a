/** POST /v1/responses, whole and streamed: text and function calls. */
import type { Behaviour } from "../script/behaviour.ts";
import type { Answer } from "../wire/plan.ts";
import type { ApiCall } from "./api-call.ts";
import { eventsAnswer, jsonAnswer, refuse } from "./json-answer.ts";
import { readWishes } from "./openai-wishes.ts";
import { asArray, type JsonObject, lastUserText, optionalCount, requireBody } from "./prompt.ts";
import { type Choice, makeReply, promptTokens } from "./reply.ts";
import { type OutputItem, responseEvents } from "./response-events.ts";
import { wholeText } from "./text-source.ts";
import type { TokenCounts } from "./usage.ts";

/** @throws RequestRefused */
export function answerResponses(call: ApiCall): Answer {
  const { request, behaviour } = call;
  const body = requireBody(request);
  if (body["input"] === undefined || body["input"] === "") {
    throw refuse("Missing required parameter: 'input'.", "input", "missing_required_parameter");
  }
  const reply = makeReply({
    wishes: readWishes(body),
    behaviour,
    spoken: lastUserText(request),
    tokensMax: optionalCount(body, "max_output_tokens", 1),
    promptTokens: promptTokens([body["instructions"], body["input"]], body["tools"]),
    callIds: `call_sandbox_${call.index}`,
  });
  const [choice] = reply.choices;
  const items = choice === undefined ? [] : outputItems(choice, call.index);
  const isCutShort = choice?.finishReason === "length";
  const usage = behaviour.omitUsage === true ? null : responseUsage(reply.counts, behaviour);
  const begun = describeResponse(call, body);
  const whole = {
    ...begun,
    status: isCutShort ? "incomplete" : "completed",
    incomplete_details: isCutShort ? { reason: "max_output_tokens" } : null,
    output: items.map((item) => item.whole),
    usage,
  };
  if (body["stream"] !== true) {
    return jsonAnswer(whole);
  }
  return eventsAnswer(responseEvents({ begun, items, whole }));
}

function describeResponse(call: ApiCall, body: JsonObject & { readonly model: string }): JsonObject {
  return {
    id: `resp_sandbox_${call.index}`,
    object: "response",
    created_at: call.createdAtSeconds,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    model: body.model,
    output: [],
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: body["previous_response_id"] ?? null,
    reasoning: { effort: null, summary: null },
    store: body["store"] ?? true,
    temperature: body["temperature"] ?? 1,
    text: body["text"] ?? { format: { type: "text" } },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: asArray(body["tools"]),
    top_p: body["top_p"] ?? 1,
    truncation: "disabled",
    usage: null,
    metadata: body["metadata"] ?? {},
  };
}

function outputItems(choice: Choice, index: number): readonly OutputItem[] {
  const calls = choice.toolCalls.map((call, position): OutputItem => {
    const item = { id: `fc_sandbox_${index}_${position}`, type: "function_call", call_id: call.id, name: call.name };
    return {
      begun: { ...item, arguments: "", status: "in_progress" },
      whole: { ...item, arguments: call.arguments, status: "completed" },
      choice,
    };
  });
  if (choice.text.bytes === 0 && choice.refusal === null && calls.length > 0) {
    return calls;
  }
  const message = { id: `msg_sandbox_${index}`, type: "message", role: "assistant" };
  const status = choice.finishReason === "length" ? "incomplete" : "completed";
  const begun = { ...message, status: "in_progress", content: [] };
  return [{ begun, whole: { ...message, status, content: [contentPart(choice)] }, choice }, ...calls];
}

function contentPart(choice: Choice): JsonObject {
  return choice.refusal === null
    ? { type: "output_text", text: wholeText(choice.text), annotations: [], logprobs: [] }
    : { type: "refusal", refusal: choice.refusal };
}

function responseUsage(counts: TokenCounts, behaviour: Behaviour): JsonObject {
  return {
    input_tokens: counts.prompt,
    input_tokens_details: { cached_tokens: counts.cached },
    output_tokens: counts.completion,
    output_tokens_details: { reasoning_tokens: counts.reasoning },
    total_tokens: counts.prompt + counts.completion,
    ...behaviour.usage,
  };
}

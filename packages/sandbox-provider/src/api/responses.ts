/** POST /v1/responses, whole and streamed: reasoning, text and calls of tools. */
import type { Answer } from "../wire/plan.ts";
import type { ApiCall } from "./api-call.ts";
import { eventsAnswer, jsonAnswer, refuse } from "./json-answer.ts";
import { readWishes } from "./openai-wishes.ts";
import { asArray, asObject, type JsonObject, lastUserText, optionalCount, requireBody } from "./prompt.ts";
import { makeReply, promptTokens } from "./reply.ts";
import { responseEvents } from "./response-events.ts";
import { checkReasoning, outputItems } from "./response-items.ts";
import { responseUsage } from "./usage-shapes.ts";

/** @throws RequestRefused */
export function answerResponses(call: ApiCall): Answer {
  const { request, behaviour, account } = call;
  const body = requireBody(request);
  if (body["input"] === undefined || body["input"] === "") {
    throw refuse("Missing required parameter: 'input'.", "input", "missing_required_parameter");
  }
  checkReasoning(body["input"], account);
  const reply = makeReply({
    wishes: readWishes(body, "shown"),
    behaviour,
    spoken: lastUserText(request),
    tokensMax: optionalCount(body, "max_output_tokens", 1),
    promptTokens: promptTokens([body["instructions"], body["input"]], body["tools"]),
    callIds: `call_sandbox_${call.index}`,
  });
  const [choice] = reply.choices;
  const items = choice === undefined ? [] : outputItems(choice, body, call.index, account);
  const begun = describeResponse(call, body);
  const whole = {
    ...begun,
    ...endOf(choice?.finishReason ?? "stop"),
    output: items.map((item) => item.whole),
    usage: behaviour.omitUsage === true ? null : responseUsage(reply.counts, behaviour),
  };
  if (body["stream"] !== true) {
    return jsonAnswer(whole);
  }
  return eventsAnswer(responseEvents({ begun, items, whole }));
}

function endOf(finishReason: string): JsonObject {
  switch (finishReason) {
    case "length":
      return { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    case "content_filter":
      return { status: "incomplete", incomplete_details: { reason: "content_filter" } };
    case "failed":
      return {
        status: "failed",
        error: { code: "server_error", message: "The sandbox fails because it was told to." },
      };
    default:
      return { status: "completed" };
  }
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
    reasoning: { effort: null, summary: null, ...asObject(body["reasoning"]) },
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

import type { JsonObject } from "@sluice/messages-conversion/json";
import { depthMax, isDeeperThan } from "@sluice/messages-conversion/request/check-fields";
import { FieldReader } from "../field-reader.ts";
import { type AnswersFrom, ConversionError, type ConvertRequest } from "../model.ts";
import { checkRequest } from "./check-request.ts";
import { Conversation } from "./conversation.ts";
import { DroppedNames } from "./dropped-names.ts";
import { collectItem, readItem } from "./input-items.ts";
import type { CallFacts } from "./output-items.ts";
import { convertOutputSettings } from "./output-settings.ts";
import { RequestTools } from "./request-tools.ts";
import { ResponseConverter } from "./response-converter.ts";
import { factsOf } from "./response-facts.ts";
import { convertToolChoice } from "./tool-choice.ts";
import { ToolOutputs } from "./tool-outputs.ts";

/** A request for a response, as a chat completion. @throws ConversionError if it has no counterpart */
export const fromResponsesRequest: ConvertRequest = (value, settings) => {
  const request = new FieldReader(value, "");
  if (isDeeperThan(value, depthMax)) {
    throw new ConversionError("The request is nested too deeply.");
  }
  const dropped = new DroppedNames();
  checkRequest(request, dropped);
  const tools = new RequestTools(dropped);
  for (const tool of request.objects("tools")) {
    tools.add(tool);
  }
  const outputs = new ToolOutputs();
  const conversation = new Conversation(outputs, settings.flags);
  readInput(request, { conversation, outputs, tools, dropped });
  const body = {
    model: settings.upstreamModel,
    messages: conversation.end(),
    ...convertTools(request, tools),
    ...convertOutputSettings(request, settings, dropped),
    ...(request.flag("stream") === true ? { stream: true } : {}),
  };
  const calls: CallFacts = {
    tools: tools.table.tools,
    usedCallIds: conversation.callIds,
    hasThinkTags: settings.flags.thinkTags,
    wantsExtras: isAskedFor(request, "reasoning.encrypted_content"),
    wantsDetails: settings.flags.reasoningBack && isAskedFor(request, "reasoning.encrypted_content"),
  };
  const facts: ResponseFacts = { response: factsOf(request, settings), calls };
  return { body, dropped: dropped.names, facts, answers: answersToResponses(facts, settings.makeId) };
};

type ResponseFacts = { readonly response: JsonObject; readonly calls: CallFacts };

/** Responses of chat completions as those of the Responses API. */
export const answersToResponses: AnswersFrom = (facts, makeId) => {
  const { response, calls } = facts as ResponseFacts;
  return new ResponseConverter(response, calls, makeId);
};

function isAskedFor(request: FieldReader, name: string): boolean {
  return (request.list("include") ?? []).includes(name);
}

type Reading = {
  readonly conversation: Conversation;
  readonly outputs: ToolOutputs;
  readonly tools: RequestTools;
  readonly dropped: DroppedNames;
};

function readInput(request: FieldReader, { conversation, outputs, tools, dropped }: Reading): void {
  const instructions = request.text("instructions");
  if (instructions !== null && instructions !== "") {
    conversation.instruct("developer", instructions);
  }
  if (typeof request.get("input") === "string") {
    conversation.ask([{ type: "text", text: request.requiredText("input") }]);
    return;
  }
  if (!request.has("input")) {
    throw new ConversionError("Missing required parameter: 'input'.", "input");
  }
  const items = request.objects("input");
  for (const item of items) {
    collectItem(item, tools, outputs);
  }
  for (const item of items) {
    readItem(item, { conversation, tools, dropped });
  }
}

/** @throws ConversionError if a tool has to be called and there is none */
function convertTools(request: FieldReader, tools: RequestTools): JsonObject {
  const chosen = convertToolChoice(request, tools);
  const isParallel = request.flag("parallel_tool_calls");
  const functions = tools.list(chosen?.allowed ?? null);
  if (functions.length === 0) {
    if (chosen?.choice === "required") {
      throw new ConversionError(
        "'tool_choice' requires a tool, but this model can use none of 'tools'.",
        "tool_choice",
      );
    }
    return {};
  }
  return {
    tools: functions,
    ...(chosen === null ? {} : { tool_choice: chosen.choice }),
    // Upstreams call several at once unless told otherwise, and some refuse the field.
    ...(isParallel === false ? { parallel_tool_calls: false } : {}),
  };
}

/** GET /v1/models, /v1beta/models, and one model of them. The list is an example; every other name is served as well. */
import { geminiDialect } from "../gemini/gemini-dialect.ts";
import { messagesDialect } from "../messages/messages-dialect.ts";
import type { Answer } from "../wire/plan.ts";
import type { ApiCall } from "./api-call.ts";
import { findDialect } from "./find-dialect.ts";
import { jsonAnswer } from "./json-answer.ts";

const modelNames = [
  "gpt-4o-mini",
  "gpt-4o",
  "gpt-4.1",
  "gpt-4.1-mini",
  "gpt-5",
  "gpt-5-mini",
  "o3",
  "o4-mini",
  "text-embedding-3-small",
  "text-embedding-3-large",
  "gpt-image-1",
  "tts-1",
  "whisper-1",
  "omni-moderation-latest",
] as const;
const messagesModelNames = ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"] as const;
const geminiModelNames = ["gemini-3.8-pro", "gemini-3.8-flash"] as const;

const createdAtSeconds = 1_767_225_600;

function describeModel(id: string): object {
  return { id, object: "model", created: createdAtSeconds, owned_by: "sandbox" };
}

function describeMessagesModel(id: string): object {
  return { type: "model", id, display_name: id, created_at: new Date(createdAtSeconds * 1000).toISOString() };
}

function describeGeminiModel(id: string): object {
  const supportedGenerationMethods = ["generateContent", "countTokens"];
  return { name: `models/${id}`, displayName: id, version: "001", supportedGenerationMethods };
}

export function answerModels(call: ApiCall): Answer {
  const dialect = findDialect(call.request);
  const [, name] = /\/models\/([^/]+)$/.exec(call.request.path) ?? [];
  const id = name === undefined ? null : decodeURIComponent(name);
  if (dialect === geminiDialect) {
    return jsonAnswer(id === null ? { models: geminiModelNames.map(describeGeminiModel) } : describeGeminiModel(id));
  }
  if (dialect === messagesDialect) {
    return jsonAnswer(id === null ? listMessagesModels() : describeMessagesModel(id));
  }
  return jsonAnswer(id === null ? { object: "list", data: modelNames.map(describeModel) } : describeModel(id));
}

function listMessagesModels(): object {
  const [first_id] = messagesModelNames;
  const data = messagesModelNames.map(describeMessagesModel);
  return { data, has_more: false, first_id, last_id: messagesModelNames.at(-1) };
}

/** GET /v1/models and GET /v1/models/{id}. The list is an example; every other name is served as well. */
import { messagesDialect } from "../messages/messages-dialect.ts";
import type { Answer } from "../wire/plan.ts";
import type { ApiCall } from "./api-call.ts";
import { findDialect } from "./find-dialect.ts";
import { jsonAnswer } from "./json-answer.ts";

const modelNames = [
  "gpt-4o-mini",
  "gpt-4o",
  "o4-mini",
  "text-embedding-3-small",
  "gpt-image-1",
  "tts-1",
  "whisper-1",
  "omni-moderation-latest",
] as const;
const messagesModelNames = ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"] as const;

const createdAtSeconds = 1_767_225_600;

function describeModel(id: string): object {
  return { id, object: "model", created: createdAtSeconds, owned_by: "sandbox" };
}

function describeMessagesModel(id: string): object {
  return { type: "model", id, display_name: id, created_at: new Date(createdAtSeconds * 1000).toISOString() };
}

export function answerModels(call: ApiCall): Answer {
  const [, name] = /\/v1\/models\/([^/]+)$/.exec(call.request.path) ?? [];
  const isMessages = findDialect(call.request) === messagesDialect;
  if (name !== undefined) {
    const id = decodeURIComponent(name);
    return jsonAnswer(isMessages ? describeMessagesModel(id) : describeModel(id));
  }
  return jsonAnswer(
    isMessages
      ? {
          data: messagesModelNames.map(describeMessagesModel),
          has_more: false,
          first_id: messagesModelNames[0],
          last_id: messagesModelNames.at(-1),
        }
      : { object: "list", data: modelNames.map(describeModel) },
  );
}

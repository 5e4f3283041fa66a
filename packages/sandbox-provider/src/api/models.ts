/** GET /v1/models and GET /v1/models/{id}. The list is an example; every other name is served as well. */
import type { Answer } from "../wire/plan.ts";
import type { ApiCall } from "./api-call.ts";
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

const createdAtSeconds = 1_767_225_600;

function describeModel(id: string): object {
  return { id, object: "model", created: createdAtSeconds, owned_by: "sandbox" };
}

export function answerModels(call: ApiCall): Answer {
  const [, name] = /^\/v1\/models\/([^/]+)$/.exec(call.request.path) ?? [];
  return name === undefined
    ? jsonAnswer({ object: "list", data: modelNames.map(describeModel) })
    : jsonAnswer(describeModel(decodeURIComponent(name)));
}

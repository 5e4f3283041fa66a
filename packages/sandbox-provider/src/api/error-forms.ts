/** Errors in the forms of other providers, and errors inside an answer whose status is 200. */

import { statusName } from "../gemini/status-name.ts";
import type { Behaviour } from "../script/behaviour.ts";
import { endWith } from "../wire/events.ts";
import type { Answer, SseEvent } from "../wire/plan.ts";
import type { ApiCall } from "./api-call.ts";
import type { Dialect } from "./dialect.ts";
import { type ApiError, jsonAnswer } from "./json-answer.ts";
import { openAiDialect } from "./openai-dialect.ts";

type ErrorShape = NonNullable<Behaviour["errorShape"]>;

const shapes: Readonly<Record<ErrorShape, (error: ApiError) => unknown>> = {
  array: (error) => [{ error: { code: error.status, message: error.message, status: statusName(error.status) } }],
  detail: ({ message }) => ({ detail: message }),
  flat: ({ status, message }) => ({ object: "error", message, type: "BadRequestError", param: null, code: status }),
  text: ({ message }) => ({ error: message }),
};

/** The JSON of an error; only OpenAI's format has other shapes. */
export function errorBody(error: ApiError, call: ApiCall, dialect: Dialect): unknown {
  const shape = dialect === openAiDialect ? call.behaviour.errorShape : undefined;
  return shape === undefined ? dialect.errorBody(error, call) : shapes[shape](error);
}

/** The answer with the error that the behaviour wants inside it: alone, or where a choice should be. */
export function putErrorInside(answer: Answer, call: ApiCall, dialect: Dialect): Answer {
  const { errorInside } = call.behaviour;
  if (errorInside === undefined || answer.status !== 200) {
    return answer;
  }
  const { code = 502, message = "The sandbox fails inside its answer because it was told to." } = errorInside;
  const isStream = answer.body.kind === "events";
  const error: ApiError = { status: typeof code === "number" ? code : 500, message, code: String(code) };
  const body =
    dialect === openAiDialect && errorInside.form !== "alone"
      ? brokenChat(errorInside.form, { code, message }, isStream)
      : errorBody(error, call, dialect);
  if (answer.body.kind === "whole") {
    return jsonAnswer(body);
  }
  const name = dialect.form.nameOf({ type: "error" });
  const last: SseEvent = { ...(name === null ? {} : { name }), data: JSON.stringify(body) };
  return {
    ...answer,
    body: { kind: "events", events: endWith(answer.body.events, errorInside.afterChunks ?? 0, last) },
  };
}

function brokenChat(
  form: "empty-choices" | "choice",
  error: { readonly code: number | string; readonly message: string },
  isStream: boolean,
): unknown {
  const base = { id: "gen-sandbox", object: isStream ? "chat.completion.chunk" : "chat.completion", created: 0 };
  if (form === "empty-choices") {
    return { ...base, choices: [], error };
  }
  const said = { role: "assistant", content: "" };
  const choice = { index: 0, ...(isStream ? { delta: said } : { message: said }), finish_reason: "error", error };
  return { ...base, choices: [choice], usage: null };
}

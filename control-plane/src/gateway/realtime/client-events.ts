import { AppError, toAppError } from "../../platform/errors.ts";
import { readJsonObject } from "../../platform/read-json.ts";
import type { Frame } from "../../platform/websocket/model.ts";
import { checkOptions } from "../options/check-options.ts";
import { checkTools } from "../options/check-tools.ts";
import { refuseEventDisguise } from "../options/known-names.ts";
import { refuseObjectsWithin } from "../options/refuse-objects.ts";
import { readTranscribers } from "./transcribers.ts";

/** Why an event is not forwarded to the provider, and the event's id, if it had one. */
export type EventRefusal = { readonly error: AppError; readonly eventId: string | null };

/** What a client can request that has a limit or its own price. */
export type AskedFor = {
  onResponse(): void;
  /** The model that transcribes the user's speech. */
  onTranscriber(model: string, param: string): void;
};

type JsonObject = Record<string, unknown>;

/** The parts of an event that configure responses. */
const settingParts = ["session", "response"];
/** The older event for sessions that only transcribe. */
const transcriptionUpdate = "transcription_session.update";

/**
 * Checks a client's event like any other request: it may name nothing that costs extra, no other model, and nothing in
 * the provider's account. It may refer to anything from its own session.
 * @param asked called for an event that is otherwise valid; an exception refuses the event
 * @returns null for an event that is forwarded as it is
 */
export function judgeClientEvent(frame: Frame, model: string, asked: AskedFor): EventRefusal | null {
  let event: JsonObject = {};
  try {
    if (typeof frame !== "string") {
      throw new AppError("invalid_json", { message: "Events of a session must be sent as text." });
    }
    event = readJsonObject(Buffer.from(frame)).fields;
    judge(event, model);
    for (const [name, param] of readTranscribers(event["session"])) {
      asked.onTranscriber(name, param);
    }
    if (event["type"] === "response.create") {
      asked.onResponse();
    }
    return null;
  } catch (thrown) {
    const { event_id: eventId } = event;
    return { error: toAppError(thrown), eventId: typeof eventId === "string" ? eventId.slice(0, 512) : null };
  }
}

function judge(event: JsonObject, model: string): void {
  refuseTranscription(event["type"], transcriptionUpdate, "type");
  for (const name of Object.keys(event)) {
    refuseEventDisguise(name);
  }
  for (const name of settingParts) {
    const settings = event[name];
    if (typeof settings === "object" && settings !== null) {
      judgeSettings(settings as JsonObject, name, model);
    }
  }
  refuseObjectsWithin(event["item"], "item");
}

/** @throws AppError `invalid_value` for a value that would make it a session without responses */
function refuseTranscription(value: unknown, refused: string, param: string): void {
  if (value === refused) {
    throw new AppError("invalid_value", { message: "Only sessions with a model are offered here.", param });
  }
}

function judgeSettings(settings: JsonObject, param: string, model: string): void {
  checkOptions(settings, "realtime", `${param}.`);
  checkTools(settings["tools"], `${param}.tools`);
  refuseObjectsWithin(settings["input"], `${param}.input`);
  refuseTranscription(settings["type"], "transcription", `${param}.type`);
  const { model: named = model } = settings;
  if (named !== null && named !== model) {
    throw new AppError("invalid_value", {
      message: "The model of a session is fixed by its URL.",
      param: `${param}.model`,
    });
  }
}

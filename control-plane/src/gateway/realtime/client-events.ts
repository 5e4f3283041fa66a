import { AppError, toAppError } from "../../platform/errors.ts";
import { readJsonObject } from "../../platform/read-json.ts";
import type { Frame } from "../../platform/websocket/model.ts";
import { checkOptions } from "../options/check-options.ts";
import { checkTools } from "../options/check-tools.ts";
import { refuseEventDisguise } from "../options/known-names.ts";
import { refuseObjectsWithin } from "../options/refuse-objects.ts";

/** Why an event does not go on to the provider, and which event it was, if it said. */
export type EventRefusal = { readonly error: AppError; readonly eventId: string | null };

type JsonObject = Record<string, unknown>;

/** The parts of an event that say how answers are made. */
const settingParts = ["session", "response"];

/**
 * Judges what a client sends as a request of any other kind is judged: it may name nothing that costs extra, no other
 * model, and nothing of the provider's account. What it names of its own session is its own.
 * @returns null for an event that goes on as it is
 */
export function judgeClientEvent(frame: Frame, model: string): EventRefusal | null {
  let event: JsonObject = {};
  try {
    if (typeof frame !== "string") {
      throw new AppError("invalid_json", { message: "Events of a session are sent as text." });
    }
    event = readJsonObject(Buffer.from(frame)).fields;
    judge(event, model);
    return null;
  } catch (thrown) {
    const { event_id: eventId } = event;
    return { error: toAppError(thrown), eventId: typeof eventId === "string" ? eventId.slice(0, 512) : null };
  }
}

function judge(event: JsonObject, model: string): void {
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

function judgeSettings(settings: JsonObject, param: string, model: string): void {
  checkOptions(settings, "realtime", `${param}.`);
  checkTools(settings["tools"], `${param}.tools`);
  refuseObjectsWithin(settings["input"], `${param}.input`);
  const { model: named = model } = settings;
  if (named !== null && named !== model) {
    throw new AppError("invalid_value", {
      message: "The model of a session is the one of its address.",
      param: `${param}.model`,
    });
  }
}

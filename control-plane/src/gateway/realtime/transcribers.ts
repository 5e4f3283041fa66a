import { AppError } from "../../platform/errors.ts";
import { refuseSoundDisguise } from "../options/known-names.ts";

type JsonObject = Record<string, unknown>;

/**
 * The models that a session names for transcribing the user's speech, in the current form and in the older one.
 * @returns each with the path of its field; none if that is switched off or absent
 * @throws AppError `missing_field` if a provider would choose the model, `invalid_type`, `unknown_field`
 */
export function readTranscribers(session: unknown): [model: string, param: string][] {
  const input = inner(inner(session, "session", "audio"), "session.audio", "input");
  return [
    ...readTranscriber(inner(input, "session.audio.input", "transcription"), "session.audio.input.transcription"),
    ...readTranscriber(inner(session, "session", "input_audio_transcription"), "session.input_audio_transcription"),
  ];
}

/** The value under a name, if the value is an object. */
function inner(value: unknown, param: string, name: string): unknown {
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  for (const key of Object.keys(value)) {
    refuseSoundDisguise(key, `${param}.${key}`);
  }
  return (value as JsonObject)[name];
}

function readTranscriber(transcription: unknown, param: string): [model: string, param: string][] {
  if (transcription === undefined || transcription === null) {
    return [];
  }
  const place = `${param}.model`;
  const model = inner(transcription, param, "model");
  if (model === undefined || model === null) {
    throw new AppError("missing_field", { message: "Name the model that transcribes.", param: place });
  }
  if (typeof model !== "string") {
    throw new AppError("invalid_type", { message: "The name of a model is a string.", param: place });
  }
  return [[model, place]];
}

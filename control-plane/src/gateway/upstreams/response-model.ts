import { applyEdit, trimmed } from "../../platform/edit-json.ts";
import { topLevelOf } from "../../platform/scan-json.ts";

/** The name of the model that a provider repeats, and the name that its client has used. */
export type ModelNames = { readonly sent: string; readonly asked: string };

const modelField = /("model"\s*:\s*)("(?:[^"\\]|\\.)*")/;

/** A whole response under the client's name of its model; all other bytes stay. */
export function renameInAnswer(body: Buffer, { sent, asked }: ModelNames): Buffer {
  const found = topLevelOf(body).get("model");
  const place = found === undefined ? null : trimmed(body, found);
  return place !== null && isName(body.toString("utf8", ...place), sent)
    ? applyEdit(body, { place, text: Buffer.from(JSON.stringify(asked)) })
    : body;
}

/** The same for the event with which a stream of the Messages API begins: its message has no content yet. */
export function renameInFirstEvent(event: Buffer, { sent, asked }: ModelNames): Buffer {
  const text = event.toString("utf8");
  const [, , name = ""] = modelField.exec(text) ?? [];
  return isName(name, sent)
    ? Buffer.from(text.replace(modelField, (_, field: string) => `${field}${JSON.stringify(asked)}`))
    : event;
}

function isName(text: string, name: string): boolean {
  try {
    return JSON.parse(text) === name;
  } catch {
    return false;
  }
}

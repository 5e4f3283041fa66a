import type { FurtherKey } from "../model.ts";
import type { Note, Row } from "./model.ts";
import { flagOf, OddValue, objectOf, textOf } from "./read-values.ts";

/** More credentials than a channel has here. */
const keysMax = 50;
const enabled = 1;

/**
 * The credentials of a channel. Newer versions of new-api keep several in one row, on a line each or as a JSON list, with
 * a state by position; in all others a row has one, line breaks included.
 */
export function readCredentials(
  row: Row,
  note: Note,
): { readonly credential: string; readonly furtherKeys: readonly FurtherKey[] } {
  const text = textOf(row["key"]).trim();
  const info = readInfo(row, note);
  if (!flagOf(info?.["is_multi_key"])) {
    return { credential: text, furtherKeys: [] };
  }
  const states = info?.["multi_key_status_list"];
  const stateAt = (at: number): unknown =>
    typeof states === "object" && states !== null ? (states as Record<string, unknown>)[`${at}`] : undefined;
  const keys = partsOf(text).map((secret, at) => ({
    secret,
    isEnabled: [undefined, enabled].includes(stateAt(at) as number),
  }));
  if (keys.length > keysMax) {
    note("decide", `It has ${keys.length} keys; a channel has at most ${keysMax} here. The others are left out.`);
  }
  // The first is the channel's own, which can't be switched off alone.
  const [own, ...others] = [...keys].sort((a, b) => Number(b.isEnabled) - Number(a.isEnabled)).slice(0, keysMax);
  if (own === undefined) {
    return { credential: "", furtherKeys: [] };
  }
  if (!own.isEnabled) {
    note("note", "All of its keys are switched off there; the first of them is on here, in a channel that is off.");
  }
  return { credential: own.secret, furtherKeys: others };
}

function readInfo(row: Row, note: Note): Readonly<Record<string, unknown>> | null {
  try {
    return objectOf(row["channel_info"]);
  } catch (error) {
    note("lost", `What it says of its keys can't be read: ${error instanceof OddValue ? error.message : "unknown"}.`);
    return null;
  }
}

/** Keys of service accounts have several lines, so that they come as a list. */
function partsOf(text: string): readonly string[] {
  if (text.startsWith("[")) {
    try {
      const list = JSON.parse(text) as readonly unknown[];
      return list
        .map((each) => (typeof each === "string" ? each : JSON.stringify(each)).trim())
        .filter((each) => each !== "");
    } catch {
      // It is not a list, but keys that begin with a bracket.
    }
  }
  return text
    .split("\n")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

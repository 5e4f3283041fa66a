import type { MessagesError } from "../errors/messages-error.ts";
import { isJsonObject, type JsonObject } from "../json.ts";

/** What can happen to an upstream's stream. */
export type StreamInput =
  | { readonly kind: "chunk"; readonly chunk: JsonObject }
  /** An event that is not a JSON object. */
  | { readonly kind: "unparsable" }
  /** The upstream sent its end mark. */
  | { readonly kind: "done" }
  /** The body ended in an orderly way. */
  | { readonly kind: "eof" }
  /** The connection broke. */
  | { readonly kind: "cut" }
  /** Any other error that ends the call, worded for the client. */
  | { readonly kind: "failed"; readonly error: MessagesError }
  /** Time passed; to be reported about once a second. */
  | { readonly kind: "tick" };

const unparsable: StreamInput = { kind: "unparsable" };
const done: StreamInput = { kind: "done" };

/** One event of the upstream's stream as input; null for one without content. */
export function fromServerSentEvent({ event, data }: { event: string; data: string }): StreamInput | null {
  if (data === "[DONE]" || data.trim() === "[DONE]") {
    return done;
  }
  if (data === "") {
    return null;
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(data);
  } catch {
    parsed = null;
  }
  if (event === "error") {
    // The event's name alone makes it an error, even if its data has another form.
    const isWrapped = isJsonObject(parsed) && "error" in parsed;
    return { kind: "chunk", chunk: isWrapped ? (parsed as JsonObject) : { error: parsed ?? data } };
  }
  return isJsonObject(parsed) ? { kind: "chunk", chunk: parsed } : unparsable;
}

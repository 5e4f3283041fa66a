import type { MessagesError } from "../errors/messages-error.ts";
import { isJsonObject, type JsonObject } from "../json.ts";

/** What can happen to a stream of an upstream. */
export type StreamInput =
  | { readonly kind: "chunk"; readonly chunk: JsonObject }
  /** An event that is not a JSON object. */
  | { readonly kind: "unparsable" }
  /** The upstream said that it is done. */
  | { readonly kind: "done" }
  /** The body ended in order. */
  | { readonly kind: "eof" }
  /** The connection broke. */
  | { readonly kind: "cut" }
  /** Anything else that ends the call, in the words in which the client is to hear of it. */
  | { readonly kind: "failed"; readonly error: MessagesError }
  /** Time passed; to be reported about once a second. */
  | { readonly kind: "tick" };

const unparsable: StreamInput = { kind: "unparsable" };
const done: StreamInput = { kind: "done" };

/** One event of the upstream's stream as input; null for one that says nothing. */
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
    // The name alone makes it an error, in whichever form it comes.
    const isWrapped = isJsonObject(parsed) && "error" in parsed;
    return { kind: "chunk", chunk: isWrapped ? (parsed as JsonObject) : { error: parsed ?? data } };
  }
  return isJsonObject(parsed) ? { kind: "chunk", chunk: parsed } : unparsable;
}

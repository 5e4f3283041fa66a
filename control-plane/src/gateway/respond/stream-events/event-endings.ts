import type { StreamEnding } from "../../model.ts";
import type { StreamForm } from "../../operations/model.ts";
import { CandidateEnds } from "./candidate-ends.ts";
import { ChoiceEnds, type StreamEnds } from "./choice-ends.ts";
import type { SeenEvent } from "./event-scan.ts";
import { MessageEnd } from "./message-end.ts";

export function endsOf(form: StreamForm): StreamEnds {
  return form === "messages" ? new MessageEnd() : form === "candidates" ? new CandidateEnds() : new ChoiceEnds();
}

/** How a stream ends if this event is its last; null for an event that does not end it. */
export function endingOf({ kind, payload }: SeenEvent): StreamEnding | null {
  switch (kind) {
    case "done":
    case "terminal":
      return { kind: "completed" };
    case "error":
      return { kind: "error_event", payload };
    case "broken":
      return { kind: "broken_event" };
    default:
      return null;
  }
}

import type { IdentifiedAnswer } from "./model.ts";

/** Adds the headers that every response to a call has. */
export function markCall(answer: IdentifiedAnswer): IdentifiedAnswer {
  const { headers, requestId } = answer;
  headers["x-request-id"] = requestId;
  headers["cache-control"] ??= "no-store";
  headers["x-content-type-options"] = "nosniff";
  return answer;
}

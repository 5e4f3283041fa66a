import type { Dialect } from "@sluice/contracts/upstreams";
import { asObject, type Json } from "../../usage-count/units.ts";

const filtered = "content_filter";
const geminiReasons: ReadonlySet<unknown> = new Set([
  "SAFETY",
  "PROHIBITED_CONTENT",
  "BLOCKLIST",
  "RECITATION",
  "SPII",
]);

/** Whether the payload of a response, or of an event, says that the provider's content filter ended the response. */
export const isFiltered: Readonly<Record<Dialect, (payload: Json) => boolean>> = {
  chat: isFilteredChat,
  responses: isFilteredChat,
  messages: ({ delta, stop_reason: reason = asObject(delta)["stop_reason"] }) => reason === "refusal",
  gemini({ candidates, promptFeedback }) {
    const isBlocked = asObject(promptFeedback)["blockReason"] !== undefined;
    return isBlocked || (Array.isArray(candidates) && candidates.some(isFilteredCandidate));
  },
  cohere: () => false,
};

function isFilteredChat(payload: Json): boolean {
  const { choices } = payload;
  if (!Array.isArray(choices)) {
    const { response = payload } = payload;
    return asObject(asObject(response)["incomplete_details"])["reason"] === filtered;
  }
  for (const choice of choices) {
    if (asObject(choice)["finish_reason"] === filtered) {
      return true;
    }
  }
  return false;
}

function isFilteredCandidate(candidate: unknown): boolean {
  return geminiReasons.has(asObject(candidate)["finishReason"]);
}

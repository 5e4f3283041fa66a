import { isMessagesPath } from "./operations/messages-path.ts";

/** Names the parts of a request that were not sent to the provider, so that they don't go missing silently. */
export const droppedHeader = "x-sluice-dropped";
/** The same for clients of the Messages API. */
export const messagesDroppedHeader = "x-compat-dropped";

/** @param dropped what was removed from the request, or null */
export function droppedHeaders(dropped: string | null, path: string): Record<string, string> {
  if (dropped === null) {
    return {};
  }
  return isMessagesPath(path)
    ? { [messagesDroppedHeader]: dropped.replaceAll(", ", ",") }
    : { [droppedHeader]: dropped };
}

/** With "true", what a conversion would leave out is refused instead. */
export const strictHeader = "x-compat-strict";

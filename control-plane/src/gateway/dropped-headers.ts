import { isMessagesPath } from "./operations/messages-path.ts";

/** Names the parts of a request that were not sent to the provider, so that they don't go missing silently. */
export const droppedHeader = "x-sluice-dropped";
/** The same for clients of the Messages API. */
export const messagesDroppedHeader = "x-compat-dropped";
/** How many parts were not sent either, besides those that the header of the same beginning names. */
export const droppedMoreHeader = `${droppedHeader}-more`;
export const messagesDroppedMoreHeader = `${messagesDroppedHeader}-more`;

/** A request may have a thousand fields that no provider knows; many servers refuse headers that long. */
const namesMax = 20;
const namesLengthMax = 1_000;
const separator = ", ";

/** @param dropped what was removed from the request, or null */
export function droppedHeaders(dropped: string | null, path: string): Record<string, string> {
  if (dropped === null) {
    return {};
  }
  const { shown, more } = bounded(dropped.split(separator));
  const isMessages = isMessagesPath(path);
  const headers = isMessages
    ? { [messagesDroppedHeader]: shown.join(",") }
    : { [droppedHeader]: shown.join(separator) };
  return more === 0
    ? headers
    : { ...headers, [isMessages ? messagesDroppedMoreHeader : droppedMoreHeader]: String(more) };
}

function bounded(names: readonly string[]): { readonly shown: readonly string[]; readonly more: number } {
  const shown: string[] = [];
  let length = 0;
  for (const name of names) {
    length += name.length + separator.length;
    if (shown.length >= namesMax || length > namesLengthMax) {
      break;
    }
    shown.push(name);
  }
  return { shown, more: names.length - shown.length };
}

/** With "true", what a conversion would leave out is refused instead. */
export const strictHeader = "x-compat-strict";

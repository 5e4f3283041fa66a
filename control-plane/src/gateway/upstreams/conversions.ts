import type { Dialect } from "@sluice/contracts/upstreams";
import { toMessagesRequest } from "@sluice/dialect-conversion/chat-to-messages/convert-request";
import { composeConversions } from "@sluice/dialect-conversion/compose-conversions";
import { fromMessages } from "@sluice/dialect-conversion/messages-to-chat/convert-request";
import type { ConvertRequest } from "@sluice/dialect-conversion/model";
import { fromResponsesRequest } from "@sluice/dialect-conversion/responses-to-chat/convert-request";
import type { Channel } from "../channels/model.ts";
import type { Operation } from "../operations/model.ts";

/** How requests of one dialect are converted for an upstream that speaks only others, the best conversion first. */
const conversions: Readonly<Record<Dialect, readonly (readonly [to: Dialect, convert: ConvertRequest])[]>> = {
  chat: [["messages", toMessagesRequest]],
  responses: [
    ["chat", fromResponsesRequest],
    ["messages", composeConversions(fromResponsesRequest, toMessagesRequest)],
  ],
  messages: [["chat", fromMessages]],
  gemini: [],
  cohere: [],
};

/** The dialect in which a channel gets a request of an operation, and how the request is converted to it. */
export type Route = { readonly dialect: Dialect; readonly convert: ConvertRequest | null };

/** How a channel can serve an operation; null if it can't. */
export function routeTo({ endpoints }: Pick<Channel, "endpoints">, operation: Operation): Route | null {
  const { dialect, isConvertible } = operation;
  if (endpoints.has(dialect)) {
    return { dialect, convert: null };
  }
  const found = isConvertible ? conversions[dialect].find(([to]) => endpoints.has(to)) : undefined;
  return found === undefined ? null : { dialect: found[0], convert: found[1] };
}

export function canServe(channel: Pick<Channel, "endpoints">, operation: Operation): boolean {
  return channel.endpoints.has(operation.dialect) || routeTo(channel, operation) !== null;
}

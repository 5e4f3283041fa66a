import type { Dialect } from "@sluice/contracts/upstreams";
import { answersToChat, toMessagesRequest } from "@sluice/dialect-conversion/chat-to-messages/convert-request";
import { composeAnswersFrom, composeConversions } from "@sluice/dialect-conversion/compose-conversions";
import { answersToMessages, fromMessages } from "@sluice/dialect-conversion/messages-to-chat/convert-request";
import type { Conversion } from "@sluice/dialect-conversion/model";
import { answersToResponses, fromResponsesRequest } from "@sluice/dialect-conversion/responses-to-chat/convert-request";
import type { Operation } from "../operations/model.ts";

const chatAsMessages: Conversion = { convert: toMessagesRequest, answersFrom: answersToChat };
const responsesAsChat: Conversion = { convert: fromResponsesRequest, answersFrom: answersToResponses };
const responsesAsMessages: Conversion = {
  convert: composeConversions(fromResponsesRequest, toMessagesRequest),
  answersFrom: composeAnswersFrom(answersToResponses, answersToChat),
};
const messagesAsChat: Conversion = { convert: fromMessages, answersFrom: answersToMessages };

/** How requests of one dialect are converted for an upstream that speaks only others, the best conversion first. */
const conversions: Readonly<Record<Dialect, readonly (readonly [to: Dialect, conversion: Conversion])[]>> = {
  chat: [["messages", chatAsMessages]],
  responses: [
    ["chat", responsesAsChat],
    ["messages", responsesAsMessages],
  ],
  messages: [["chat", messagesAsChat]],
  gemini: [],
  cohere: [],
};

/** Two dialects that can be converted. */
export type Way = { readonly from: Dialect; readonly to: Dialect };

export function findConversion({ from, to }: Way): Conversion {
  const found = conversions[from].find(([dialect]) => dialect === to);
  if (found === undefined) {
    throw new Error(`${from} can't be converted to ${to}`);
  }
  return found[1];
}

/** The dialect in which a channel gets a request of an operation, and whether the request is converted to it. */
export type Route = { readonly dialect: Dialect; readonly isConverted: boolean };

/** A channel, as far as what it speaks. */
type Speaking = { readonly endpoints: { has(dialect: Dialect): boolean } };

/** How a channel can serve an operation; null if it can't. */
export function routeTo(
  { endpoints }: Speaking,
  { dialect, isConvertible }: Pick<Operation, "dialect" | "isConvertible">,
): Route | null {
  if (endpoints.has(dialect)) {
    return { dialect, isConverted: false };
  }
  const found = isConvertible ? conversions[dialect].find(([to]) => endpoints.has(to)) : undefined;
  return found === undefined ? null : { dialect: found[0], isConverted: true };
}

export function canServe(channel: Speaking, operation: Operation): boolean {
  return channel.endpoints.has(operation.dialect) || routeTo(channel, operation) !== null;
}

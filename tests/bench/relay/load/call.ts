/** A call that the load makes, in any dialect: on its own way to a provider of that dialect, or on a converted one. */
import { ANSWER_BYTES, SEND_TIME_MARK } from "./answers.ts";

export const callDialects = ["chat", "responses", "messages"] as const;
export type CallDialect = (typeof callDialects)[number];

export const dialectPaths: Readonly<Record<CallDialect, string>> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
};

/** The beginning of the provider's paths at which it answers so that a send time outlives a conversion. */
export const convertedAt = "/converted";

/** What StreamScan looks for. */
export type StreamMarks = {
  /** Right before the digits of a send time, once for each event that counts. */
  readonly sendTime: string;
  /** The beginning of the last event of a whole stream. */
  readonly lastEvent: string;
};

export type LoadCall = {
  readonly dialect: CallDialect;
  readonly model: string;
  /** The length of a whole answer; null when the first one sets it for those after it. */
  readonly answerBytes: number | null;
  readonly marks: StreamMarks;
};

/** The call that every arm can take. */
export const chatCall: LoadCall = {
  dialect: "chat",
  model: "gpt-4o-mini",
  answerBytes: ANSWER_BYTES,
  marks: { sendTime: SEND_TIME_MARK, lastEvent: "data: [DONE]" },
};

export type Conversion = { readonly client: CallDialect; readonly upstream: CallDialect };

/** The conversions that exist, and the same-dialect call of each dialect. The first one is what all are compared with. */
export const conversions: readonly Conversion[] = [
  { client: "chat", upstream: "chat" },
  { client: "messages", upstream: "messages" },
  { client: "responses", upstream: "responses" },
  { client: "messages", upstream: "chat" },
  { client: "responses", upstream: "chat" },
  { client: "chat", upstream: "messages" },
  { client: "responses", upstream: "messages" },
];

/** The model whose only channel speaks nothing but this dialect. */
export const modelAt = (upstream: CallDialect): string => `bench-${upstream}`;

/** Texts begin with the send time, because texts are all that every conversion keeps. */
const textMarks: Readonly<Record<CallDialect, StreamMarks>> = {
  chat: { sendTime: `"content":"${SEND_TIME_MARK}`, lastEvent: "data: [DONE]" },
  responses: { sendTime: `"delta":"${SEND_TIME_MARK}`, lastEvent: "event: response.completed\n" },
  messages: { sendTime: `"text":"${SEND_TIME_MARK}`, lastEvent: "event: message_stop\n" },
};

export function callOf({ client, upstream }: Conversion): LoadCall {
  return { dialect: client, model: modelAt(upstream), answerBytes: null, marks: textMarks[client] };
}

/** The call to a gateway that rewrites answers: it keeps texts, so the time of sending is in these. */
export const rewrittenCall: LoadCall = { ...callOf({ client: "chat", upstream: "chat" }), model: chatCall.model };

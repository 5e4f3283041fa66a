import {
  type AnswerConverter,
  type AnswersFrom,
  type ClientEvent,
  ConversionError,
  type ConversionSettings,
  type ConvertedRequest,
  type ConvertRequest,
  type JsonObject,
  type PlainFacts,
  type StreamConverter,
} from "./model.ts";

/** What two conversions in a row need of a request. */
type ComposedFacts = { readonly outer: PlainFacts; readonly inner: PlainFacts };

/** Responses of two conversions in a row. */
export function composeAnswersFrom(toChat: AnswersFrom, fromChat: AnswersFrom): AnswersFrom {
  return (facts, makeId) => {
    const { outer, inner } = facts as ComposedFacts;
    return composeAnswers(toChat(outer, makeId), fromChat(inner, makeId));
  };
}

/** Converts by way of chat completions: requests first to them and then to the upstream, responses the other way. */
export function composeConversions(toChat: ConvertRequest, fromChat: ConvertRequest): ConvertRequest {
  return (request, settings) => {
    // What a chat upstream may not know is known here: what matters is what the last one accepts.
    const known = { tokenParam: "max_tokens", developerRole: false, thinkTags: false, cacheKey: false } as const;
    const flags = { ...settings.flags, ...known, verbosity: false, reasoningBack: true };
    const chat = toChat(request, { ...settings, flags });
    const last = convertChat(fromChat, askingForUsage(chat.body), settings);
    return {
      body: last.body,
      dropped: [...new Set([...chat.dropped, ...last.dropped])],
      facts: { outer: chat.facts, inner: last.facts } satisfies ComposedFacts,
      answers: composeAnswers(chat.answers, last.answers),
    };
  };
}

/** A stream of chat completions has its usage only for those who ask. */
function askingForUsage(body: JsonObject): JsonObject {
  return body["stream"] === true ? { ...body, stream_options: { include_usage: true } } : body;
}

/** The client does not know the fields of the request in between, so its errors name none. */
function convertChat(convert: ConvertRequest, body: JsonObject, settings: ConversionSettings): ConvertedRequest {
  try {
    return convert(body, settings);
  } catch (error) {
    throw error instanceof ConversionError ? new ConversionError(error.message) : error;
  }
}

function composeAnswers(outer: AnswerConverter, inner: AnswerConverter): AnswerConverter {
  return {
    whole: (answer) => outer.whole(inner.whole(answer)),
    stream: () => composeStreams(outer.stream(), inner.stream()),
  };
}

function composeStreams(outer: StreamConverter, inner: StreamConverter): StreamConverter {
  const pass = (events: readonly ClientEvent[]): ClientEvent[] =>
    events.flatMap(({ data }) => (data === "[DONE]" ? [] : outer.take(data)));
  return {
    take: (payload) => pass(inner.take(payload)),
    end: () => [...pass(inner.end()), ...outer.end()],
  };
}

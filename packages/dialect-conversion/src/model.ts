import type { ModelFlags } from "@sluice/messages-conversion/model-flags";

/** A JSON object, not yet checked. */
export type JsonObject = { readonly [name: string]: unknown };

/** What a conversion needs to know besides the request; it reads no clock and makes no random numbers itself. */
export type ConversionSettings = {
  /** The model as the upstream names it. */
  readonly upstreamModel: string;
  /** The model as the client named it; responses repeat it. */
  readonly clientModel: string;
  /** The most output tokens of the model, for dialects that require a limit. */
  readonly outputTokensMax: number;
  readonly flags: ConversionFlags;
  /** What is known about the model beyond that, by the names of the model map; read for Messages requests only. */
  readonly modelFlags?: Partial<ModelFlags>;
  /** Refuses the fields that could otherwise be left out; read for Messages requests only. */
  readonly isStrict?: boolean;
  /** Returns a new id without prefix: 24 letters and digits. */
  readonly makeId: () => string;
  /** Seconds since 1970. */
  readonly nowSeconds: number;
};

/** What the upstream, or its model, does differently from its dialect. */
export type ConversionFlags = {
  /** The name of the limit on output in a chat request. */
  readonly tokenParam: "max_tokens" | "max_completion_tokens";
  /** The upstream accepts the role `developer`; otherwise it becomes `system`. */
  readonly developerRole: boolean;
  /** Earlier reasoning is given back as `reasoning_content`. */
  readonly reasoningBack: boolean;
  /** A text may begin with reasoning between `<think>` and `</think>`. */
  readonly thinkTags: boolean;
  /** The upstream accepts `prompt_cache_key`. */
  readonly cacheKey: boolean;
  /** The upstream accepts `verbosity`. */
  readonly verbosity: boolean;
  /**
   * How a model of a Messages upstream is told to think: by an effort, also one that always thinks; by a budget of
   * tokens; or not at all.
   */
  readonly thinking: "adaptive" | "always" | "budget" | "none";
  /** A Messages upstream accepts temperature and top_p. */
  readonly sampling: boolean;
  /** A Messages upstream accepts turns of the role `system`; otherwise they become text of the user. */
  readonly systemTurns: boolean;
  /** Conversations without marks of their own ask a Messages upstream to cache their beginning. */
  readonly automaticCaching: boolean;
};

/** A request in the dialect of the upstream, and how to read its response. */
export type ConvertedRequest = {
  readonly body: JsonObject;
  /** The names of what was left out, for a header of the response. */
  readonly dropped: readonly string[];
  readonly answers: AnswerConverter;
  /** Plain data from which `answers` can be made again, also on another thread. */
  readonly facts: PlainFacts;
  /** The whole response of a request that asks the upstream for nothing; absent for all others. */
  readonly ready?: JsonObject;
};

/** Converts the responses to one request back into the dialect of the client. */
export interface AnswerConverter {
  /** A complete response. @throws ConversionError if it is not one */
  whole(answer: JsonObject): JsonObject;
  /** The events of a complete response, for a client that asked for a stream; absent where it is sent as it is. */
  events?(response: JsonObject): readonly ClientEvent[];
  /** A converter for one streamed response. */
  stream(): StreamConverter;
}

/** Converts one stream, event by event. */
export interface StreamConverter {
  /** The events for the client that follow from an event of the upstream, which is not an error. */
  take(payload: JsonObject): readonly ClientEvent[];
  /** The last events of a stream that ended as it should, with the end mark of the client's dialect. */
  end(): readonly ClientEvent[];
  /** What keeps a client waiting that has received nothing for ten seconds; absent where nothing does. */
  idle?(): readonly ClientEvent[];
}

/** A server-sent event. */
export type ClientEvent = {
  /** The `event:` line, or null without one. */
  readonly event: string | null;
  readonly data: JsonObject | "[DONE]";
};

/** A request that has no counterpart in the other dialect, or a response that is none. */
export class ConversionError extends Error {
  override name = "ConversionError";
  /** The field at fault, or null. */
  readonly param: string | null;

  constructor(message: string, param: string | null = null) {
    super(message);
    this.param = param;
  }
}

/** What a conversion needs of a request to read the response to it; only the same conversion knows what it is. */
export type PlainFacts = { readonly [name: string]: unknown };

/** Makes the converter of the responses to a request from the facts of its conversion. */
export type AnswersFrom = (facts: PlainFacts, makeId: () => string) => AnswerConverter;

/** A way between two dialects. */
export type Conversion = { readonly convert: ConvertRequest; readonly answersFrom: AnswersFrom };

/** Converts a request whose JSON was parsed. @throws ConversionError */
export type ConvertRequest = (request: JsonObject, settings: ConversionSettings) => ConvertedRequest;

import type { Dialect } from "@sluice/contracts/upstreams";
import type { PriceName } from "../../models/model.ts";
import type { RequestBounds } from "../model.ts";
import type { OptionPlace } from "../options/option-table.ts";

/** The JSON object of a request, not yet parsed further. */
export type JsonObject = Record<string, unknown>;

/** What bounds the cost of a form: its field `n`, and its files. */
export type FormCounts = { readonly count: string | null; readonly files: number };

/**
 * What is sold, and what our own count counts: text, without which a response has no output; other results, such as
 * vectors; vectors whose input we count ourselves if need be; ranks; images; speech; the transcript of a recording; what is not measured, so that only the request has a price; or nothing. The rules of
 * each are in `settle/measure-usage/outputs.ts`.
 */
export type Output =
  | "text"
  | "items"
  | "vectors"
  | "ranks"
  | "images"
  | "speech"
  | "transcript"
  | "unmeasured"
  | "nothing";

/**
 * How a stream is read, and what makes it complete. `choices`: `[DONE]`, or a finish reason for every choice.
 * `responses`: an event of a type that says so. `messages`: the same, or the reason why the message has stopped.
 * `candidates`: a finish reason for every candidate, or a prompt that was blocked. `framed`: the proper end of the body.
 * `raw`: the same, and its events are not read.
 */
export type StreamForm = "choices" | "responses" | "messages" | "candidates" | "framed" | "raw";

/** What the steps of a call need to know about its operation. */
export type OperationRules = {
  /** The dialect that its requests and responses are written in. */
  readonly dialect: Dialect;
  /** A channel that speaks only other dialects can serve it after a conversion. */
  readonly isConvertible: boolean;
  /**
   * A call of a model; a count of tokens, which is free; the list of models or the figures of the account, which are
   * answered here; or a path that is only passed through.
   */
  readonly handling: "call" | "count" | "list" | "account" | "pass";
  /** Whether a response is streamed: as the field `stream` says, or as the path does. */
  readonly streams: "by_field" | "always" | "never";
  /** The reader of the bounds knows every field and refuses all others; the table of options is not asked. */
  readonly hasOwnFields: boolean;
  readonly methods: readonly string[];
  /** The place in the table of options that applies in addition to the rows for all places. */
  readonly optionPlace: OptionPlace | null;
  /**
   * Whether the gateway checks the tools of a request, and whether it first removes an optional provider search. `typed`:
   * the tools of the Messages API, which carry a date in their type.
   */
  readonly tools: "unread" | "checked" | "search_dropped" | "typed";
  /**
   * The fields whose texts no rule reads: their own, and those that their items have as `content` or `text`. A body that differs
   * from an earlier one in these alone is not parsed again.
   */
  readonly freeTexts: readonly string[] | null;
  /** An equal request may get the response to an earlier one, from the cache. */
  readonly isRepeatable: boolean;
  /** Whether the usage of a stream comes in a chunk that has to be requested. */
  readonly takesUsageOption: boolean;
  /** A model without any of these prices would be free. Null if the operation is sold only by tokens and requests. */
  readonly soldBy: readonly PriceName[] | null;
  /** Whether a model may think between two events of a stream for as long as a whole response would take. */
  readonly isSilentWhileThinking: boolean;
  /** Only the provider knows what a response costs, so the gateway reads it to the end after its client has left. */
  readonly isReadOn: boolean;
  /** The allowed responses: JSON or events; any type except a web page; or anything, even an empty body. */
  readonly answers: "json" | "media" | "any";
  /** The list that a valid complete response must contain; null if any form is valid. */
  readonly resultList: string | null;
  readonly output: Output;
  readonly stream: StreamForm;
  /** The name of the operation in the semantic conventions for telemetry. */
  readonly telemetryName: "chat" | "text_completion" | "embeddings" | "generate_content";
};

/** Keeps what is wrong with a request for the channels that would get it as it is. */
export type RefusalNote = {
  /** @throws AppError the same error, if nothing is kept */
  readonly note: (thrown: unknown) => void;
};

/**
 * Reads what bounds the cost of a request.
 * @throws AppError `missing_field`, `invalid_type`, `invalid_value`, `unknown_field`, `unpriced_option`,
 * `provider_object`
 */
type ReadBounds<Read> = (read: Read, bodyBytes: number, refusals: RefusalNote) => RequestBounds;

/** How a body is read, by its form. */
export type BodyRules = {
  readonly json: { readonly body: "json"; readonly readBounds: ReadBounds<JsonObject> };
  readonly multipart: {
    readonly body: "multipart";
    readonly readBounds: (read: FormCounts, bodyBytes: number) => RequestBounds;
  };
  readonly none: { readonly body: "none" };
};

/** An operation of the API as the gateway handles it. */
export type Operation = OperationRules &
  BodyRules[keyof BodyRules] & {
    /** The model that the API assumes when a request names none. */
    readonly defaultModel: string | null;
  };

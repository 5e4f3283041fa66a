/**
 * The ways in which one response differs from a normal one. A behaviour is a plain object, so that it can be written in
 * a test, sent over HTTP, or read out of a chat message. Fields are independent and may be combined; each one is
 * implemented by one function in `wire/` or `api/`. A chunk is one `data:` event of a stream, including the first
 * (role) one and `[DONE]`; the whole body of a response that is not a stream counts as one chunk.
 */
import { z } from "zod";

const count = z.int().nonnegative();
const milliseconds = z.number().nonnegative();
const json = z.record(z.string(), z.unknown());

/**
 * A position in the response: after this many chunks, or this many bytes counted from the first byte of the status
 * line.
 */
const place = z.union([z.strictObject({ afterChunks: count }), z.strictObject({ afterBytes: count })]);

const cut = z.union([
  z.strictObject({ afterChunks: count, with: z.enum(["fin", "rst"]), lingerMs: milliseconds.optional() }),
  z.strictObject({ afterBytes: count, with: z.enum(["fin", "rst"]), lingerMs: milliseconds.optional() }),
]);

const split = z.union([
  z.literal("every-byte"),
  z.array(count),
  z.strictObject({ seed: z.int(), bytesMax: z.int().positive() }),
]);

export const usageShapes = [
  "deepseek",
  "google",
  "groq",
  "mistral",
  "moonshot",
  "openrouter",
  "perplexity",
  "qwen",
  "xai",
] as const;

const toolCall = z.strictObject({
  name: z.string(),
  namespace: z.string().optional(),
  /** An object is serialised as JSON; a string is sent as it is, valid or not. */
  arguments: z.union([z.string(), json]).optional(),
  id: z.string().optional(),
});

/** `prompt` includes what was cached or written to a cache, `completion` includes the reasoning. */
const tokens = z.strictObject({
  prompt: count.optional(),
  cached: count.optional(),
  written5m: count.optional(),
  written1h: count.optional(),
  completion: count.optional(),
  reasoning: count.optional(),
  searches: count.optional(),
});

const errorInside = z.strictObject({
  /** In place of everything, beside an empty list of choices, or in a choice that finished with `error`. */
  form: z.enum(["alone", "empty-choices", "choice"]),
  code: z.union([z.int(), z.string()]).optional(),
  message: z.string().optional(),
  afterChunks: count.optional(),
});

export const behaviourSchema = z.strictObject({
  // Time.
  /** The delay before the first byte of the head. */
  delayHeadMs: milliseconds.optional(),
  /** The delay between the head and the first byte of the body, like a slow first token. */
  firstTokenDelayMs: milliseconds.optional(),
  /** The delay between two events of a stream. */
  chunkDelayMs: milliseconds.optional(),

  // Head.
  /** The status; 400 and above sends an error in the dialect's format unless a body is given. */
  status: z.int().min(200).max(599).optional(),
  /** Headers that are added to the usual ones or replace them (names in any case); null removes one. */
  headers: z.record(z.string(), z.union([z.string(), z.array(z.string()), z.null()])).optional(),
  /** A number of seconds, or an HTTP date. */
  retryAfter: z.union([z.number(), z.string()]).optional(),
  /** Sends 307 (or `status`) with this Location. */
  redirectTo: z.string().optional(),
  /** Interim responses before the real one, such as 100 or 103. */
  informational: z.array(z.int().min(100).max(199)).optional(),
  /** How the length of the body is declared; a stream is chunked by default, anything else has a Content-Length. */
  framing: z.enum(["chunked", "content-length", "close"]).optional(),
  /**
   * A number that is added to the true Content-Length; if it is positive, the connection is closed after the response.
   */
  contentLengthLie: z.int().optional(),
  /** Sends `Connection: close` and closes after the response. */
  closeAfter: z.boolean().optional(),

  // Content.
  /** The assistant's text. */
  text: z.string().optional(),
  /** The reasoning, sent before the text, as `reasoning_content` or in the dialect's own form. */
  reasoning: z.string().optional(),
  /** In Messages: the reasoning comes encrypted. */
  isReasoningRedacted: z.boolean().optional(),
  refusal: z.string().optional(),
  toolCalls: z.array(toolCall).optional(),
  finishReason: z.string().optional(),
  /** This many pieces of text, each of `chunkBytes` (default 4) bytes, instead of the usual sentence. */
  chunks: count.optional(),
  chunkBytes: z.int().positive().optional(),
  /** Endless text in pieces, in a streamed chat completion or message. */
  isEndless: z.boolean().optional(),
  /** Fields that replace those of the counted usage; unknown fields are sent unchanged. */
  usage: json.optional(),
  /** In a stream of Messages: the fields that replace those of the usage at the start, in place of `usage`. */
  usageAtStart: json.optional(),
  /** Counts in place of the counted ones; every dialect spells them in its own way. */
  tokens: tokens.optional(),
  omitUsage: z.boolean().optional(),
  /** The usage of a chat completion as this provider spells it, and where this provider has it in a stream. */
  usageShape: z.enum(usageShapes).optional(),
  /** Where a stream has its usage; by default in a separate chunk, and only on request. */
  usagePlacement: z.enum(["own-chunk", "with-finish", "every-chunk", "unasked", "in-choice", "x-groq"]).optional(),
  /** Answers 200 with an error in it, in a stream after so many chunks (0 by default). */
  errorInside: errorInside.optional(),
  /** Errors in the form of another provider: Google's array, a text in `error`, vLLM's flat object, or `detail`. */
  errorShape: z.enum(["array", "detail", "flat", "text"]).optional(),
  /** The whole body in place of the usual one: text is sent unchanged, anything else as JSON. */
  body: z.union([z.string(), json, z.array(z.unknown())]).optional(),
  /** Sends a web server's error page. */
  isHtmlBody: z.boolean().optional(),
  /** A body of this many bytes of filler. */
  hugeBodyBytes: count.optional(),
  /** The chunks of a stream, verbatim: a string is the payload of one `data:`, anything else becomes JSON. */
  events: z.array(z.union([z.string(), json])).optional(),

  // Form of the stream.
  lineEnd: z.enum(["lf", "crlf", "cr"]).optional(),
  /** Sends a comment line each time this many events were sent. */
  commentEvery: z.int().positive().optional(),
  noDone: z.boolean().optional(),
  /** The payload of the event with this index breaks off in the middle. */
  malformedChunk: count.optional(),
  /** The event with this index is in an HTTP chunk whose size line is not a number. */
  malformedFraming: count.optional(),
  /** After this many chunks an `{"error":...}` event ends the stream. */
  errorEventAfter: count.optional(),

  // Transport.
  /** The exact bytes of the response, including the head, one character per byte, instead of anything composed. */
  raw: z.string().optional(),
  /**
   * Positions at which the response is split into separate network packets, counted from the first byte of the status
   * line.
   */
  splitAt: split.optional(),
  /**
   * The place where the connection ends. A reset comes `lingerMs` (default 10) after the last byte, so that the client
   * receives the bytes.
   */
  cut: cut.optional(),
  /** The place after which nothing is sent until the request is released. */
  silence: place.optional(),
  /** For a websocket: these events, verbatim, in response to `response.create`. */
  realtimeEvents: z.array(json).optional(),
  /** For a websocket: a close frame with this code after this many events. */
  closeWith: z
    .strictObject({ afterChunks: count, code: z.int().min(1000).max(4999), reason: z.string().optional() })
    .optional(),
  neverAnswer: z.boolean().optional(),
  /** Responds when the head is complete, without waiting for the body; its rule can only look at the head. */
  answersBeforeBody: z.boolean().optional(),
  /** The response is composed once and then replayed byte for byte, whatever the next request says: for load tests. */
  isReplayed: z.boolean().optional(),
});

export type Behaviour = Readonly<z.infer<typeof behaviourSchema>>;
export type Split = z.infer<typeof split>;
export type Place = z.infer<typeof place>;

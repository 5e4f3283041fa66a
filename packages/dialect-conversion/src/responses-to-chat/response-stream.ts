import { MessagesError } from "@sluice/messages-conversion/errors/messages-error";
import { isJsonObject, type JsonObject, textOf } from "@sluice/messages-conversion/json";
import { type ThinkPiece, ThinkTagSplitter } from "@sluice/messages-conversion/response/think-tags";
import { type ChunkWords, readChunk, readDelta } from "@sluice/messages-conversion/stream/read-chunk";
import { type ClientEvent, ConversionError, type StreamConverter } from "../model.ts";
import { EventQueue } from "./event-queue.ts";
import { type CallFacts, OutputItems } from "./output-items.ts";
import { textLengthOf } from "./reasoning-details.ts";
import type { ResponseEnding } from "./response-facts.ts";
import { toResponsesUsage } from "./usage.ts";

/** Far more than a model writes at once; the whole response is repeated in its last event. */
const lengthMax = 33_554_432;

/** Writes the events of a response from the chunks of a chat completion. */
export class ResponseStream implements StreamConverter {
  readonly #facts: JsonObject;
  readonly #id: string;
  readonly #queue = new EventQueue();
  readonly #items: OutputItems;
  readonly #splitter: ThinkTagSplitter | null;
  #hasBegun = false;
  #hasPlainReasoning = false;
  #finishReason: string | null = null;
  #usage: JsonObject | null = null;
  #length = 0;
  #response: JsonObject | null = null;

  constructor(facts: JsonObject, calls: CallFacts, makeId: () => string) {
    this.#facts = facts;
    this.#id = `resp_${makeId()}`;
    this.#items = new OutputItems(this.#queue, calls, makeId);
    this.#splitter = calls.hasThinkTags ? new ThinkTagSplitter() : null;
  }

  /** The response after its end. */
  get response(): JsonObject {
    if (this.#response === null) {
      throw new ConversionError("The response has not ended.");
    }
    return this.#response;
  }

  take(payload: JsonObject): readonly ClientEvent[] {
    if (this.#response !== null) {
      return [];
    }
    this.#begin();
    try {
      this.#takeWords(readChunk(payload), readDelta(payload));
    } catch (error) {
      // A chunk may have more calls than any response, or arguments that are nested too deeply to be written.
      if (error instanceof MessagesError || error instanceof RangeError) {
        throw new ConversionError(error.message);
      }
      throw error;
    }
    return this.#queue.drain();
  }

  end(): readonly ClientEvent[] {
    if (this.#response !== null) {
      return [];
    }
    this.#begin();
    this.#takePieces(this.#splitter?.end() ?? []);
    const ending = endingOf(this.#finishReason);
    const output = this.#items.end(ending.status === "incomplete");
    this.#response = this.#toResponse(ending, output);
    this.#queue.put(`response.${ending.status}`, { response: this.#response });
    return this.#queue.drain();
  }

  #begin(): void {
    if (this.#hasBegun) {
      return;
    }
    this.#hasBegun = true;
    const response = this.#toResponse({ status: "in_progress", reason: null }, []);
    this.#queue.put("response.created", { response });
    this.#queue.put("response.in_progress", { response });
  }

  #takeWords(chunk: ChunkWords, delta: JsonObject): void {
    const words = this.#isRepeated(delta) ? { ...chunk, reasoning: "" } : chunk;
    const details = objectsOf(delta["reasoning_details"]);
    this.#bound(words, details);
    const { finishReason, usage } = words;
    if (finishReason === "error") {
      throw new ConversionError("The provider interrupted its response.");
    }
    this.#finishReason = finishReason ?? this.#finishReason;
    this.#usage = usage ?? this.#usage;
    const extras = { details, annotations: objectsOf(delta["annotations"]).flatMap(toAnnotation) };
    if (this.#splitter === null || words.content === "") {
      this.#items.take(words, extras);
    } else {
      this.#items.take({ ...words, content: "", refusal: "", calls: [] }, { details, annotations: [] });
      this.#takePieces(this.#splitter.push(words.content));
      this.#items.take({ ...words, reasoning: "", content: "" }, { ...extras, details: [] });
    }
  }

  #takePieces(pieces: readonly ThinkPiece[]): void {
    for (const { kind, text } of pieces) {
      if (kind === "thinking") {
        this.#items.think(text);
      } else {
        this.#items.say(text);
      }
    }
  }

  /** Whether the reasoning of a chunk only repeats what was said in plain text, in the form for giving it back. */
  #isRepeated({ reasoning_content: content, reasoning }: JsonObject): boolean {
    const isPlain = textOf(content) !== null || textOf(reasoning) !== null;
    this.#hasPlainReasoning ||= isPlain;
    return this.#hasPlainReasoning && !isPlain;
  }

  #bound({ reasoning, content, refusal, calls }: ChunkWords, details: readonly JsonObject[]): void {
    this.#length += reasoning.length + content.length + refusal.length;
    for (const call of calls) {
      const extraLength = call.extra === null ? 0 : JSON.stringify(call.extra).length;
      this.#length += call.arguments.length + (call.name?.length ?? 0) + extraLength;
    }
    for (const detail of details) {
      this.#length += textLengthOf(detail);
    }
    if (this.#length > lengthMax) {
      throw new ConversionError("The upstream's response is too long.");
    }
  }

  #toResponse({ status, reason }: ResponseEnding, output: readonly JsonObject[]): JsonObject {
    return {
      id: this.#id,
      ...this.#facts,
      status,
      incomplete_details: reason === null ? null : { reason },
      output,
      usage: this.#usage === null ? null : toResponsesUsage(this.#usage),
    };
  }
}

/** Reasons that are not known, and none at all, are those of upstreams that simply stopped. */
function endingOf(finishReason: string | null): ResponseEnding {
  switch (finishReason) {
    case "length":
      return { status: "incomplete", reason: "max_output_tokens" };
    case "content_filter":
      return { status: "incomplete", reason: "content_filter" };
    default:
      return { status: "completed", reason: null };
  }
}

function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** A source as Responses name it; other kinds have no counterpart. */
function toAnnotation({ type, url_citation: source }: JsonObject): JsonObject[] {
  if (type !== "url_citation" || !isJsonObject(source) || textOf(source["url"]) === null) {
    return [];
  }
  const { url, title, start_index: start, end_index: end } = source;
  return [
    {
      ...{ type, url, title: textOf(title) ?? "" },
      ...{ start_index: placeOf(start), end_index: placeOf(end) },
    },
  ];
}

const placeOf = (value: unknown): number => (typeof value === "number" && Number.isSafeInteger(value) ? value : 0);

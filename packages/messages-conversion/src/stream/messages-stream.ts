import type { AnswerFacts, AnswerIds } from "../answer-facts.ts";
import { badUpstreamResponse, MessagesError } from "../errors/messages-error.ts";
import { toMessagesErrorOfEvent } from "../errors/to-messages-error.ts";
import { isGiven, type JsonObject } from "../json.ts";
import type { MessagesEvent, MessagesUsage } from "../messages.ts";
import { toStopReason } from "../response/stop-reason.ts";
import { ThinkTagSplitter } from "../response/think-tags.ts";
import { noUsage, toMessagesUsage } from "../response/usage.ts";
import { BlockWriter } from "./block-writer.ts";
import { readChunk } from "./read-chunk.ts";
import { Speech } from "./speech.ts";
import type { StreamInput } from "./stream-input.ts";
import { ToolBlocks } from "./tool-blocks.ts";

/** A client gives up when it receives nothing for much longer than this. */
const silenceMsMax = 10_000;
/** How long to wait for usage once the response is complete. */
const usageWaitMs = 2_000;
const unparsableMax = 3;
/** The estimate for upstreams that report no counts. */
const charactersPerToken = 4;

/**
 * The state of the stream. `waiting`: nothing was sent, so that a failure can still be an HTTP error (`refused`).
 * `started`: events flow. `ended`: nothing follows, after a normal end or an error event.
 */
type StreamPhase = "waiting" | "refused" | "started" | "ended";

export type StreamOpening = {
  readonly facts: AnswerFacts;
  readonly ids: AnswerIds;
  /** The estimated size of the prompt until the upstream reports it. */
  readonly inputTokens: number;
  readonly nowMs: number;
};

/**
 * Generates the events of a message from the chunks of a chat completion. It has no timers and no input of its own: the
 * caller passes each input with its time, and the same inputs always give the same events.
 */
export class MessagesStream {
  readonly #facts: AnswerFacts;
  readonly #ids: AnswerIds;
  readonly #writer = new BlockWriter();
  readonly #tools: ToolBlocks;
  readonly #speech: Speech;
  readonly #splitter: ThinkTagSplitter | null;
  #phase: StreamPhase = "waiting";
  #failure: MessagesError | null = null;
  #startUsage: MessagesUsage;
  #usage: JsonObject | null = null;
  #finishReason: string | null = null;
  #finishedAtMs = 0;
  #stoppedBy: unknown = null;
  #hasRefusal = false;
  #unparsable = 0;
  #lastOutputMs: number;

  constructor({ facts, ids, inputTokens, nowMs }: StreamOpening) {
    this.#facts = facts;
    this.#ids = ids;
    this.#tools = new ToolBlocks(this.#writer, facts, ids);
    this.#speech = new Speech(this.#writer, this.#tools);
    this.#splitter = facts.splitsThinkTags ? new ThinkTagSplitter() : null;
    this.#startUsage = { ...noUsage, input_tokens: inputTokens };
    this.#lastOutputMs = nowMs;
  }

  get phase(): StreamPhase {
    return this.#phase;
  }

  /** Why the stream was refused or failed; null if it did not. */
  get failure(): MessagesError | null {
    return this.#failure;
  }

  /** Processes an input and returns the events for the client. After the end there are none. */
  reduce(input: StreamInput, nowMs: number): MessagesEvent[] {
    if (this.#phase === "ended" || this.#phase === "refused") {
      return [];
    }
    try {
      this.#take(input, nowMs);
    } catch (error) {
      if (!(error instanceof MessagesError)) {
        throw error;
      }
      this.#fail(error);
    }
    const events = this.#writer.drain();
    if (events.length > 0) {
      this.#lastOutputMs = nowMs;
    }
    return events;
  }

  #take(input: StreamInput, nowMs: number): void {
    switch (input.kind) {
      case "chunk":
        this.#unparsable = 0;
        this.#takeChunk(input.chunk, nowMs);
        return;
      case "unparsable":
        this.#unparsable += 1;
        if (this.#unparsable >= unparsableMax) {
          throw badUpstreamResponse("The provider did not send a chat completion.");
        }
        return;
      case "done":
        this.#endIf(this.#finishReason !== null || this.#hasContent(), "The provider sent an empty response.");
        return;
      case "eof":
      case "cut": {
        const isLenient = input.kind === "eof" && this.#facts.isLenientAtEof && this.#hasContent();
        this.#endIf(this.#finishReason !== null || isLenient, "The provider closed the stream early.");
        return;
      }
      case "failed":
        throw input.error;
      case "tick":
        this.#takeTick(nowMs);
    }
  }

  #takeChunk(chunk: JsonObject, nowMs: number): void {
    const { choices, error, object, detail, usage } = chunk;
    if (
      (isGiven(error) && error !== "" && error !== false) ||
      object === "error" ||
      (isGiven(detail) && !isGiven(choices))
    ) {
      throw toMessagesErrorOfEvent(chunk, this.#facts);
    }
    if (!Array.isArray(choices) && !isGiven(usage)) {
      return;
    }
    const words = readChunk(chunk);
    if (words.finishReason === "error") {
      throw badUpstreamResponse("The provider interrupted its response.");
    }
    const wasFinished = this.#finishReason !== null;
    this.#usage = words.usage ?? this.#usage;
    this.#start();
    this.#say("thinking", words.reasoning);
    this.#sayContent(words.content);
    if (words.refusal !== "") {
      this.#hasRefusal = true;
      this.#say("text", words.refusal);
    }
    for (const piece of words.calls) {
      this.#speech.forgetWhiteSpace();
      this.#tools.take(piece);
    }
    this.#stoppedBy = words.stoppedBy ?? this.#stoppedBy;
    if (words.finishReason !== null && !wasFinished) {
      this.#finishReason = words.finishReason;
      this.#finishedAtMs = nowMs;
    }
    if (wasFinished && words.usage !== null) {
      this.#end();
    }
  }

  #takeTick(nowMs: number): void {
    const isSilent = nowMs - this.#lastOutputMs >= silenceMsMax;
    if (this.#finishReason !== null && nowMs - this.#finishedAtMs >= usageWaitMs) {
      this.#end();
    } else if (isSilent && this.#phase === "waiting") {
      this.#start();
    } else if (isSilent) {
      this.#writer.put({ type: "ping" });
      if (this.#tools.isHolding) {
        // Clients that count only content events would consider the stream dead without this one.
        this.#writer.addInput("");
      }
    }
  }

  #start(): void {
    if (this.#phase !== "waiting") {
      return;
    }
    this.#phase = "started";
    if (this.#usage !== null) {
      this.#startUsage = { ...toMessagesUsage(this.#usage), output_tokens: 0 };
    }
    this.#writer.put({
      type: "message_start",
      message: {
        id: this.#ids.messageId,
        type: "message",
        role: "assistant",
        model: this.#facts.requestedModel,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...this.#startUsage },
      },
    });
    this.#writer.put({ type: "ping" });
  }

  #sayContent(content: string): void {
    if (this.#splitter === null || content === "") {
      this.#say("text", content);
      return;
    }
    for (const { kind, text } of this.#splitter.push(content)) {
      this.#say(kind, text);
    }
  }

  #say(kind: "text" | "thinking", text: string): void {
    if (text !== "" && (kind === "text" || this.#facts.wantsThinking)) {
      this.#speech.say(kind, text);
    }
  }

  #hasContent(): boolean {
    return this.#writer.hasBlocks || this.#tools.hasPending || this.#speech.isHolding;
  }

  #endIf(isComplete: boolean, problem: string): void {
    if (!isComplete || this.#phase === "waiting") {
      throw badUpstreamResponse(problem);
    }
    this.#end();
  }

  #end(): void {
    for (const { kind, text } of this.#splitter?.end() ?? []) {
      this.#say(kind, text);
    }
    this.#tools.flush(this.#finishReason === "length");
    this.#speech.release();
    this.#writer.close();
    const ending = {
      finishReason: this.#finishReason,
      hasToolUse: this.#writer.hasToolUse,
      hasRefusal: this.#hasRefusal,
      stoppedBy: this.#stoppedBy,
      stopSequences: this.#facts.stopSequences,
    };
    this.#writer.put({ type: "message_delta", delta: toStopReason(ending), usage: this.#finalUsage() });
    this.#writer.put({ type: "message_stop" });
    this.#phase = "ended";
  }

  #finalUsage(): MessagesUsage {
    if (this.#usage !== null) {
      return toMessagesUsage(this.#usage);
    }
    return { ...this.#startUsage, output_tokens: Math.ceil(this.#writer.outputLength / charactersPerToken) };
  }

  /** No block is closed: a message that looks complete would hide the failure. */
  #fail(error: MessagesError): void {
    this.#failure = error;
    if (this.#phase === "waiting") {
      this.#phase = "refused";
      return;
    }
    this.#writer.put({ type: "error", error: { type: error.type, message: error.message } });
    this.#phase = "ended";
  }
}

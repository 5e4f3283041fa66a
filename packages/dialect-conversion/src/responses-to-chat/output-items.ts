import type { JsonObject } from "@sluice/messages-conversion/json";
import { CallCollector, type PendingCall } from "@sluice/messages-conversion/stream/call-collector";
import type { CallPiece, ChunkWords } from "@sluice/messages-conversion/stream/read-chunk";
import { CallItem } from "./call-item.ts";
import type { EventQueue } from "./event-queue.ts";
import { detailOfCall, ReasoningDetails } from "./reasoning-details.ts";
import { type ItemPlace, MessageItem, type OpenItem, ReasoningItem } from "./spoken-items.ts";
import { type ClientTool, fromUpstream } from "./tool-table.ts";

/** What a chunk says beside what every client reads: reasoning in the upstream's form, and sources of the text. */
export type ChunkExtras = { readonly details: readonly JsonObject[]; readonly annotations: readonly JsonObject[] };

export type CallFacts = {
  /** The client's tools by the upstream's names. */
  readonly tools: ReadonlyMap<string, ClientTool>;
  /** The ids of calls that the conversation already has. */
  readonly usedCallIds: ReadonlySet<string>;
  /** The client wants reasoning in a form that it can give back. */
  readonly wantsDetails: boolean;
  /** The client gives back what belongs to a call but has no field there. */
  readonly wantsExtras: boolean;
  /** A text may begin with reasoning between tags. */
  readonly hasThinkTags: boolean;
};

const callIdLengthMax = 512;

/**
 * The items of a response in the order in which they began. Only one message or reasoning item is open at a time; calls
 * stay open until the end, because upstreams may send pieces of several in turn.
 */
export class OutputItems {
  readonly #queue: EventQueue;
  readonly #facts: CallFacts;
  readonly #makeId: () => string;
  readonly #collector = new CallCollector();
  readonly #calls = new Map<PendingCall, CallItem>();
  readonly #callIds = new Set<string>();
  readonly #extras = new Map<PendingCall, JsonObject>();
  readonly #output: (JsonObject | null)[] = [];
  #message: MessageItem | null = null;
  #reasoning: ReasoningItem | null = null;
  readonly #details = new ReasoningDetails();
  /** White space that has yet to become the beginning of a message. */
  #space = "";

  constructor(queue: EventQueue, facts: CallFacts, makeId: () => string) {
    this.#queue = queue;
    this.#facts = facts;
    this.#makeId = makeId;
  }

  take({ reasoning, content, refusal, calls }: ChunkWords, { details, annotations }: ChunkExtras): void {
    if (reasoning !== "") {
      this.think(reasoning);
    }
    if (this.#facts.wantsDetails && details.length > 0) {
      this.#openReasoning();
      this.#details.add(details);
    }
    if (content !== "") {
      this.say(content);
    }
    if (refusal !== "") {
      this.#openMessage().add("refusal", refusal);
    }
    for (const annotation of annotations) {
      this.#message?.annotate(annotation);
    }
    for (const piece of calls) {
      this.#call(piece);
    }
  }

  /** Closes what is open. @returns the whole output */
  end(isCut: boolean): readonly JsonObject[] {
    this.#openCallsBefore(null);
    if (this.#output.length === 0 && this.#space !== "") {
      this.#openMessage();
    }
    this.#close(this.#message, isCut);
    this.#closeReasoning();
    for (const [call, item] of this.#calls) {
      this.#close(item, isCut && !call.isComplete);
    }
    return this.#output.filter((item) => item !== null);
  }

  #openReasoning(): ReasoningItem {
    if (this.#reasoning !== null) {
      return this.#reasoning;
    }
    this.#closeSpoken();
    const reasoning = new ReasoningItem(this.#newPlace("rs"));
    this.#reasoning = reasoning;
    return reasoning;
  }

  #closeReasoning(): void {
    const item = this.#reasoning;
    this.#reasoning = null;
    if (item !== null) {
      this.#output[item.outputIndex] = item.close(this.#details.drain());
    }
  }

  think(piece: string): void {
    this.#openReasoning().add(piece);
  }

  say(piece: string): void {
    if (this.#message === null && piece.trim() === "") {
      this.#space += piece;
      return;
    }
    const message = this.#openMessage();
    message.add("text", piece);
  }

  #openMessage(): MessageItem {
    if (this.#message !== null) {
      return this.#message;
    }
    this.#closeSpoken();
    const message = new MessageItem(this.#newPlace("msg"));
    this.#message = message;
    if (this.#space !== "") {
      message.add("text", this.#space);
      this.#space = "";
    }
    return message;
  }

  #call(piece: CallPiece): void {
    const call = this.#collector.take(piece);
    if (piece.extra !== null && this.#facts.wantsExtras) {
      this.#extras.set(call, piece.extra);
    }
    // A name may come in pieces, until arguments follow.
    if (piece.arguments === "" || call.name === "") {
      return;
    }
    const known = this.#calls.get(call);
    if (known !== undefined) {
      known.add(usedPart(call, piece.arguments));
      return;
    }
    this.#openCallsBefore(call);
    this.#openCall(call);
  }

  /** Opens the calls that came before one, or all: no more of their names follows. */
  #openCallsBefore(last: PendingCall | null): void {
    for (const call of this.#collector.calls) {
      if (call === last) {
        return;
      }
      if (call.name !== "" && !this.#calls.has(call)) {
        this.#openCall(call);
      }
    }
  }

  #openCall(call: PendingCall): void {
    const callId = this.#callIdOf(call);
    const extra = this.#extras.get(call);
    this.#space = "";
    if (extra !== undefined) {
      this.#openReasoning();
      this.#details.add([detailOfCall(callId, extra)]);
    }
    this.#closeSpoken();
    const tool = fromUpstream(this.#facts.tools, call.name);
    const item = new CallItem(this.#newPlace(prefixes[tool.kind]), tool, callId);
    this.#calls.set(call, item);
    item.add(usedPart(call, call.arguments));
  }

  /** The upstream's id, unless the conversation has it already: then nobody could tell the two calls apart. */
  #callIdOf({ id }: PendingCall): string {
    const isNew = id !== "" && !this.#callIds.has(id) && !this.#facts.usedCallIds.has(id);
    const callId = isNew && id.length <= callIdLengthMax ? id : `call_${this.#makeId()}`;
    this.#callIds.add(callId);
    return callId;
  }

  #closeSpoken(): void {
    this.#close(this.#message, false);
    this.#message = null;
    this.#closeReasoning();
  }

  #close(item: OpenItem | null, isCut: boolean): void {
    if (item !== null) {
      this.#output[item.outputIndex] = item.close(isCut ? "incomplete" : "completed");
    }
  }

  #newPlace(prefix: string): ItemPlace {
    const outputIndex = this.#output.length;
    this.#output.push(null);
    return { queue: this.#queue, id: `${prefix}_${this.#makeId()}`, outputIndex };
  }
}

const prefixes = { function: "fc", custom: "ctc", tool_search: "tsc" } as const;

/** The part of the newest arguments that belongs to the one object; what some upstreams repeat after it does not. */
function usedPart(call: PendingCall, piece: string): string {
  const start = call.arguments.length - piece.length;
  return call.isComplete ? piece.slice(0, Math.max(0, call.scanner.validLength - start)) : piece;
}

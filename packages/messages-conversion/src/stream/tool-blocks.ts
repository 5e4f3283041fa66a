import type { AnswerFacts, AnswerIds } from "../answer-facts.ts";
import { toToolInputJson } from "../arguments/tool-input.ts";
import { badUpstreamResponse, type MessagesError } from "../errors/messages-error.ts";
import type { BlockWriter } from "./block-writer.ts";
import { CallCollector, type PendingCall } from "./call-collector.ts";
import type { CallPiece } from "./read-chunk.ts";

/** The limit for arguments of one response that are held back, in characters. */
const heldLengthMax = 16_777_216;

/**
 * Turns tool calls, whose pieces may come in any order, into blocks that come one after the other. Arguments wait until
 * they are complete, because a client that gets incomplete JSON either fails or acts on half of it. Only tools that
 * request it get their arguments in deltas, as long as these can still become an object.
 */
export class ToolBlocks {
  readonly #writer: BlockWriter;
  readonly #facts: AnswerFacts;
  readonly #ids: AnswerIds;
  readonly #collector = new CallCollector();
  readonly #usedIds: Set<string>;
  #open: PendingCall | null = null;
  /** How much of the open call's arguments was already sent; null when they wait until they are complete. */
  #sentLength: number | null = null;
  #heldLength = 0;

  constructor(writer: BlockWriter, facts: AnswerFacts, ids: AnswerIds) {
    this.#writer = writer;
    this.#facts = facts;
    this.#ids = ids;
    this.#usedIds = new Set(facts.usedToolIds);
  }

  /** Whether the client has yet to receive a part of a call; a call without a name does not count yet. */
  get hasPending(): boolean {
    return this.#collector.calls.some(isPending);
  }

  /** Whether the held calls are complete. */
  get areComplete(): boolean {
    return this.#collector.calls.every((call) => call.isComplete || !isPending(call));
  }

  /** Whether a block is open and the client has received nothing of it. */
  get isHolding(): boolean {
    return this.#open !== null && this.#sentLength === null;
  }

  /** @throws MessagesError when arguments that are sent in deltas turn out to be broken */
  take(piece: CallPiece): void {
    this.#heldLength += piece.arguments.length;
    if (this.#heldLength > heldLengthMax) {
      throw badUpstreamResponse("The tool arguments of the response are too long.");
    }
    const call = this.#collector.take(piece);
    if (call.isClosed) {
      return;
    }
    if (this.#open === null) {
      this.#openNext();
    } else if (call === this.#open) {
      this.#sendOn(call, piece.arguments);
    } else if (this.#open.isComplete && this.#isLater(call, this.#open)) {
      this.#close(this.#open, false);
      this.#openNext();
    }
  }

  /**
   * Sends the client everything that was held back, in order.
   * @param isTruncated the response ended because its limit was reached
   * @throws MessagesError when arguments that were sent in deltas have no end
   */
  flush(isTruncated: boolean): void {
    if (this.#open !== null) {
      this.#close(this.#open, isTruncated);
    }
    for (const call of this.#collector.calls) {
      if (isPending(call)) {
        this.#begin(call);
        this.#close(call, isTruncated);
      }
    }
  }

  /** A name can still grow until arguments follow, so no block is started before that. */
  #openNext(): void {
    const next = this.#collector.calls.find(isPending);
    if (next !== undefined && next.arguments !== "") {
      this.#begin(next);
      this.#sendOn(next, null);
    }
  }

  #begin(call: PendingCall): void {
    const name = this.#facts.toolNames.get(call.name) ?? call.name;
    const id = call.id === "" || this.#usedIds.has(call.id) ? this.#ids.makeToolUseId() : call.id;
    this.#usedIds.add(id);
    this.#writer.startToolUse(id, name);
    this.#open = call;
    this.#sentLength = this.#facts.eagerTools.has(name) ? 0 : null;
  }

  /** @param piece the last piece, when everything before it was already sent; null to check the whole text */
  #sendOn(call: PendingCall, piece: string | null): void {
    if (this.#sentLength === null) {
      return;
    }
    const { scanner } = call;
    if (!scanner.hasOpened) {
      if (scanner.state === "invalid") {
        this.#sentLength = null;
      }
      return;
    }
    if (scanner.state === "invalid") {
      throw brokenArguments();
    }
    const freshLength = scanner.validLength - this.#sentLength;
    // The whole text is assembled only once; afterwards each piece is sent by itself.
    const isPieceAlone = piece !== null && this.#sentLength > 0;
    const fresh = isPieceAlone
      ? piece.slice(0, freshLength)
      : call.arguments.slice(this.#sentLength, scanner.validLength);
    if (fresh !== "") {
      this.#writer.addInput(fresh);
      this.#sentLength = scanner.validLength;
    }
  }

  #close(call: PendingCall, isTruncated: boolean): void {
    this.#sendOn(call, null);
    if (this.#sentLength === null || !call.scanner.hasOpened) {
      if (call.arguments.trim() !== "") {
        this.#writer.addInput(toToolInputJson(call.arguments, isTruncated));
      }
    } else if (!call.isComplete && !isTruncated) {
      throw brokenArguments();
    }
    this.#writer.close();
    call.isClosed = true;
    this.#open = null;
    this.#sentLength = null;
  }

  #isLater(call: PendingCall, than: PendingCall): boolean {
    const { calls } = this.#collector;
    return calls.indexOf(call) > calls.indexOf(than);
  }
}

const isPending = (call: PendingCall): boolean => !call.isClosed && call.name !== "";

function brokenArguments(): MessagesError {
  return badUpstreamResponse("invalid tool arguments from model");
}

import { JsonObjectScanner } from "../arguments/json-object-scanner.ts";
import { badUpstreamResponse } from "../errors/messages-error.ts";
import type { CallPiece } from "./read-chunk.ts";

/** Far more than a model calls at once. The limit exists because each piece is looked up among all calls. */
const callsMax = 1_000;

/** The known parts of a tool call. */
export class PendingCall {
  /** The upstream's number, or the order of appearance if it has none. */
  readonly order: number;
  id: string;
  name = "";
  arguments = "";
  readonly scanner = new JsonObjectScanner();
  /** Whether the whole call was sent to the client. */
  isClosed = false;

  constructor(order: number, id: string) {
    this.order = order;
    this.id = id;
  }

  /** Whether the arguments are one complete object; further characters could only be a mistake. */
  get isComplete(): boolean {
    return this.scanner.state === "complete";
  }

  addArguments(piece: string): void {
    this.arguments += piece;
    this.scanner.feed(piece);
  }
}

/**
 * Assembles the pieces of tool calls. Upstreams disagree about what distinguishes two calls: most number them, some
 * give every call the number 0 and its own id, some only ids, and some nothing at all.
 */
export class CallCollector {
  /** The calls in the order in which the client receives them. */
  readonly calls: PendingCall[] = [];
  readonly #byIndex = new Map<number, PendingCall>();
  readonly #byId = new Map<string, PendingCall>();
  readonly #byPosition = new Map<number, PendingCall>();

  /**
   * The call that the piece belongs to, with the piece added.
   * @throws MessagesError when there are more calls than any response has
   */
  take(piece: CallPiece): PendingCall {
    const known = this.#find(piece);
    const call = known === null || isAnotherCall(known, piece) ? this.#open(piece) : known;
    this.#remember(call, piece);
    takeIdAndName(call, piece);
    call.addArguments(piece.arguments);
    return call;
  }

  #find({ index, id, position }: CallPiece): PendingCall | null {
    if (index !== null) {
      return this.#byIndex.get(index) ?? null;
    }
    return (id === null ? this.#byPosition.get(position) : this.#byId.get(id)) ?? null;
  }

  #open(piece: CallPiece): PendingCall {
    if (this.calls.length === callsMax) {
      throw badUpstreamResponse("The provider's response has too many tool calls.");
    }
    const call = new PendingCall(piece.index ?? this.calls.length, piece.id ?? "");
    const next = this.calls.findIndex((other) => other.order > call.order);
    this.calls.splice(next === -1 ? this.calls.length : next, 0, call);
    return call;
  }

  #remember(call: PendingCall, { index, id, position }: CallPiece): void {
    if (index !== null) {
      this.#byIndex.set(index, call);
    }
    if (id !== null) {
      this.#byId.set(id, call);
    }
    this.#byPosition.set(position, call);
  }
}

/**
 * Whether the piece begins a new call although an earlier one has its index. Names and ids alone are often repeated.
 */
function isAnotherCall(known: PendingCall, { index, id, name }: CallPiece): boolean {
  if (name === null) {
    return false;
  }
  if (id !== null && known.id !== "" && id !== known.id) {
    return true;
  }
  const isUnnumbered = index === null && id === null;
  return id === null && known.isComplete && (isUnnumbered || name !== known.name);
}

/** The first id and name count. A name may come in pieces, until arguments follow. */
function takeIdAndName(call: PendingCall, { id, name }: CallPiece): void {
  if (call.id === "" && id !== null) {
    call.id = id;
  }
  if (name === null) {
    return;
  }
  if (call.name === "") {
    call.name = name;
  } else if (call.arguments === "" && name !== call.name) {
    call.name += name;
  }
}

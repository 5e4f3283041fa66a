import type { GatewayResponse } from "../gateway/model.ts";
import type { AnswerReceiver } from "../gateway/port.ts";
import type { EdgeSettings } from "../platform/client-address.ts";
import type { FrontCall } from "./front-call.ts";

export type FrontResponse = Pick<GatewayResponse, "status" | "headers" | "body">;

/** What became of a request, or, if it was turned away, of a connection. */
export type FrontOutcome = "served" | "handed_over" | "refused" | "turned_away";

/** The other end of a connection. */
export type Peer = {
  /** IPv4 addresses are in IPv4 form, even on an IPv6 socket. */
  readonly address: string;
  /** Whether it is an edge, which says whose calls it passes on. */
  readonly isEdge: boolean;
};

/** What the front is for. */
export type FrontWork = {
  readonly targets: readonly string[];
  /** The receiver is called once, after this has returned. */
  serve(call: FrontCall, receiver: AnswerReceiver<FrontResponse>): void;
  count(outcome: FrontOutcome): void;
  /** The response in place of one that can't be made or written. */
  fail(target: string, error: unknown): FrontResponse;
  /** The response to a request whose head is illegal. */
  refuse(target: string): FrontResponse;
};

export type FrontSettings = {
  readonly hostname: string;
  readonly port: number;
  /** Larger bodies are for the runtime's server. */
  readonly bodyBytesMax: number;
  /**
   * Memory of unfinished requests in all connections: above it, they are for the runtime's server, too. Requests that wait
   * for the one before them have as much again: above it, their clients are cut.
   */
  readonly heldBytesMax: number;
  /** How long the head of a request may take to arrive. */
  readonly headTimeoutMs: number;
  /** How long a connection may be idle between two requests. */
  readonly idleTimeoutMs: number;
  /** How long a client may read nothing of what waits for it. */
  readonly stallTimeoutMs: number;
  /** Connections of one address. */
  readonly connectionsMax: number;
  /** Connections of an edge are not counted, because each carries those of many clients. */
  readonly edge: EdgeSettings;
  /** Names of fields, in lower case, with which a request is handed over. */
  readonly rareFields: readonly string[];
  /** Headers that every response gets. */
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * - `receiving`: between two requests, or part of one has come.
 * - `busy`: a response is being made or written.
 * - `ending`: the last response is being written; what still comes is dropped.
 */
export type ConnectionState = "receiving" | "busy" | "ending" | "tunnel" | "closed";

import type { ServerSocketOwner } from "../platform/websocket/server-socket.ts";
import type { CallReport, GatewayAnswer, GatewayCall } from "./model.ts";

/** What the business relay knows of the upstream gateway: in the same process, or in another one over HTTP. */
export interface GatewayPort {
  /** Never throws: every failure is an answer in the dialect of the path. */
  handle(call: GatewayCall): Promise<GatewayAnswer>;
}

/** A session that a provider has accepted and the client not yet, or the answer that the client gets instead. */
export type RealtimeOpening =
  | { readonly kind: "refused"; readonly answer: GatewayAnswer }
  | {
      readonly kind: "open";
      /** Gets the client's connection; its `onClose` has to be called also when there never was one. */
      readonly session: ServerSocketOwner;
      /** For the answer that turns the connection into a websocket. */
      readonly headers: Record<string, string>;
      /** Whose session it is, as far as it is known at its beginning. */
      readonly report: CallReport;
    };

/** The same for sessions that last. */
export interface RealtimePort {
  /**
   * Never throws. The call reports when the session is over; its body is not read.
   */
  open(call: GatewayCall): Promise<RealtimeOpening>;
  /** Takes no more sessions; those that run end as soon as no response runs in them. */
  beginDrain(): void;
  /** Ends all sessions, whatever runs in them. */
  close(): Promise<void>;
}

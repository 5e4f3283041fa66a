import type { ServerSocketOwner } from "../platform/websocket/server-socket.ts";
import type { CallReport, GatewayCall, GatewayResponse } from "./model.ts";

/** Takes the response to a call. It must not throw. */
export interface AnswerReceiver<Answer = GatewayResponse> {
  onAnswer(answer: Answer): void;
}

/** The upstream gateway as the business relay sees it: in the same process, or in another one over HTTP. */
export interface GatewayPort {
  /** Never throws: every failure is a response in the dialect of the path. */
  handle(call: GatewayCall): Promise<GatewayResponse>;
  /** The same without a promise. The receiver is called once, after this has returned. */
  answer(call: GatewayCall, receiver: AnswerReceiver): void;
}

/** A session that a provider has accepted and the client has not yet, or the refusal to send to the client. */
export type RealtimeOpening =
  | { readonly kind: "refused"; readonly answer: GatewayResponse }
  | {
      readonly kind: "open";
      /** Receives the client's connection; its `onClose` must be called even if there never was one. */
      readonly session: ServerSocketOwner;
      /** For the response that upgrades the connection to a websocket. */
      readonly headers: Record<string, string>;
      /** The session's owner, as far as known at its beginning. */
      readonly report: CallReport;
    };

/** The same for realtime sessions. */
export interface RealtimePort {
  /** Never throws. The call's report is made when the session is over; its body is not read. */
  open(call: GatewayCall): Promise<RealtimeOpening>;
  /** Accepts no more sessions; running ones end as soon as no response is in progress. */
  beginDrain(): void;
  /** Ends all sessions, even with responses in progress. */
  close(): Promise<void>;
}

/** A call that differs from another in some of its parts. */
export function changedCall(call: GatewayCall, changes: Partial<GatewayCall>): GatewayCall {
  const { requestId, method, path, query, headers, clientIp, signal, startedAtMs, startedTick } = call;
  return {
    ...{ requestId, method, path, query, headers, clientIp, signal, startedAtMs, startedTick },
    readBody: (counter) => call.readBody(counter),
    traits: () => call.traits?.() ?? null,
    postscript: () => call.postscript?.() ?? null,
    onReport: (report) => call.onReport(report),
    onUnrecorded: (report) => call.onUnrecorded?.(report),
    ...changes,
  };
}

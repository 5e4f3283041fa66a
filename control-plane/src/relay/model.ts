import type { AbortNotice } from "@sluice/http-client/model";
import type { Bytes } from "@sluice/http-client/packet-part";
import type { CallHeaders, CallTraits, GatewayResponse } from "../gateway/model.ts";
import type { BodyLimits, ByteCounter } from "../platform/read-body.ts";

/** A call as a server has received it, whatever that server is: each implements this once, and nothing else differs. */
export interface IncomingCall {
  readonly method: string;
  /** Path and query exactly as on the request line. */
  readonly target: string;
  readonly headers: CallHeaders;
  readonly clientIp: string;
  /** Fires when the client is gone. */
  readonly signal: AbortNotice;
  /** The body, once it was read. */
  readonly body: Bytes | null;
  /** Its size if it is there already. */
  readonly bodyBytes?: number | undefined;
  /**
   * Reads the body; called at most once, and only after the key was found valid.
   * @param counter counts the bytes before they are accepted: all at once if their number was declared
   * @returns the bytes themselves if they are there
   * @throws AppError `request_too_large`, `request_timeout`, `client_closed_request`, and the counter's errors; or the
   * promise rejects with them
   */
  readBody(limits: BodyLimits, counter: ByteCounter | null): Bytes | Promise<Bytes>;
  /** The end of the response is about to be sent; called once. @param answerBytes of all of it */
  onOver(answerBytes: number): void;
}

/** The response to a call, and the id under which the call is recorded. */
export type IdentifiedAnswer = GatewayResponse & { readonly requestId: string };

/** How the gateway is asked a call that came to another address of ours. */
export type OtherAddress = {
  readonly method?: string;
  /** The path without the query. */
  readonly path: string;
  /** One set of headers for each credential that the client sent; the next one is tried when one is refused. */
  readonly headers: readonly CallHeaders[];
  /** The body for the gateway, made from the client's. @throws AppError */
  readonly toBody?: (body: Uint8Array) => Uint8Array;
  /** The limit for clients that may send less than usual. */
  readonly bodyBytesMax?: number;
  /** Called once the body was read. */
  readonly traits?: () => CallTraits | null;
  /** The response for the client, in place of a whole one of the gateway. */
  readonly toAnswer?: (answer: GatewayResponse, requestId: string) => OwnAnswer;
};

/** A response in place of the gateway's. */
export type OwnAnswer = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
  /** The model as the client named it, for the trace. */
  readonly model: string | null;
};

import type { CallTraits, GatewayResponse } from "../gateway/model.ts";

/** A call at another address of ours. */
export type AddressedCall = {
  readonly request: Request;
  /** Path and query exactly as on the request line. */
  readonly target: string;
  readonly clientIp: string;
  /** Called when the end of the response is about to be sent, with the total number of bytes. */
  readonly onOver: (answerBytes: number) => void;
};

/** How the gateway is asked a call that came to another address of ours. */
export type OtherAddress = {
  readonly method?: string;
  /** The path without the query. */
  readonly path: string;
  /** One set of headers for each credential that the client sent; the next one is tried when one is refused. */
  readonly headers: readonly Headers[];
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

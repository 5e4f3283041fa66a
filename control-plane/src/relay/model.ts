import type { ApiKeyId, RequestId } from "@sluice/contracts/ids";
import type { GatewayAnswer, UpstreamTraits } from "../gateway/model.ts";

/** What the gateway is asked in place of a call in another dialect. */
export type Translation = {
  readonly method: string;
  /** Without query. */
  readonly path: string;
  /** One set for each credential that the client sent: the next is tried when one is refused. */
  readonly headers: readonly Headers[];
  /**
   * The body for the gateway, made from the client's. Called after the key was found valid; what it throws ends the
   * call.
   * @throws AppError, or FreeAnswer when no provider is needed
   */
  readonly toBody: (body: Uint8Array) => Uint8Array | Promise<Uint8Array>;
  /** Where the client may send less than usual. */
  readonly bodyBytesMax?: number;
  /** Asked once the body is made. */
  readonly traits?: () => UpstreamTraits;
};

/** What the client got in place of the gateway's answer. */
export type ClientResponse = {
  readonly httpStatus: number;
  /** The first of the bytes. */
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  /** The model as the client named it, for calls that got no further than that. */
  readonly model: string | null;
};

export type TranslatedCall = {
  readonly requestId: RequestId;
  /** Whose call it is, once the gateway has answered; null for nobody's. */
  readonly caller: () => ApiKeyId | null;
  /** Never rejects. */
  readonly answer: Promise<GatewayAnswer>;
  /**
   * The client's body, for a translation that has none to send on.
   * @throws AppError `request_too_large`, `request_timeout`, `client_closed_request`
   */
  readonly readBody: () => Promise<Uint8Array>;
  /** Has to be called once the client has all that it gets, or is gone. Later calls count for nothing. */
  readonly respond: (response: ClientResponse) => void;
};

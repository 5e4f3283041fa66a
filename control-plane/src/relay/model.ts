import type { ApiKeyId, RequestId } from "@sluice/contracts/ids";
import type { GatewayResponse, UpstreamTraits } from "../gateway/model.ts";

/** The gateway request that replaces a call in another dialect. */
export type Translation = {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  /** The path that a body belongs to, once it was converted; `path` if it is not set. */
  readonly finalPath?: () => string;
  /** One set of headers for each credential that the client sent; the next one is tried when one is refused. */
  readonly headers: readonly Headers[];
  /**
   * The body for the gateway, converted from the client's. Called after the key was found valid; an exception ends the
   * call.
   * @throws AppError, or FreeAnswer when no provider is needed
   */
  readonly toBody: (body: Uint8Array) => Uint8Array | Promise<Uint8Array>;
  /** The limit for clients that may send less than usual. */
  readonly bodyBytesMax?: number;
  /** Called once the body was converted. */
  readonly traits?: () => UpstreamTraits;
};

/** The response that the client got in place of the gateway's. */
export type ClientResponse = {
  readonly httpStatus: number;
  /** The beginning of the bytes. */
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  /** The model as the client named it, for calls that got no further than that. */
  readonly model: string | null;
};

export type TranslatedCall = {
  readonly requestId: RequestId;
  /** The call's owner, once the gateway has responded; null if there is none. */
  readonly caller: () => ApiKeyId | null;
  /** Never rejects. */
  readonly answer: Promise<GatewayResponse>;
  /**
   * The client's body, for a translation that forwards none.
   * @throws AppError `request_too_large`, `request_timeout`, `client_closed_request`
   */
  readonly readBody: () => Promise<Uint8Array>;
  /** Asks the gateway something else for the same caller, with this body; its report is not recorded. Never rejects. */
  readonly ask: (path: string, body: Uint8Array) => Promise<GatewayResponse>;
  /** Must be called once the client has everything it gets, or is gone. Later calls have no effect. */
  readonly respond: (response: ClientResponse) => void;
};

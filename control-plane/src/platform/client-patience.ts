/** A connection's buffers accept this much even if the client reads nothing. */
const bufferedBytes = 65_536;
/** The server counts in whole seconds, and accepts no more than this. */
const secondsMax = 255;

/** How long a client may do nothing before its connection is closed. */
export type ClientPatience = {
  /** The limit while more of a response is left to read than fits into the connection's buffers. */
  readonly stallTimeoutMs: number;
  /** The limit between two requests, and while a request's head is arriving. */
  readonly idleTimeoutMs: number;
};

/** A timeout as the server expects it. */
export function serverSeconds(ms: number): number {
  return Math.min(secondsMax, Math.ceil(ms / 1000));
}

/** While a call runs, the client may be silent: other limits end the call. */
export function waitForCall(server: Bun.Server<unknown>, request: Request): void {
  server.timeout(request, 0);
}

/**
 * Hangs up on a client that stops reading the end of a response, or sends no further request after it. Nothing else
 * would notice that, because the server already has the whole response. Called when the last bytes of a response are
 * known. The next request on the connection starts with the server's limit again.
 */
export function waitForClient(
  server: Bun.Server<unknown>,
  request: Request,
  { bytes, patience }: { readonly bytes: number; readonly patience: ClientPatience },
): void {
  const { stallTimeoutMs, idleTimeoutMs } = patience;
  server.timeout(request, serverSeconds(bytes > bufferedBytes ? stallTimeoutMs : idleTimeoutMs));
}

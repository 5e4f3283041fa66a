/** What a connection's buffers accept although nothing is read. */
const takenAnywayBytes = 65_536;
/** The server counts in whole seconds, up to this. */
const secondsMax = 255;

/** How long a client may do nothing before its connection is closed. */
export type ClientPatience = {
  /** While more of a response is left to read than fits into the connection's buffers. */
  readonly stallTimeoutMs: number;
  /** Between two requests, and while a request's head is on its way. */
  readonly idleTimeoutMs: number;
};

/** A timeout as the server expects it. */
export function serverSeconds(ms: number): number {
  return Math.min(secondsMax, Math.ceil(ms / 1000));
}

/** While a call runs, its client's silence means nothing: the call's other limits end it. */
export function waitForCall(server: Bun.Server<unknown>, request: Request): void {
  server.timeout(request, 0);
}

/**
 * Hangs up on a client that stops reading the end of a response, and on one that sends no further request after it: the
 * server has everything by then, so nothing else would notice. Called when the last bytes of a response are known. The
 * next request on the connection starts with the server's limit again.
 */
export function waitForClient(
  server: Bun.Server<unknown>,
  request: Request,
  { bytes, patience }: { readonly bytes: number; readonly patience: ClientPatience },
): void {
  const { stallTimeoutMs, idleTimeoutMs } = patience;
  server.timeout(request, serverSeconds(bytes > takenAnywayBytes ? stallTimeoutMs : idleTimeoutMs));
}

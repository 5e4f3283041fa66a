/** What the buffers of a connection take over without anybody reading. */
const takenAnywayBytes = 65_536;
/** The server counts in whole seconds and no further than this. */
const secondsMax = 255;

/** How long a client may do nothing before its connection is closed. */
export type ClientPatience = {
  /** While there is more of an answer to read than fits into the buffers of the connection. */
  readonly stallTimeoutMs: number;
  /** Between two requests, and while the head of one is on its way. */
  readonly idleTimeoutMs: number;
};

/** A time as the server takes it. */
export function serverSeconds(ms: number): number {
  return Math.min(secondsMax, Math.ceil(ms / 1000));
}

/** While a call runs, silence of its client means nothing: the other limits of a call end it. */
export function waitForCall(server: Bun.Server<unknown>, request: Request): void {
  server.timeout(request, 0);
}

/**
 * Hangs up on a client that stops reading the end of an answer, and on one that sends no other request after it: the
 * server has everything by then, so nothing else would notice. Called when the last bytes of an answer are known. The
 * next request on the connection begins with the limit of the server again.
 */
export function waitForClient(
  server: Bun.Server<unknown>,
  request: Request,
  { bytes, patience }: { readonly bytes: number; readonly patience: ClientPatience },
): void {
  const { stallTimeoutMs, idleTimeoutMs } = patience;
  server.timeout(request, serverSeconds(bytes > takenAnywayBytes ? stallTimeoutMs : idleTimeoutMs));
}

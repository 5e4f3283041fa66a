/** What the buffers of a connection take over without anybody reading. */
const takenAnywayBytes = 65_536;
/** The server counts in whole seconds and no further than this. */
const secondsMax = 255;

/**
 * Hangs up on a client that stops reading the end of an answer: everything is with the server by then, so that nobody
 * else would notice. Called when the last bytes of an answer are known; those that fit into the buffers of the connection
 * anyway are not worth it. The next request on the connection begins without a limit again.
 */
export function limitReading(
  server: Bun.Server<unknown>,
  request: Request,
  answer: { readonly bytes: number; readonly stallTimeoutMs: number },
): void {
  if (answer.bytes > takenAnywayBytes) {
    server.timeout(request, Math.min(secondsMax, Math.ceil(answer.stallTimeoutMs / 1000)));
  }
}

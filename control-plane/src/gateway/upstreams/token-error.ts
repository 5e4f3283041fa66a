/** There is no token or signature for a request. The message has nothing of the credential or of any response. */
export class TokenError extends Error {
  override name = "TokenError";
  /** Whether the credential itself was refused. */
  readonly isRefused: boolean;

  constructor(message: string, isRefused: boolean, cause?: unknown) {
    super(message, { cause });
    this.isRefused = isRefused;
  }
}

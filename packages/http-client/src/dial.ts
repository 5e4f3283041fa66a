export type DialOptions<Data> = {
  readonly hostname: string;
  readonly port: number;
  readonly tls: Bun.TLSOptions | null;
  /** The address of this host to connect from, or null for the system's choice. */
  readonly localAddress: string | null;
  readonly data: Data;
  readonly socket: Bun.SocketHandler<Data>;
};

/**
 * Begins to connect; the handlers get the outcome, and `onRefused` gets the reason if the attempt could not even begin.
 */
export function dial<Data>(options: DialOptions<Data>, onRefused: (reason: string) => void): void {
  const { tls, localAddress, ...target } = options;
  // The types of Bun 1.4.5 lack this option, but the runtime supports it; a test checks that.
  const bound = localAddress === null ? target : { ...target, localAddress };
  try {
    // The handlers learn of a failure as well, and a little earlier.
    (tls === null ? Bun.connect(bound) : Bun.connect({ ...bound, tls })).catch(() => undefined);
  } catch (error) {
    queueMicrotask(() => onRefused(errorCode(error)));
  }
}

export function errorCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "no reason given";
}

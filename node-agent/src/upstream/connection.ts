import { Http1ParseError, type Http1ResponseHead } from "@sluice/http-client/response-head";
import { Http1ResponseParser } from "@sluice/http-client/response-parser";
import { type Destination, UpstreamError } from "./model.ts";

/** The call that owns a connection, from its first byte to the last byte of the response. */
export interface ConnectionUser {
  onSent(): void;
  onPacket(): void;
  onHead(head: Http1ResponseHead): void;
  onBody(bytes: Uint8Array): void;
  /** From here on the connection no longer belongs to this user. */
  onComplete(isDelimited: boolean): void;
  onBroken(error: UpstreamError): void;
  onLost(): void;
}

export type ConnectionRoute = {
  /** Connections with the same key are interchangeable. */
  readonly key: string;
  readonly destination: Destination;
  /** The one checked address; the name is not resolved again. */
  readonly address: string;
  /** The local address to send from, or null for the system's choice. */
  readonly localAddress: string | null;
  /** PEM certificates that are trusted instead of the well-known authorities. */
  readonly tlsCa: string | null;
};

type BeginOptions = { readonly length: number; readonly isHead: boolean; readonly isWhole: boolean };
type Socket = Bun.Socket<Connection>;
type PendingWrite = { bytes: Uint8Array<ArrayBuffer>; offset: number; settle: (isTaken: boolean) => void };

/** One TCP or TLS connection and the position in the HTTP/1.1 exchange that runs on it. */
export class Connection {
  readonly route: ConnectionRoute;
  isReused = false;
  idleSinceMs = 0;
  readonly #parser: Http1ResponseParser;
  readonly #onReleased: (connection: Connection) => void;
  readonly #onClosed: (connection: Connection) => void;
  #state: "connecting" | "open" | "closed" = "connecting";
  #socket: Socket | null = null;
  #user: ConnectionUser | null = null;
  #opened: { resolve: () => void; reject: (error: UpstreamError) => void } | null = null;
  #pending: PendingWrite | null = null;
  #isRequestSent = false;
  #isKeepAlive = false;
  #isDelimited = true;
  #isPaused = false;

  constructor(
    route: ConnectionRoute,
    onReleased: (connection: Connection) => void,
    onClosed: (connection: Connection) => void,
  ) {
    this.route = route;
    this.#onReleased = onReleased;
    this.#onClosed = onClosed;
    this.#parser = new Http1ResponseParser(this);
  }

  /** The local address of the connection. */
  get localAddress(): string | null {
    return this.#socket?.localAddress ?? null;
  }

  /** @throws UpstreamError of kind `unreachable` or `tls` */
  open(): Promise<void> {
    const { destination, address, localAddress, tlsCa } = this.route;
    const target = { hostname: address, port: destination.port, data: this as Connection };
    // Not in the types of Bun 1.4.5, but supported by it; a test checks that.
    const bound = localAddress === null ? target : { ...target, localAddress };
    const tls = {
      serverName: destination.hostname,
      rejectUnauthorized: true,
      ...(tlsCa === null ? {} : { ca: tlsCa }),
    };
    return new Promise((resolve, reject) => {
      this.#opened = { resolve, reject };
      const connecting =
        destination.protocol === "https:"
          ? Bun.connect({ ...bound, tls, socket: tlsHandlers })
          : Bun.connect({ ...bound, socket: plainHandlers });
      connecting.catch((error: unknown) => this.failOpening("unreachable", error));
    });
  }

  /**
   * Sends the first `length` bytes, which the caller may overwrite afterwards.
   * @returns false when the connection turns out to be closed and nothing went out
   */
  begin(user: ConnectionUser, bytes: Uint8Array<ArrayBuffer>, options: BeginOptions): boolean {
    const socket = this.#socket;
    if (this.#state !== "open" || socket === null) {
      return false;
    }
    this.#parser.begin(options.isHead);
    const { length } = options;
    const taken = socket.write(bytes, 0, length);
    if (taken < 0) {
      this.#destroy();
      return false;
    }
    this.#user = user;
    this.#isRequestSent = options.isWhole && taken === length;
    user.onSent();
    if (taken < length) {
      const settle = options.isWhole ? () => this.finishRequest() : () => undefined;
      this.#pending = { bytes: new Uint8Array(bytes.subarray(taken, length)), offset: 0, settle };
    }
    return true;
  }

  /**
   * Sends one more piece of the body. @returns once the system accepted it: false when the connection is lost instead
   */
  async write(bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    while (this.#pending !== null) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const { settle } = this.#pending;
      this.#pending.settle = (isTaken) => {
        settle(isTaken);
        resolve(isTaken);
      };
      if (!(await promise)) {
        return false;
      }
    }
    const socket = this.#socket;
    if (this.#state !== "open" || socket === null || this.#user === null) {
      return false;
    }
    const taken = socket.write(bytes);
    if (taken < 0) {
      return false;
    }
    this.#user.onSent();
    if (taken === bytes.length) {
      return true;
    }
    return new Promise((settle) => {
      this.#pending = { bytes, offset: taken, settle };
    });
  }

  /** The whole request was sent, so the connection may serve another one after the response. */
  finishRequest(): void {
    this.#isRequestSent = true;
  }

  pause(): void {
    if (!this.#isPaused && this.#state === "open") {
      this.#isPaused = true;
      this.#socket?.pause();
    }
  }

  resume(): void {
    if (this.#isPaused && this.#state === "open") {
      this.#isPaused = false;
      this.#socket?.resume();
    }
  }

  /** Cuts the connection; its user gets no more callbacks. */
  abandon(): void {
    this.#user = null;
    this.#destroy();
  }

  onOpen(socket: Socket): void {
    this.#socket = socket;
    if (this.#state === "closed") {
      socket.terminate();
    } else if (this.route.destination.protocol === "http:") {
      this.#becomeOpen();
    }
  }

  onHandshake(socket: Socket, isTrusted: boolean, error: Error | null): void {
    if (this.#state !== "connecting") {
      return;
    }
    // No byte of a request, and above all no credential, is written before this point.
    if (isTrusted && socket.authorized) {
      this.#becomeOpen();
    } else {
      this.failOpening("tls", error);
    }
  }

  failOpening(kind: "unreachable" | "tls", cause: unknown): void {
    const opened = this.#opened;
    this.#opened = null;
    this.#destroy();
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "no reason given";
    const what =
      kind === "tls" ? "no trusted TLS connection could be established" : "the provider could not be reached";
    opened?.reject(new UpstreamError(kind, `${what}: ${code}`));
  }

  onData(bytes: Uint8Array): void {
    const user = this.#user;
    if (user === null) {
      // Nothing was requested, so the peer counts the responses differently than we do.
      this.#destroy();
      return;
    }
    user.onPacket();
    try {
      this.#feed(user, bytes);
    } catch (error) {
      if (!(error instanceof Http1ParseError)) {
        throw error;
      }
      this.abandon();
      user.onBroken(new UpstreamError(error.kind, error.message));
    }
  }

  onDrain(): void {
    const pending = this.#pending;
    if (pending === null || this.#socket === null) {
      return;
    }
    const taken = this.#socket.write(pending.bytes, pending.offset, pending.bytes.length - pending.offset);
    if (taken > 0) {
      pending.offset += taken;
      this.#user?.onSent();
    }
    if (pending.offset === pending.bytes.length) {
      this.#pending = null;
      pending.settle(true);
    }
  }

  onEnded(isReset: boolean): void {
    if (this.#state === "connecting") {
      this.failOpening("unreachable", null);
      return;
    }
    const user = this.#user;
    this.abandon();
    if (user === null) {
      return;
    }
    if (!isReset && this.#parser.finish()) {
      user.onComplete(this.#isDelimited);
    } else {
      user.onLost();
    }
  }

  onHead(head: Http1ResponseHead): void {
    this.#isKeepAlive = head.isKeepAlive;
    this.#user?.onHead(head);
  }

  onBody(bytes: Uint8Array): void {
    this.#user?.onBody(bytes);
  }

  onComplete(isDelimited: boolean): void {
    this.#isDelimited = isDelimited;
  }

  #becomeOpen(): void {
    this.#state = "open";
    const opened = this.#opened;
    this.#opened = null;
    opened?.resolve();
  }

  /** The parser stops after the head, and continues in the same packet with the body. */
  #feed(user: ConnectionUser, bytes: Uint8Array): void {
    let offset = 0;
    do {
      offset = this.#parser.push(bytes, offset);
    } while (this.#user === user && offset < bytes.length && !this.#parser.isComplete);
    if (this.#user !== user || !this.#parser.isComplete) {
      return;
    }
    // With extra bytes, or a request that the peer did not read to its end, the connection is out of sync.
    const isInStep = offset === bytes.length && this.#isRequestSent && this.#isKeepAlive;
    this.#user = null;
    this.resume();
    if (isInStep) {
      this.isReused = true;
      this.#onReleased(this);
    } else {
      this.#destroy();
    }
    user.onComplete(this.#isDelimited);
  }

  #destroy(): void {
    const pending = this.#pending;
    this.#pending = null;
    if (this.#state !== "closed") {
      this.#state = "closed";
      this.#onClosed(this);
      this.#socket?.terminate();
    }
    pending?.settle(false);
  }
}

const plainHandlers: Bun.SocketHandler<Connection> = {
  binaryType: "uint8array",
  open: (socket) => socket.data.onOpen(socket),
  data: (socket, bytes) => socket.data.onData(bytes),
  drain: (socket) => socket.data.onDrain(),
  end: (socket) => socket.data.onEnded(false),
  close: (socket, error) => socket.data.onEnded(error !== undefined && error !== null),
  error: (socket) => socket.data.onEnded(true),
  connectError: (socket, error) => socket.data.failOpening("unreachable", error),
};

const tlsHandlers: Bun.SocketHandler<Connection> = {
  ...plainHandlers,
  handshake: (socket, isTrusted, error) => socket.data.onHandshake(socket, isTrusted, error),
};

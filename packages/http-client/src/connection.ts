import type { AddressGuard } from "./address-guard.ts";
import type { ConnectionUser } from "./connection-user.ts";
import type { DestinationOf } from "./destination.ts";
import { dial, errorCode } from "./dial.ts";
import { isStreamed } from "./model.ts";
import { lineEndBytes, onlyChunkStart } from "./only-chunk.ts";
import { encodeRequestHead } from "./request-head.ts";
import { RequestUpload } from "./request-upload.ts";
import { type RequestSender, RequestWriter } from "./request-writer.ts";
import { Http1ParseError, type Http1ResponseHead } from "./response-head.ts";
import { Http1ResponseParser } from "./response-parser.ts";
import { plainHandlers, type Socket, type SocketOwner, tlsHandlers } from "./socket-handlers.ts";
import { type PacketReader, turn } from "./turn.ts";
import { UnreadBytes } from "./unread-bytes.ts";

export type Destination = DestinationOf<Connection>;

export interface ConnectionKeeper {
  /** All requests are encoded in this buffer, because a write copies it synchronously. */
  readonly scratch: Buffer<ArrayBuffer>;
  /** Decides where names lead; null leaves that to the system. Addresses given with a request are not checked. */
  readonly guard: AddressGuard | null;
  readonly localAddress: string | null;
  /** The peer answered the attempt to connect. */
  onOpened(connection: Connection): void;
  /** The user left before the peer answered. */
  onAbandoned(connection: Connection): void;
  onReleased(connection: Connection): void;
  onClosed(connection: Connection): void;
}

/** One TCP or TLS connection and the position in the HTTP/1.1 exchange that runs on it. */
export class Connection implements SocketOwner, PacketReader, RequestSender {
  readonly destination: Destination;
  /** Whether the connection has been idle, so that the peer may have begun to close it when the request was sent. */
  isReused = false;
  begunMs = 0;
  isIdle = false;
  idleSinceMs = 0;
  /** How long the peer says that it keeps the connection open, or null. */
  keepAliveMsMax: number | null = null;
  readonly #keeper: ConnectionKeeper;
  readonly #parser: Http1ResponseParser;
  #state: "connecting" | "handshaking" | "open" | "closed" = "connecting";
  #socket: Socket | null = null;
  #user: ConnectionUser | null = null;
  readonly #writer = new RequestWriter(this);
  /** Packets that were read and are not yet processed. */
  #waitingPackets = 0;
  /** Bytes that arrived before the user asked for the body, or while it has paused the body. */
  readonly #unread = new UnreadBytes();
  #isReadPaused = false;
  #isFeeding = false;
  #isBetweenChunks = false;
  #isKeepAlive = false;
  #isDelimited = true;
  #otherAddresses: readonly string[] = []; // of the name, which are tried when the current one does not answer
  #heldEnd: "finished" | "reset" | null = null; // how the connection ended while bytes were still held back

  constructor(destination: Destination, keeper: ConnectionKeeper) {
    this.destination = destination;
    this.#keeper = keeper;
    this.#parser = new Http1ResponseParser(this, destination.lines);
  }

  /** The number of bytes of the current request that the socket has accepted. */
  get acceptedBytes(): number {
    return this.#writer.acceptedBytes;
  }

  get localAddress(): string | null {
    return this.#socket?.localAddress ?? null;
  }

  /** Connects, and then sends the request of `user`, unless the user has left meanwhile. */
  connect(user: ConnectionUser): void {
    this.#user = user;
    const { hostname, port, address } = this.destination;
    const { guard } = this.#keeper;
    if (guard === null || address !== null) {
      this.#dial([address ?? hostname]);
      return;
    }
    guard.addressesOf({ hostname, port }).then(
      (addresses) => this.#dial(addresses),
      (error: Error) => this.failConnect("unreachable", error.message, error),
    );
  }

  /** Tries the first of the addresses, and the others when it refuses. */
  #dial([address = "", ...others]: readonly string[]): void {
    if (this.#state === "closed") {
      return;
    }
    this.#otherAddresses = others;
    const { port, tls } = this.destination;
    const socket = tls === null ? plainHandlers : tlsHandlers;
    const { localAddress } = this.#keeper;
    dial({ hostname: address, port, tls, localAddress, data: this as SocketOwner, socket }, (reason) =>
      this.failConnect("unreachable", reason),
    );
  }

  /** Sends a request whose head is already in the scratch buffer. */
  start(user: ConnectionUser, headLength: number): void {
    this.#user = user;
    this.#parser.begin(user.request.method === "HEAD");
    if (this.#socket === null) {
      this.#onLost(true);
    } else {
      this.#writer.start(this.#socket, this.#keeper.scratch, headLength, user.request.body);
    }
  }

  onBegun(isOpen: boolean): void {
    const user = this.#user;
    if (this.#writer.acceptedBytes > 0) {
      user?.onRequestProgress();
    }
    if (!isOpen) {
      this.#onLost(true);
    } else if (user !== null && isStreamed(user.request.body)) {
      user.onUpload(new RequestUpload(user.request.body, this));
    }
  }

  sendPiece(piece: Uint8Array<ArrayBuffer>): boolean {
    const socket = this.#state === "open" ? this.#socket : null;
    if (socket !== null && this.#writer.add(socket, piece)) {
      this.#user?.onRequestProgress();
    }
    return socket !== null && this.#writer.isDrained;
  }

  finishRequest(): void {
    this.#writer.finish();
  }

  /** Delivers nothing after the current piece of the body: the rest of its packet waits as well. */
  pauseReading(): void {
    if (!this.#isReadPaused) {
      this.#isReadPaused = true;
      this.#parser.isStopped = true;
      if (this.#state === "open") {
        this.#socket?.pause();
      }
    }
  }

  /** Delivers what was held back, and then reads the socket again. */
  resumeReading(): void {
    const wasPaused = this.#isReadPaused;
    const user = this.#user;
    this.#isReadPaused = false;
    this.#parser.isStopped = false;
    const unread = this.#unread.take();
    if (user !== null && unread !== null) {
      this.#feed(user, unread, this.#unread.start);
    }
    if (this.#isReadPaused) {
      return;
    }
    if (user !== null && this.#user === user && this.#heldEnd !== null && !this.#isFeeding) {
      this.#endUser(user, this.#heldEnd === "reset");
    } else if (wasPaused && this.#state === "open") {
      this.#socket?.resume();
    }
  }

  /** The user gives up: nothing that still arrives on this connection belongs to a user. */
  abandon(): void {
    this.#user = null;
    this.#unread.take();
    if (this.#state === "connecting") {
      // An attempt to connect can't be cancelled; if it succeeds, the connection serves the next request.
      this.#keeper.onAbandoned(this);
    } else {
      this.#destroy();
    }
  }

  /** Closes an idle connection in an orderly way. */
  close(): void {
    if (this.#state === "closed") {
      return;
    }
    this.#markClosed();
    this.#socket?.end();
    if (this.destination.tls !== null) {
      // Over TLS, the socket would otherwise wait for the peer's close message, which need not come.
      this.#socket?.terminate();
    }
  }

  onOpened(socket: Socket): void {
    this.#socket = socket;
    if (this.#state === "closed") {
      socket.terminate();
      return;
    }
    this.#keeper.onOpened(this);
    if (this.destination.tls === null) {
      this.#onReady();
    } else {
      this.#state = "handshaking";
    }
  }

  onHandshake(socket: Socket, isTrusted: boolean, error: Error | null): void {
    if (this.#state !== "handshaking") {
      return;
    }
    // No part of the request, and above all no credential, has been written before this point.
    if (isTrusted && socket.authorized) {
      this.#onReady();
    } else {
      this.failConnect("tls", errorCode(error));
    }
  }

  failConnect(kind: "unreachable" | "tls", reason: string, cause?: unknown): void {
    if (this.#state === "connecting" && this.#otherAddresses.length > 0) {
      this.#dial(this.#otherAddresses);
      return;
    }
    const user = this.#user;
    this.#user = null;
    this.#destroy();
    user?.onConnectFailed(kind, reason, cause);
  }

  /** The socket was read. What comes while no request is open must not be processed after the next one has begun. */
  onRead(packet: Buffer): void {
    if (this.#user === null) {
      // The peer counts the responses differently than we do.
      this.#destroy();
    } else {
      this.#waitingPackets += 1;
      turn.read(this, packet);
    }
  }

  onData(bytes: Buffer): void {
    this.#waitingPackets -= 1;
    const user = this.#user;
    user?.onPacket();
    if (user !== null && (user.isHolding || this.#isReadPaused)) {
      this.#unread.add(bytes);
      this.pauseReading();
    } else if (user !== null) {
      this.#feed(user, bytes, 0);
    }
  }

  onFailure(): void {
    this.onEnded(true);
  }

  onDrain(): void {
    if (!this.#writer.isDrained && this.#socket !== null && this.#writer.flush(this.#socket)) {
      this.#user?.onRequestProgress();
      if (this.#writer.isDrained) {
        this.#user?.onDrained();
      }
    }
  }

  /** Packets that came before the end are processed before it. An idle connection has none, and gets no request any more. */
  onEnded(isReset: boolean): void {
    if (this.#waitingPackets > 0) {
      turn.catchUp();
    }
    if (this.#state === "closed") {
      return;
    }
    if (this.#state === "open") {
      this.#onLost(isReset);
    } else {
      this.failConnect("tls", "the peer closed the connection during the handshake");
    }
  }

  onHead(head: Http1ResponseHead): void {
    this.#isKeepAlive = head.isKeepAlive;
    this.keepAliveMsMax = head.keepAliveMsMax;
    this.#user?.onHead(head);
  }

  onBody(packet: Buffer, start: number, end: number): void {
    this.#user?.onBody(packet, start, end);
  }

  onComplete(isDelimited: boolean): void {
    this.#isDelimited = isDelimited;
  }

  #onReady(): void {
    this.#state = "open";
    const user = this.#user;
    if (user === null) {
      this.#keeper.onReleased(this);
    } else {
      user.onConnected();
      this.start(user, encodeRequestHead(user.request, this.destination.host, this.#keeper.scratch));
    }
  }

  #feed(user: ConnectionUser, bytes: Buffer, start: number): void {
    // The parser is in cold memory when a chunk of a stream comes, and a packet with nothing else would not change it.
    const chunkStart = this.#isBetweenChunks ? onlyChunkStart(bytes, start) : 0;
    let end = bytes.length;
    this.#isFeeding = true;
    try {
      if (chunkStart > 0) {
        user.onBody(bytes, chunkStart, end - lineEndBytes);
      } else {
        end = this.#parser.push(bytes, start);
      }
    } catch (error) {
      if (!(error instanceof Http1ParseError)) {
        throw error;
      }
      this.#user = null;
      this.#destroy();
      user.onMalformed(error);
      return;
    } finally {
      this.#isFeeding = false;
    }
    if (this.#user !== user) {
      return;
    }
    if (chunkStart === 0) {
      this.#isBetweenChunks = this.#parser.isBetweenChunks;
      this.#endPush(user, bytes, end);
    }
    user.onPacketRead();
  }

  /** The parser has read the packet up to `end`. */
  #endPush(user: ConnectionUser, bytes: Buffer, end: number): void {
    if (this.#parser.isComplete) {
      this.#completeUser(user, end === bytes.length && this.#waitingPackets === 0);
    } else if (end < bytes.length) {
      this.#unread.keep(bytes, end);
    } else if (this.#parser.isBetweenHeads) {
      user.onInformational();
    }
  }

  #completeUser(user: ConnectionUser, isInStep: boolean): void {
    this.#user = null;
    // A connection with surplus bytes, or with a request that the peer did not read to its end, is out of step.
    if (isInStep && this.#isKeepAlive && this.#writer.isFinished && this.#heldEnd === null) {
      this.resumeReading();
      this.#keeper.onReleased(this);
    } else if (isInStep) {
      this.close();
    } else {
      this.#destroy();
    }
    user.onComplete(this.#isDelimited);
  }

  #onLost(isReset: boolean): void {
    const user = this.#user;
    if (user !== null && (user.isHolding || !this.#unread.isEmpty)) {
      this.#heldEnd = isReset ? "reset" : "finished";
      this.#markClosed();
      return;
    }
    this.#endUser(user, isReset);
  }

  #endUser(user: ConnectionUser | null, isReset: boolean): void {
    this.#user = null;
    this.#destroy();
    if (!isReset && this.#parser.finish()) {
      user?.onComplete(this.#isDelimited);
    } else {
      user?.onConnectionLost();
    }
  }

  #destroy(): void {
    if (this.#state !== "closed") {
      this.#markClosed();
      this.#socket?.terminate();
    }
  }

  #markClosed(): void {
    if (this.#state !== "closed") {
      this.#state = "closed";
      this.#writer.cancel();
      this.#keeper.onClosed(this);
    }
  }
}

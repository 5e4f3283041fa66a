import { type HttpRequest, isStreamed } from "./model.ts";
import { copyBytes, viewOf } from "./packet-part.ts";
import { type HeldWriter, turn } from "./turn.ts";

export interface WritableSocket {
  /** The number of bytes accepted, less than `length` when the socket is full; negative when it is closed. */
  write(bytes: Uint8Array<ArrayBuffer>, offset: number, length: number): number;
}

/** Sends requests. */
export interface RequestSender {
  /** The beginning of the request was given to the socket. @param isOpen false if the socket is closed */
  onBegun(isOpen: boolean): void;
}

// Copying a body of this size next to its head is cheaper than a second system call and a second packet.
const inlineBytesMax = 64 * 1024;

/** Writes one request after the other to a socket, as much as it accepts at a time. */
export class RequestWriter implements HeldWriter {
  readonly #sender: RequestSender;
  /** Where the beginning of the request goes later in this turn. */
  #heldFor: WritableSocket | null = null;
  #acceptedBytes = 0;
  /** Null if the socket has accepted all of it, as nearly always: a list is not looked at for that. */
  #unsent: Uint8Array<ArrayBuffer>[] | null = null;
  #isOpenEnded = false;
  #offset = 0;

  constructor(sender: RequestSender) {
    this.#sender = sender;
  }

  /** Bytes of the current request written to the socket. */
  get acceptedBytes(): number {
    return this.#acceptedBytes;
  }

  /** Whether the socket accepted everything so far. */
  get isDrained(): boolean {
    return this.#unsent === null;
  }

  get isFinished(): boolean {
    return this.#unsent === null && !this.#isOpenEnded && this.#heldFor === null;
  }

  /**
   * Sends the head at the beginning of `scratch`, and the body, now or later in this turn. The scratch buffer is free again
   * afterwards.
   * @param content its pieces follow in calls of `add`, until `finish`, if it is a stream
   */
  start(socket: WritableSocket, scratch: Buffer<ArrayBuffer>, headLength: number, content: HttpRequest["body"]): void {
    const body = isStreamed(content) ? null : content;
    const bodyLength = body === null ? 0 : body.byteLength;
    const isInline = headLength + bodyLength <= inlineBytesMax;
    let length = headLength;
    if (body !== null && isInline) {
      copyBytes(body, scratch, headLength);
      length += bodyLength;
    }
    this.#acceptedBytes = 0;
    this.#isOpenEnded = isStreamed(content);
    if (isInline && turn.hold(this, scratch, 0, length)) {
      this.#heldFor = socket;
      return;
    }
    const isOpen = this.#send(socket, scratch, 0, length);
    if (body !== null && !isInline) {
      this.#keep(viewOf(body));
      if (this.#acceptedBytes === length) {
        this.flush(socket);
      }
    }
    this.#sender.onBegun(isOpen);
  }

  writeHeld(memory: Buffer<ArrayBuffer>, start: number, length: number): void {
    const socket = this.#heldFor;
    if (socket !== null) {
      this.#heldFor = null;
      this.#sender.onBegun(this.#send(socket, memory, start, length));
    }
  }

  /** Sends nothing more of a request that is held. */
  cancel(): void {
    this.#heldFor = null;
  }

  /** @returns false when the socket is closed */
  #send(socket: WritableSocket, memory: Buffer<ArrayBuffer>, start: number, length: number): boolean {
    const accepted = socket.write(memory, start, length);
    this.#acceptedBytes = Math.max(0, accepted);
    if (accepted < length) {
      // This is a copy: `slice` of a Buffer would be a view, and the next request overwrites the buffer.
      this.#keep(new Uint8Array(memory.subarray(start + this.#acceptedBytes, start + length)));
    }
    return accepted >= 0;
  }

  /** @returns the result of `flush` */
  add(socket: WritableSocket, piece: Uint8Array<ArrayBuffer>): boolean {
    this.#keep(piece);
    return this.flush(socket);
  }

  #keep(piece: Uint8Array<ArrayBuffer>): void {
    this.#unsent ??= [];
    this.#unsent.push(piece);
  }

  finish(): void {
    this.#isOpenEnded = false;
  }

  /**
   * @returns whether the socket accepted anything. If it is full, a drain event follows; if it is closed, its end event
   */
  flush(socket: WritableSocket): boolean {
    const unsent = this.#unsent ?? [];
    const acceptedBefore = this.#acceptedBytes;
    let bytes = unsent[0];
    while (bytes !== undefined) {
      const accepted = socket.write(bytes, this.#offset, bytes.length - this.#offset);
      if (accepted <= 0) {
        break;
      }
      this.#acceptedBytes += accepted;
      this.#offset += accepted;
      if (this.#offset === bytes.length) {
        unsent.shift();
        this.#offset = 0;
        bytes = unsent[0];
      }
    }
    if (unsent.length === 0) {
      this.#unsent = null;
    }
    return this.#acceptedBytes > acceptedBefore;
  }
}

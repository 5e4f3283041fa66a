import { type Bytes, copyBytes, viewOf } from "./packet-part.ts";

export interface WritableSocket {
  /** The number of bytes accepted, less than `length` when the socket is full; negative when it is closed. */
  write(bytes: Uint8Array<ArrayBuffer>, offset: number, length: number): number;
}

// Copying a body of this size next to its head is cheaper than a second system call and a second packet.
const inlineBytesMax = 64 * 1024;

/** Writes one request after the other to a socket, as much as it accepts at a time. */
export class RequestWriter {
  #acceptedBytes = 0;
  #unsent: Uint8Array<ArrayBuffer>[] = [];
  #isOpenEnded = false;
  #offset = 0;

  /** Bytes of the current request written to the socket. */
  get acceptedBytes(): number {
    return this.#acceptedBytes;
  }

  /** Whether the socket accepted everything so far. */
  get isDrained(): boolean {
    return this.#unsent.length === 0;
  }

  get isFinished(): boolean {
    return this.#unsent.length === 0 && !this.#isOpenEnded;
  }

  /**
   * Sends the head at the beginning of `scratch`, and the body. The scratch buffer is free again afterwards.
   * @returns false when the socket is closed
   */
  start(socket: WritableSocket, scratch: Buffer<ArrayBuffer>, headLength: number, body: Bytes | null): boolean {
    const bodyLength = body === null ? 0 : body.byteLength;
    const isInline = headLength + bodyLength <= inlineBytesMax;
    let length = headLength;
    if (body !== null && isInline) {
      copyBytes(body, scratch, headLength);
      length += bodyLength;
    }
    const accepted = socket.write(scratch, 0, length);
    this.#acceptedBytes = Math.max(0, accepted);
    if (accepted < length) {
      // This is a copy: `slice` of a Buffer would be a view, and the next request overwrites the buffer.
      this.#unsent.push(new Uint8Array(scratch.subarray(this.#acceptedBytes, length)));
    }
    if (body !== null && !isInline) {
      this.#unsent.push(viewOf(body));
      if (accepted === length) {
        this.flush(socket);
      }
    }
    return accepted >= 0;
  }

  /** The body follows in calls of `add`, until `finish`. */
  leaveOpen(): void {
    this.#isOpenEnded = true;
  }

  /** @returns the result of `flush` */
  add(socket: WritableSocket, piece: Uint8Array<ArrayBuffer>): boolean {
    this.#unsent.push(piece);
    return this.flush(socket);
  }

  finish(): void {
    this.#isOpenEnded = false;
  }

  /**
   * @returns whether the socket accepted anything. If it is full, a drain event follows; if it is closed, its end event
   */
  flush(socket: WritableSocket): boolean {
    const acceptedBefore = this.#acceptedBytes;
    let bytes = this.#unsent[0];
    while (bytes !== undefined) {
      const accepted = socket.write(bytes, this.#offset, bytes.length - this.#offset);
      if (accepted <= 0) {
        break;
      }
      this.#acceptedBytes += accepted;
      this.#offset += accepted;
      if (this.#offset === bytes.length) {
        this.#unsent.shift();
        this.#offset = 0;
        bytes = this.#unsent[0];
      }
    }
    return this.#acceptedBytes > acceptedBefore;
  }
}

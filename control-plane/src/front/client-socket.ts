import { hasPassed } from "@sluice/http-client/deadline-ticker";
import { type HeldWriter, turn } from "@sluice/http-client/turn";
import type { StreamOutlet } from "./chunked-answer.ts";
import { chunkFrameBytes, frameChunk, type Parts } from "./response-head.ts";

/** How long the other side may take to close its end after ours. */
const lingerMs = 2_000;

/** Parts are put together here: a buffer for each would be garbage as soon as it is written. */
const scratch = Buffer.allocUnsafe(65_536);

/** The socket of a client: takes whatever is written, and shows when it is read. */
export class ClientSocket implements HeldWriter, StreamOutlet {
  readonly #socket: Bun.Socket<unknown>;
  readonly #clock: { readonly nowMs: number };
  /** What the kernel has not yet accepted. */
  #backlog: Buffer[] = [];
  /** Their sum, which shows whether anything waits without a look at the list. */
  #backlogBytes = 0;
  /** When the backlog last became shorter. */
  #progressMs = 0;
  #isPaused = false;
  /** It is closed once the backlog is written. */
  #isEnding = false;
  #hasEnded = false;
  /** How many writes wait for the end of this turn. */
  #heldWrites = 0;

  constructor(socket: Bun.Socket<unknown>, clock: { readonly nowMs: number }) {
    this.#socket = socket;
    this.#clock = clock;
  }

  get hasBacklog(): boolean {
    return this.#backlogBytes > 0;
  }

  get backlogBytes(): number {
    return this.#backlogBytes;
  }

  /** @returns false if bytes have to wait; they must not be changed until they are gone */
  write(bytes: Buffer): boolean {
    this.#writeHeldNow();
    if (this.#backlogBytes > 0) {
      this.#backlog.push(bytes);
      this.#backlogBytes += bytes.length;
      return false;
    }
    const written = this.#socket.write(bytes);
    if (written === bytes.length) {
      return true;
    }
    this.#keep(bytes.subarray(Math.max(0, written)), written);
    return false;
  }

  /** Writes all of it at once, from memory that the next write uses again. */
  writeParts(parts: Parts): void {
    const length = parts.before.length + parts.bytes + parts.after.length;
    if (length > scratch.length || this.#backlogBytes > 0) {
      const own = Buffer.allocUnsafe(length);
      join(parts, own);
      this.write(own);
      return;
    }
    join(parts, scratch);
    this.#writeNow(scratch, 0, length);
  }

  /** Writes the first bytes of memory that the next write uses again. */
  writeFrom(memory: Buffer, length: number): void {
    if (this.#backlogBytes > 0) {
      this.write(Buffer.from(memory.subarray(0, length)));
    } else {
      this.#writeNow(memory, 0, length);
    }
  }

  /** The same for the bytes of a packet from `start` to `end`, as one chunk of a response. */
  writeChunk(packet: Buffer, start: number, end: number): void {
    const bytes = end - start;
    if (bytes + chunkFrameBytes > scratch.length || this.#backlogBytes > 0) {
      const own = Buffer.allocUnsafe(bytes + chunkFrameBytes);
      this.write(own.subarray(0, frameChunk(packet, start, end, own)));
      return;
    }
    this.#writeNow(scratch, 0, frameChunk(packet, start, end, scratch));
  }

  /** The bytes of a packet from `start` to `end` as they are, which must not change in this turn. */
  writePart(packet: Buffer, start: number, end: number): void {
    if (this.#backlogBytes > 0) {
      this.write(Buffer.copyBytesFrom(packet, start, end - start));
    } else if (turn.holdPart(this, packet, start, end - start)) {
      this.#heldWrites += 1;
    } else {
      this.#writeHeldNow();
      this.#send(packet, start, end - start);
    }
  }

  writeHeld(memory: Buffer, start: number, length: number): void {
    this.#heldWrites -= 1;
    this.#send(memory, start, length);
  }

  /** Writes it while nothing waits, or later in this turn. */
  #writeNow(memory: Buffer, start: number, length: number): void {
    if (turn.hold(this, memory, start, length)) {
      this.#heldWrites += 1;
    } else {
      this.#writeHeldNow();
      this.#send(memory, start, length);
    }
  }

  /** What is held goes out before anything else. */
  #writeHeldNow(): void {
    if (this.#heldWrites > 0) {
      turn.flush();
    }
  }

  #send(memory: Buffer, start: number, length: number): void {
    if (this.#backlogBytes > 0) {
      this.#backlog.push(Buffer.copyBytesFrom(memory, start, length));
      this.#backlogBytes += length;
      return;
    }
    const written = this.#socket.write(memory, start, length);
    if (written !== length) {
      const accepted = Math.max(0, written);
      this.#keep(Buffer.copyBytesFrom(memory, start + accepted, length - accepted), written);
    }
  }

  #keep(rest: Buffer, written: number): void {
    this.#backlog.push(rest);
    this.#backlogBytes = rest.length;
    this.#progressMs = this.#clock.nowMs;
    this.#leaveIfGone(written);
  }

  /** @param written negative if the client has left: while reading is paused, nothing else says so */
  #leaveIfGone(written: number): void {
    if (written < 0 && !this.#hasEnded) {
      // Not before the write has returned: its caller would end within it.
      queueMicrotask(() => this.terminate());
    }
  }

  /** The kernel accepts bytes again. @returns whether all of them are written */
  drain(): boolean {
    for (let next = this.#backlog[0]; next !== undefined; next = this.#backlog[0]) {
      const written = this.#socket.write(next);
      if (written > 0) {
        this.#progressMs = this.#clock.nowMs;
        this.#backlogBytes -= written;
      }
      if (written < next.length) {
        this.#backlog[0] = next.subarray(Math.max(0, written));
        this.#leaveIfGone(written);
        return false;
      }
      this.#backlog.shift();
    }
    if (this.#isEnding) {
      this.#shut();
    }
    return true;
  }

  pause(): void {
    if (!this.#isPaused) {
      this.#isPaused = true;
      this.#socket.pause();
    }
  }

  resume(): void {
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#socket.resume();
    }
  }

  /**
   * Ends the connection once everything is written. The client's end stays open for a moment: a connection that is
   * closed with unread bytes is reset, and the client loses the response.
   */
  end(): void {
    this.#writeHeldNow();
    this.#isEnding = true;
    this.resume();
    if (!this.hasBacklog) {
      this.#shut();
    }
  }

  /** Closes the connection of a late client. What the kernel has accepted is still delivered to one that reads slowly. */
  leave(): void {
    this.#writeHeldNow();
    if (this.hasBacklog) {
      this.terminate();
    } else {
      this.#socket.end();
    }
  }

  /** Closes the connection, whatever waits to be written. */
  terminate(): void {
    this.#writeHeldNow();
    this.#backlog = [];
    this.#backlogBytes = 0;
    this.#socket.terminate();
  }

  /** Whether the client has read nothing for too long, or keeps its end open after ours. */
  isLate(stallTimeoutMs: number): boolean {
    const { nowMs } = this.#clock;
    if (this.hasBacklog) {
      return hasPassed(stallTimeoutMs, this.#progressMs, nowMs);
    }
    return this.#hasEnded && hasPassed(lingerMs, this.#progressMs, nowMs);
  }

  #shut(): void {
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      this.#progressMs = this.#clock.nowMs;
      this.#socket.shutdown();
    }
  }
}

function join({ before, pieces, after }: Parts, target: Buffer): void {
  let at = target.write(before, 0, "latin1");
  for (const piece of pieces) {
    target.set(piece, at);
    at += piece.byteLength;
  }
  if (after !== "") {
    target.write(after, at, "latin1");
  }
}

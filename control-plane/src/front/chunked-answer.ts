import { cutBytes } from "@sluice/http-client/cut-bytes";
import { type AnswerSink, type AnswerStream, leaveStream } from "../platform/answer-stream.ts";
import { chunkEndBytes, chunkParts, chunkStart, type Parts } from "./response-head.ts";

/** The socket that a stream is written to. */
export interface StreamOutlet {
  /** Bytes that the client has not taken. */
  readonly backlogBytes: number;
  writeParts(parts: Parts): void;
  /** The bytes of a packet from `start` to `end`, as one chunk. */
  writeChunk(packet: Buffer, start: number, end: number): void;
  /** The bytes of a packet from `start` to `end`, which are chunks already. */
  writePart(packet: Buffer, start: number, end: number): void;
}

/** The connection with that socket. Chunks are written without it, because it is in cold memory when one comes. */
export interface StreamConnection {
  readonly outlet: StreamOutlet;
  /** The response is over; called once. @param isWhole false if it was broken off */
  onStreamEnd(isWhole: boolean): void;
  /** The stream has thrown something. */
  onStreamFailure(error: unknown): void;
}

const nothing = Buffer.alloc(0);

/**
 * The stream of a response on its way to the client: what comes in a packet, or in a turn, goes out in one write. That is one
 * chunk, unless the packet brought chunks that can be sent as they are.
 */
export class ChunkedAnswer implements AnswerSink {
  readonly #stream: AnswerStream;
  readonly #connection: StreamConnection;
  readonly #outlet: StreamOutlet;
  /** The head, until it is written. */
  #before: string;
  #pieces: Uint8Array[] = [];
  /** Where nothing else waits: the bytes of a packet, which are copied only when they are written. */
  #packet: Buffer = nothing;
  #start = 0;
  #end = 0;
  /** Where the packet has more than one chunk that can be sent as it is: where the size of the first begins; else -1. */
  #firstChunk = -1;
  #bytes = 0;
  #isFlushComing = false;
  #isOver = false;
  readonly #onTurn = (): void => {
    this.#isFlushComing = false;
    if (!this.#isOver) {
      this.#flush(false);
      this.#askOn();
    }
  };

  constructor(stream: AnswerStream, head: string, connection: StreamConnection) {
    this.#stream = stream;
    this.#before = head;
    this.#connection = connection;
    this.#outlet = connection.outlet;
  }

  /** Lets the stream begin. */
  begin(): void {
    this.#comeBack();
    this.#stream.sendTo(this);
  }

  get waitingBytes(): number {
    return this.#bytes + this.#outlet.backlogBytes;
  }

  push(piece: Uint8Array): void {
    if (!this.#isOver) {
      this.#add(piece);
      this.#comeBack();
    }
  }

  pushPart(packet: Buffer, start: number, end: number): void {
    if (this.#isOver) {
      return;
    }
    if (this.#bytes === 0) {
      this.#packet = packet;
      this.#start = start;
      this.#end = end;
      this.#bytes = end - start;
    } else if (!this.#follow(packet, start, end)) {
      this.#add(cutBytes(packet, start, end));
    }
  }

  /** Adds the next chunk of the packet. @returns false if it can't be sent as it is, together with the one before it */
  #follow(packet: Buffer, start: number, end: number): boolean {
    if (packet !== this.#packet || chunkStart(packet, start, end) !== this.#end + chunkEndBytes) {
      return false;
    }
    if (this.#firstChunk === -1) {
      this.#firstChunk = chunkStart(packet, this.#start, this.#end);
    }
    if (this.#firstChunk === -1) {
      return false;
    }
    this.#end = end;
    this.#bytes += end - start;
    return true;
  }

  flush(): void {
    if (this.#bytes > 0 && !this.#isOver) {
      this.#flush(false);
    }
  }

  close(): void {
    this.#finish(true);
  }

  break(): void {
    this.#finish(false);
  }

  /** The client has taken some of what waited for it. */
  onTaken(): void {
    if (!this.#isOver) {
      this.#askOn();
    }
  }

  /** The client has left. */
  onGone(): void {
    if (!this.#isOver) {
      this.#isOver = true;
      leaveStream(this.#stream, (error) => this.#connection.onStreamFailure(error));
    }
  }

  /** A stream that fails is broken off. Without being told, its call would never end. */
  #askOn(): void {
    try {
      this.#stream.onTaken();
    } catch (error) {
      this.#connection.onStreamFailure(error);
      if (!this.#isOver) {
        this.onGone();
        this.#flush(false);
        this.#connection.onStreamEnd(false);
      }
    }
  }

  #add(piece: Uint8Array): void {
    if (this.#firstChunk !== -1) {
      this.#flush(false);
    }
    this.#keepPacket();
    this.#pieces.push(piece);
    this.#bytes += piece.byteLength;
  }

  #comeBack(): void {
    if (!this.#isFlushComing) {
      this.#isFlushComing = true;
      queueMicrotask(this.#onTurn);
    }
  }

  #finish(isWhole: boolean): void {
    if (this.#isOver) {
      return;
    }
    this.#isOver = true;
    this.#flush(isWhole);
    this.#connection.onStreamEnd(isWhole);
  }

  /** The packet becomes the first of the pieces. */
  #keepPacket(): void {
    if (this.#packet !== nothing) {
      this.#pieces.push(cutBytes(this.#packet, this.#start, this.#end));
      this.#packet = nothing;
    }
  }

  #flush(isEnd: boolean): void {
    const before = this.#before;
    const bytes = this.#bytes;
    if (bytes === 0 && before === "" && !isEnd) {
      return;
    }
    this.#bytes = 0;
    if (this.#packet !== nothing && before === "" && !isEnd) {
      this.#flushPacket(this.#packet);
      return;
    }
    if (this.#firstChunk !== -1) {
      // Chunks that are sent as they are need a write of their own, after what is before them.
      if (before !== "") {
        this.#before = "";
        this.#outlet.writeParts(chunkParts(before, [], { bytes: 0, isEnd: false }));
      }
      this.#flushPacket(this.#packet);
      this.#flush(isEnd);
      return;
    }
    this.#keepPacket();
    const pieces = this.#pieces;
    this.#before = "";
    this.#pieces = [];
    this.#outlet.writeParts(chunkParts(before, pieces, { bytes, isEnd }));
  }

  /** To be called when nothing but the packet waits. */
  #flushPacket(packet: Buffer): void {
    const start = this.#start;
    const end = this.#end;
    const from = this.#firstChunk === -1 ? chunkStart(packet, start, end) : this.#firstChunk;
    this.#packet = nothing;
    this.#firstChunk = -1;
    if (from === -1) {
      this.#outlet.writeChunk(packet, start, end);
    } else {
      this.#outlet.writePart(packet, from, end + chunkEndBytes);
    }
  }
}

/** Receives packets. */
export interface PacketReader {
  onData(packet: Buffer): void;
  /** Is told what `onData` has thrown. */
  onFailure(error: unknown): void;
}

/** Has bytes that wait in the memory of the turn. */
export interface HeldWriter {
  /** Writes its bytes, from memory that may be used again. */
  writeHeld(memory: Buffer, start: number, length: number): void;
}

/** After this many packets their results are written, so that they do not wait for all the others. */
const packetsMax = 32;
/** At most this much waits to be processed: the runtime may read several megabytes from one socket before the next one. */
const waitingBytesMax = 1_048_576;
/** What is copied has to fit into the caches of a core. */
const copiesBytesMax = 131_072;
/** A larger piece takes longer to copy than to write, and whether its client keeps up should be known when it was written. */
const pieceBytesMax = 16_384;

/**
 * Sorts what a turn of the event loop brings by kind: the runtime first reads every socket that has something, then all packets
 * are processed, then everything that they led to is written. Doing the same many times in a row keeps its code in
 * the caches of the core: the kernel's code for a socket and our own for a call push each other out of them.
 */
export class Turn {
  readonly #schedule: (run: () => void) => void;
  #readers: PacketReader[] = [];
  #packets: Buffer[] = [];
  #waitingBytes = 0;
  #ends: (() => void)[] = [];
  #isScheduled = false;
  /** What is written now may wait, because this turn calls `flush`. */
  #isHolding = false;
  /** Copies of bytes that are held. */
  readonly #copies = Buffer.allocUnsafe(copiesBytesMax);
  #copiedBytes = 0;
  /** What is held: for each piece its writer, and where it is. */
  readonly #writers: HeldWriter[] = [];
  readonly #memories: Buffer[] = [];
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];
  #flushed = 0;
  readonly #run = (): void => {
    this.catchUp();
    this.#finish();
    this.#isScheduled = false;
    if (this.#packets.length > 0 || this.#ends.length > 0) {
      this.#comeBack();
    }
  };
  readonly #release = (): void => {
    this.#isHolding = false;
    this.flush();
  };

  /** @param schedule calls its argument once, when the runtime has read every socket */
  constructor(schedule: (run: () => void) => void) {
    this.#schedule = schedule;
  }

  /** The reader gets the packet when every socket has been read, or sooner if too much waits. */
  read(reader: PacketReader, packet: Buffer): void {
    this.#readers.push(reader);
    this.#packets.push(packet);
    this.#waitingBytes += packet.length;
    this.#comeBack();
    if (this.#waitingBytes >= waitingBytesMax) {
      this.catchUp();
    }
  }

  /** `end` is called when all packets of this turn have been processed. */
  atEnd(end: () => void): void {
    this.#ends.push(end);
    this.#comeBack();
  }

  /**
   * Processes the packets that were read so far. To be called before a reader is told that its socket is closed or that its time
   * is up, so that it has all of its packets by then.
   */
  catchUp(): void {
    const packets = this.#packets;
    if (packets.length === 0 || this.#isHolding) {
      return;
    }
    const readers = this.#readers;
    this.#packets = [];
    this.#readers = [];
    this.#waitingBytes = 0;
    this.#isHolding = true;
    for (let index = 0; index < packets.length; index += 1) {
      const reader = readers[index] as PacketReader;
      give(reader, packets[index] as Buffer);
      if (index % packetsMax === packetsMax - 1) {
        this.flush();
      }
    }
    this.#release();
  }

  /**
   * Keeps a copy of the bytes, which `writer` writes later in this turn. Those of a writer stay in order.
   * @returns false if they can't wait, and the writer has to write them now
   */
  hold(writer: HeldWriter, memory: Buffer, start: number, length: number): boolean {
    if (!this.#isHolding || length > pieceBytesMax) {
      return false;
    }
    if (this.#copiedBytes + length > copiesBytesMax) {
      this.flush();
    }
    memory.copy(this.#copies, this.#copiedBytes, start, start + length);
    this.#add(writer, this.#copies, this.#copiedBytes, length);
    this.#copiedBytes += length;
    return true;
  }

  /** The same for bytes of a packet, which do not change: without a copy. */
  holdPart(writer: HeldWriter, packet: Buffer, start: number, length: number): boolean {
    if (!this.#isHolding || length > pieceBytesMax) {
      return false;
    }
    this.#add(writer, packet, start, length);
    return true;
  }

  #add(writer: HeldWriter, memory: Buffer, start: number, length: number): void {
    this.#writers.push(writer);
    this.#memories.push(memory);
    this.#starts.push(start);
    this.#lengths.push(length);
  }

  /** Writes everything that is held. A writer may call it while it is being called. */
  flush(): void {
    while (this.#flushed < this.#writers.length) {
      const index = this.#flushed;
      const memory = this.#memories[index] as Buffer;
      this.#flushed += 1;
      try {
        const writer = this.#writers[index] as HeldWriter;
        writer.writeHeld(memory, this.#starts[index] as number, this.#lengths[index] as number);
      } catch (error) {
        reportError(error);
      }
    }
    this.#writers.length = 0;
    this.#memories.length = 0;
    this.#starts.length = 0;
    this.#lengths.length = 0;
    this.#copiedBytes = 0;
    this.#flushed = 0;
  }

  /** What microtasks of the ends write is held, too. */
  #finish(): void {
    const ends = this.#ends;
    if (ends.length === 0) {
      return;
    }
    this.#ends = [];
    this.#isHolding = true;
    for (const end of ends) {
      try {
        end();
      } catch (error) {
        reportError(error);
      }
    }
    queueMicrotask(this.#release);
  }

  #comeBack(): void {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#schedule(this.#run);
    }
  }
}

/** Whatever one reader does, the others get their packets. */
function give(reader: PacketReader, packet: Buffer): void {
  try {
    reader.onData(packet);
  } catch (error) {
    try {
      reader.onFailure(error);
    } catch (further) {
      reportError(further);
    }
  }
}

/** The turns of this thread. */
export const turn = new Turn(setImmediate);

import { sharedBlockBytes } from "./shared-texts.ts";

/*
 * How texts in shared memory go from one thread to another. A message with such memory copies nothing, but for each the runtime
 * makes an object that the collector of the other thread counts like all of this memory: it then looks for garbage after every
 * second batch. So only the first message has a memory, and later ones have its place among those that the other thread knows.
 */

/** How many memories the other thread knows: enough for all blocks, unless there is a backlog. A new one replaces the oldest. */
const placesMax = 12;

type PlacedText = {
  readonly place: number;
  /** Null if the other thread has it. */
  readonly memory: SharedArrayBuffer | null;
  readonly byteOffset: number;
  readonly length: number;
};

/** A text as a message has it: as it is, unless it is in a block. */
export type SentText = Uint8Array | PlacedText;

/** The side that sends. What it returns must be sent, in the same order. */
export class TextSender {
  readonly #memories: ArrayBufferLike[] = [];
  #next = 0;

  toMessage(text: Uint8Array): SentText {
    const { buffer: memory, byteOffset, length } = text;
    if (!(memory instanceof SharedArrayBuffer) || memory.byteLength !== sharedBlockBytes) {
      return text;
    }
    const known = this.#memories.indexOf(memory);
    if (known !== -1) {
      return { place: known, memory: null, byteOffset, length };
    }
    const place = this.#next;
    this.#next = (place + 1) % placesMax;
    this.#memories[place] = memory;
    return { place, memory, byteOffset, length };
  }
}

/** The side that receives, one for each sender. */
export class TextReceiver {
  readonly #memories: SharedArrayBuffer[] = [];

  /** @throws Error for a memory that was never sent */
  fromMessage(text: SentText): Uint8Array {
    if (text instanceof Uint8Array) {
      return text;
    }
    const { place, byteOffset, length } = text;
    const memory = text.memory ?? this.#memories[place];
    if (memory === undefined) {
      throw new Error(`no memory has come for place ${place}`);
    }
    this.#memories[place] = memory;
    return new Uint8Array(memory, byteOffset, length);
  }
}

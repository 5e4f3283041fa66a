/** The longest batch of small calls takes about five of these. A text that is longer has one of its own. */
export const sharedBlockBytes = 256 * 1024;
/** Empty blocks that are kept for later texts. */
const emptyBlocksMax = 12;
/** What separates lines, and so the texts in a block. */
const lineFeed = 0x0a;

type Block = {
  /** All of it. */
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  used: number;
  /** How many of the texts in it are kept. */
  texts: number;
  isReusable: boolean;
};

/** A text in memory that threads share, until it is released. */
export type SharedText = { readonly block: Block; readonly start: number; readonly end: number };

/**
 * Texts of groups in memory that is shared with the thread that commits them: a message with one of them copies nothing. Texts
 * follow one another in a few blocks, which are used again when all texts in them were released.
 */
export class SharedTexts {
  #current = newBlock(sharedBlockBytes);
  readonly #empty: Block[] = [];
  /** Blocks with texts, besides the current one. */
  readonly #full = new Set<Block>();

  /** Copies a text into shared memory, with a line feed between it and the one before. */
  keep(text: Uint8Array): SharedText {
    if (this.#current.used + 1 + text.length > this.#current.bytes.length) {
      this.#takeBlock(text.length);
    }
    const block = this.#current;
    if (block.used > 0) {
      block.bytes[block.used] = lineFeed;
      block.used += 1;
    }
    const start = block.used;
    block.bytes.set(text, start);
    block.used += text.length;
    block.texts += 1;
    return { block, start, end: block.used };
  }

  /** Nobody reads this text any more. */
  release({ block }: SharedText): void {
    block.texts -= 1;
    if (block.texts > 0) {
      return;
    }
    if (block === this.#current) {
      this.#current = block.isReusable ? emptied(block) : newBlock(sharedBlockBytes);
      return;
    }
    this.#full.delete(block);
    if (block.isReusable && block.bytes.length === sharedBlockBytes && this.#empty.length < emptyBlocksMax) {
      this.#empty.push(emptied(block));
    }
  }

  /** A thread that has some of these texts may read them later than it should: nothing is ever written over them. */
  spare(): void {
    for (const block of [this.#current, ...this.#full]) {
      block.isReusable = false;
    }
  }

  #takeBlock(length: number): void {
    if (this.#current.texts > 0) {
      this.#full.add(this.#current);
    }
    this.#current = length <= sharedBlockBytes ? (this.#empty.pop() ?? newBlock(sharedBlockBytes)) : newBlock(length);
  }
}

/** The bytes of texts in the order in which they were kept: those that follow one another in a block are one piece. */
export class TextPieces {
  readonly #pieces: Uint8Array[] = [];
  #block: Block | null = null;
  #start = 0;
  #end = 0;

  add({ block, start, end }: SharedText): void {
    if (block !== this.#block || start !== this.#end + 1) {
      this.#endPiece();
      this.#block = block;
      this.#start = start;
    }
    this.#end = end;
  }

  /** All pieces; nothing is added after that. */
  end(): readonly Uint8Array[] {
    this.#endPiece();
    return this.#pieces;
  }

  #endPiece(): void {
    if (this.#block !== null) {
      this.#pieces.push(this.#block.bytes.subarray(this.#start, this.#end));
    }
  }
}

function newBlock(length: number): Block {
  return { bytes: new Uint8Array(new SharedArrayBuffer(length)), used: 0, texts: 0, isReusable: true };
}

function emptied(block: Block): Block {
  block.used = 0;
  return block;
}

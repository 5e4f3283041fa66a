/** A batch of small calls takes one or two of these. */
const blockBytes = 256 * 1024;
/** Empty blocks that are kept for later texts. */
const emptyBlocksMax = 4;

type Block = {
  readonly memory: SharedArrayBuffer;
  used: number;
  /** How many of the texts in it are kept. */
  texts: number;
  isReusable: boolean;
};

/** A text in memory that threads share, until it is released. */
export type SharedText = { readonly bytes: Uint8Array; readonly block: Block };

/**
 * Texts of groups in memory that is shared with the thread that commits them: a message with one of them copies nothing. Texts
 * follow one another in a few blocks, which are used again when all texts in them were released.
 */
export class SharedTexts {
  #current = newBlock(blockBytes);
  readonly #empty: Block[] = [];
  /** Blocks with texts, besides the current one. */
  readonly #full = new Set<Block>();

  /** Copies a text into shared memory. */
  keep(text: Uint8Array): SharedText {
    if (this.#current.used + text.length > this.#current.memory.byteLength) {
      this.#takeBlock(text.length);
    }
    const block = this.#current;
    const bytes = new Uint8Array(block.memory, block.used, text.length);
    bytes.set(text);
    block.used += text.length;
    block.texts += 1;
    return { bytes, block };
  }

  /** Nobody reads this text any more. */
  release({ block }: SharedText): void {
    block.texts -= 1;
    if (block.texts > 0) {
      return;
    }
    if (block === this.#current) {
      this.#current = block.isReusable ? emptied(block) : newBlock(blockBytes);
      return;
    }
    this.#full.delete(block);
    if (block.isReusable && block.memory.byteLength === blockBytes && this.#empty.length < emptyBlocksMax) {
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
    this.#current = length <= blockBytes ? (this.#empty.pop() ?? newBlock(blockBytes)) : newBlock(length);
  }
}

function newBlock(length: number): Block {
  return { memory: new SharedArrayBuffer(length), used: 0, texts: 0, isReusable: true };
}

function emptied(block: Block): Block {
  block.used = 0;
  return block;
}

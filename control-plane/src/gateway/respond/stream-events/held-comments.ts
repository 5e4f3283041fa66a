/** Further comments are dropped. */
const bytesMax = 16_384;

/** Comments from before the first event. */
export class HeldComments {
  #comments: Buffer[] = [];
  #bytes = 0;

  hold(comment: Buffer): void {
    this.#bytes += comment.length;
    if (this.#bytes <= bytesMax) {
      this.#comments.push(comment);
    }
  }

  /** All of them, once. */
  take(): Buffer {
    return Buffer.concat(this.#comments.splice(0));
  }
}

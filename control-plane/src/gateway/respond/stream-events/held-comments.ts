import { eventData } from "./event-scan.ts";

const plainComment = Buffer.from(":\n\n");
/** Further comments are dropped. */
const bytesMax = 16_384;
const nothing = Buffer.alloc(0);

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
    return this.#comments.length === 0 ? nothing : Buffer.concat(this.#comments.splice(0));
  }

  /** All of them, once, and an event after them. */
  before(event: Buffer): Buffer {
    return this.#comments.length === 0 ? event : Buffer.concat([this.take(), event]);
  }
}

/** A comment for a client of any dialect: one that says no more than that the upstream is there, if this one has data. */
export function ofAnyDialect(comment: Buffer): Buffer {
  return eventData(comment) === "" ? comment : plainComment;
}

import type { StreamEnds } from "./choice-ends.ts";

const stopEvent = Buffer.from('event: message_stop\ndata: {"type":"message_stop"}\n\n');

/** Whether the message of a stream of the Messages API has a reason why it stopped. Its usage comes in the same event. */
export class MessageEnd implements StreamEnds {
  readonly mark = stopEvent;
  #isStopped = false;

  note({ type, delta }: Record<string, unknown>): void {
    if (type === "message_delta" && typeof delta === "object" && delta !== null) {
      const { stop_reason: reason } = delta as Record<string, unknown>;
      this.#isStopped ||= typeof reason === "string" && reason !== "";
    }
  }

  get isWhole(): boolean {
    return this.#isStopped;
  }

  get isComplete(): boolean {
    return this.#isStopped;
  }
}

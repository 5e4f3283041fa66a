import { type Frame, frameBytes } from "../../platform/websocket/model.ts";

/** How much a sender that was asked to pause may still have in flight. */
const waitingBytesMax = 64 * 1024 * 1024;

/** Handles one frame; returns a promise when the next one has to wait for it. It never rejects. */
export type HandleFrame = (frame: Frame) => Promise<void> | undefined;

/**
 * One direction of a session: frames are handled one after the other. While one of them is pending, because it is being
 * charged or its receiver is slow, nothing more is read from the sender.
 */
export class FrameLane {
  readonly #handle: HandleFrame;
  readonly #sender: { pause(): void; resume(): void };
  #waiting: Frame[] = [];
  #waitingBytes = 0;
  #isBusy = false;
  #isClosed = false;
  #onEmpty: (() => void) | null = null;

  constructor(handle: HandleFrame, sender: { pause(): void; resume(): void }) {
    this.#handle = handle;
    this.#sender = sender;
  }

  /** @returns false when too much is queued although the sender was asked to pause */
  push(frame: Frame): boolean {
    if (this.#isClosed) {
      return true;
    }
    if (!this.#isBusy) {
      this.#run(frame);
      return true;
    }
    this.#waiting.push(frame);
    this.#waitingBytes += frameBytes(frame);
    return this.#waitingBytes <= waitingBytesMax;
  }

  /** No more frames follow; calls the function once everything has been handled. */
  finish(onEmpty: () => void): void {
    if (this.#isBusy) {
      this.#onEmpty = onEmpty;
    } else {
      onEmpty();
    }
  }

  /** Drops queued frames. */
  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
  }

  #run(frame: Frame): void {
    const pending = this.#handle(frame);
    if (pending === undefined) {
      return;
    }
    this.#isBusy = true;
    this.#sender.pause();
    void pending.then(() => this.#goOn());
  }

  #goOn(): void {
    this.#isBusy = false;
    for (let frame = this.#take(); frame !== undefined; frame = this.#isBusy ? undefined : this.#take()) {
      this.#run(frame);
    }
    if (!this.#isBusy && !this.#isClosed) {
      this.#sender.resume();
      this.#onEmpty?.();
    }
  }

  #take(): Frame | undefined {
    const frame = this.#waiting.shift();
    this.#waitingBytes -= frame === undefined ? 0 : frameBytes(frame);
    return frame;
  }
}

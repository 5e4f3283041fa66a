import type { HttpBodyFlow } from "@sluice/http-client/model";

/** How much may be queued for a slow client before the upstream is paused; the server takes as much again. */
const bytesMax = 16_384;
/** How much of the queue must be free before the upstream is resumed. */
const roomBytesMin = bytesMax / 2;
/** The time between the last bytes and the break, in which a client can read the bytes. */
const breakDelayMs = 250;

export type ClientQueueOptions = {
  /** A client that reads nothing for this long is treated as gone. */
  readonly stallTimeoutMs: number;
  /** The client left, or has stopped reading. Called at most once. */
  onGone(): void;
};

/**
 * The client's side of a stream: its queue, the resulting back-pressure, and the two ways to end. Bytes go in without a
 * promise; only the server that reads the stream has one for each of its own reads.
 */
export class ClientQueue {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #options: ClientQueueOptions;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #flow: HttpBodyFlow | null = null;
  #isGone = false;
  #isPaused = false;
  #isBreaking = false;
  /** Runs until the client counts as gone, or until the break. */
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(options: ClientQueueOptions) {
    this.#options = options;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#onWanted(),
        cancel: () => this.#onGone(),
      },
      { highWaterMark: bytesMax, size: (piece) => piece?.byteLength ?? 0 },
    );
  }

  /** Whether the client keeps up. */
  get hasRoom(): boolean {
    return !this.#isGone && !this.#isPaused && (this.#controller?.desiredSize ?? 0) > 0;
  }

  /** From now on this flow is paused while the queue is full. */
  feedFrom(flow: HttpBodyFlow): void {
    this.#flow = flow;
  }

  /** The flow has nothing more for the queue. Its sink reads and drops any further bytes. */
  endFeed(): void {
    const flow = this.#flow;
    this.#flow = null;
    this.#clearTimer();
    if (this.#isPaused) {
      this.#isPaused = false;
      flow?.resume();
    }
  }

  push(piece: Uint8Array): void {
    const controller = this.#controller;
    if (controller === null || this.#isGone) {
      return;
    }
    controller.enqueue(piece);
    if ((controller.desiredSize ?? 1) <= 0) {
      this.#pause();
    }
  }

  /** Ends the response in an orderly way. */
  close(): void {
    if (!this.#isGone) {
      this.#controller?.close();
    }
  }

  /** Breaks the connection instead of ending the response, once the client has had a chance to read the queue. */
  breakOnceRead(): void {
    if (this.#isGone) {
      this.break();
      return;
    }
    this.#isBreaking = true;
    this.#timer = setTimeout(() => this.break(), this.#options.stallTimeoutMs);
    this.#breakIfRead();
  }

  /** Breaks the connection at once. */
  break(): void {
    this.#clearTimer();
    this.#controller?.error(new Error("the answer ends here, and is not whole"));
  }

  #breakIfRead(): void {
    if ((this.#controller?.desiredSize ?? bytesMax) >= bytesMax) {
      this.#isBreaking = false;
      this.#clearTimer();
      this.#timer = setTimeout(() => this.break(), breakDelayMs);
    }
  }

  #pause(): void {
    if (!this.#isPaused && this.#flow !== null) {
      this.#isPaused = true;
      this.#flow.pause();
      this.#timer = setTimeout(() => this.#onGone(), this.#options.stallTimeoutMs);
    }
  }

  /** The client has room for more. */
  #onWanted(): void {
    if (this.#isBreaking) {
      this.#breakIfRead();
    } else if (this.#isPaused && (this.#controller?.desiredSize ?? bytesMax) < roomBytesMin) {
      this.#timer?.refresh();
    } else if (this.#isPaused) {
      this.#isPaused = false;
      this.#clearTimer();
      this.#flow?.resume();
    }
  }

  #onGone(): void {
    this.#clearTimer();
    if (!this.#isGone) {
      this.#isGone = true;
      this.#options.onGone();
    }
  }

  #clearTimer(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
  }
}

import type { HttpBodyFlow } from "@sluice/http-client/model";
import { type AnswerSink, type AnswerStream, LateSink, waitingBytesMax } from "../../../platform/answer-stream.ts";

/** An upstream that was paused is resumed when less than this waits for the client. */
const resumedBytesMax = waitingBytesMax / 2;
/** The time between the last bytes and the break, in which a client can read the bytes. */
const breakDelayMs = 250;

export type ClientQueueOptions = {
  /** A client that reads nothing for this long is treated as gone. */
  readonly stallTimeoutMs: number;
  /** The client left, or has stopped reading. Called at most once. */
  onGone(): void;
};

/** The client's side of a stream: the back-pressure of what waits for it, and the two ways to end. */
export class ClientQueue implements AnswerStream {
  readonly #options: ClientQueueOptions;
  readonly #late = new LateSink();
  /** Where pieces go: to the client, once there is one and until the end. */
  #sink: AnswerSink = this.#late;
  #flow: HttpBodyFlow | null = null;
  #hasEnded = false;
  #isGone = false;
  #isPaused = false;
  #isBreaking = false;
  /** Runs until the client counts as gone, or until the break. */
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(options: ClientQueueOptions) {
    this.#options = options;
  }

  /** Whether the client keeps up. */
  get hasRoom(): boolean {
    return !this.#isGone && !this.#isPaused && this.#sink.waitingBytes < waitingBytesMax;
  }

  sendTo(sink: AnswerSink): void {
    this.#late.sendTo(sink);
    if (!this.#hasEnded) {
      this.#sink = sink;
    }
  }

  /** From now on this flow is paused while too much waits. */
  feedFrom(flow: HttpBodyFlow): void {
    this.#flow = flow;
  }

  /** The flow has nothing more for the client. Its sink reads and drops any further bytes. */
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
    if (!this.#isGone) {
      this.#sink.push(piece);
      this.#pauseIfFull();
    }
  }

  /** The bytes of a packet from `start` to `end`, which go out with `flush`. */
  pushPart(packet: Buffer, start: number, end: number): void {
    if (!this.#isGone) {
      this.#sink.pushPart(packet, start, end);
    }
  }

  /** All parts of a packet were pushed. */
  flush(): void {
    if (!this.#isGone) {
      this.#sink.flush();
      this.#pauseIfFull();
    }
  }

  /** Ends the response in an orderly way. */
  close(): void {
    if (!this.#isGone) {
      this.#end("close");
    }
  }

  /** Breaks the connection instead of ending the response, once the client has had a chance to read what waits. */
  breakOnceRead(): void {
    if (this.#isGone) {
      this.break();
      return;
    }
    this.#isBreaking = true;
    this.#timer = setTimeout(() => this.break(), this.#options.stallTimeoutMs);
    this.#breakIfRead();
  }

  /** Breaks the connection immediately. */
  break(): void {
    this.#clearTimer();
    this.#end("break");
  }

  /** Does what leads to the end. If it throws, nothing more would ever come, and the connection is broken. */
  orBreak(end: () => void): void {
    try {
      end();
    } catch (error) {
      this.break();
      throw error;
    }
  }

  /** Drops what is pushed from now on. */
  #end(how: "close" | "break"): void {
    this.#hasEnded = true;
    this.#sink = this.#late;
    this.#late[how]();
  }

  onTaken(): void {
    if (this.#isBreaking) {
      this.#breakIfRead();
    } else if (this.#isPaused && this.#sink.waitingBytes > resumedBytesMax) {
      this.#timer?.refresh();
    } else if (this.#isPaused) {
      this.#isPaused = false;
      this.#clearTimer();
      this.#flow?.resume();
    }
  }

  onGone(): void {
    this.#clearTimer();
    if (!this.#isGone) {
      this.#isGone = true;
      this.#options.onGone();
    }
  }

  #breakIfRead(): void {
    if (this.#sink.waitingBytes === 0) {
      this.#isBreaking = false;
      this.#clearTimer();
      this.#timer = setTimeout(() => this.break(), breakDelayMs);
    }
  }

  #pauseIfFull(): void {
    if (this.#sink.waitingBytes >= waitingBytesMax && !this.#isPaused && this.#flow !== null) {
      this.#isPaused = true;
      this.#flow.pause();
      this.#timer = setTimeout(() => this.onGone(), this.#options.stallTimeoutMs);
    }
  }

  #clearTimer(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
  }
}

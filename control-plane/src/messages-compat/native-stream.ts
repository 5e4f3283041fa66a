import { DeadlineTicker, type Timed } from "@sluice/http-client/deadline-ticker";
import { AnswerCapture, type CaptureAllowance } from "../platform/answer-capture.ts";

/** How much may be queued for a slow client before the gateway's stream is paused. */
const waitingBytesMax = 65_536;
/** Clients give a stream up that is silent for longer; all of them skip pings. */
const pingMs = 10_000;
const ping = Buffer.from('event: ping\ndata: {"type":"ping"}\n\n');

/** All streams share this timer. */
const ticker = new DeadlineTicker();

type Read = () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;

export type NativeStreamOptions = {
  readonly captures: CaptureAllowance;
  /** Called once, when the first ping begins the response before the gateway has answered. */
  readonly onEarly: () => void;
  /** Called once, when no more bytes follow. */
  readonly onOver: (pieces: readonly Uint8Array[], bytes: number) => void;
};

/** A stream whose events pass as the gateway sends them, with pings while nothing comes. */
export class NativeStream implements Timed {
  tickerSlot = -1;
  readonly body: ReadableStream<Uint8Array>;
  readonly #options: NativeStreamOptions;
  readonly #capture: AnswerCapture;
  readonly #source = Promise.withResolvers<Read>();
  #hangUp: () => void = () => undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #isBegun = false;
  #isOver = false;
  #bytes = 0;
  #lastWriteMs: number;

  constructor(options: NativeStreamOptions) {
    this.#options = options;
    this.#capture = new AnswerCapture(options.captures);
    ticker.add(this);
    this.#lastWriteMs = ticker.nowMs;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: (controller) => this.#pass(controller),
        cancel: () => this.#onGone(),
      },
      { highWaterMark: waitingBytesMax, size: (piece) => piece?.byteLength ?? 0 },
    );
  }

  /** Whether the response has begun, so that an error can only be an event in it. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** Passes the gateway's stream on. */
  feed(upstream: ReadableStream<Uint8Array>): void {
    this.#isBegun = true;
    const reader = upstream.getReader();
    this.#hangUp = () => {
      reader.cancel().catch(() => undefined);
    };
    if (this.#isOver) {
      this.#hangUp();
    } else {
      this.#source.resolve(() => reader.read());
    }
  }

  /** Ends a stream that only pings have begun. */
  finish(events: Uint8Array): void {
    this.#write(events);
    this.#end();
  }

  /** The response is no stream after all. */
  drop(): void {
    this.#isOver = true;
    ticker.remove(this);
    this.#capture.release();
  }

  onTick(nowMs: number): void {
    if (this.#isOver || nowMs - this.#lastWriteMs < pingMs || (this.#controller?.desiredSize ?? 0) <= 0) {
      return;
    }
    this.#write(ping);
    if (!this.#isBegun) {
      this.#isBegun = true;
      this.#options.onEarly();
    }
  }

  async #pass(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const read = await this.#source.promise;
    try {
      const { done, value } = await read();
      if (done || value === undefined) {
        this.#end();
      } else {
        this.#write(value);
      }
    } catch (error) {
      this.#leave();
      controller.error(error);
    }
  }

  #write(piece: Uint8Array): void {
    if (!this.#isOver) {
      this.#bytes += piece.byteLength;
      this.#capture.keep(piece);
      this.#lastWriteMs = ticker.nowMs;
      this.#controller?.enqueue(piece);
    }
  }

  #end(): void {
    if (!this.#isOver) {
      this.#leave();
      this.#controller?.close();
    }
  }

  #onGone(): void {
    this.#leave();
    this.#hangUp();
  }

  #leave(): void {
    if (!this.#isOver) {
      this.#isOver = true;
      ticker.remove(this);
      this.#options.onOver(this.#capture.pieces, this.#bytes);
      this.#capture.release();
    }
  }
}

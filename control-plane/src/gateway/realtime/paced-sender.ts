import type { Clock } from "../../platform/clock.ts";
import type { Frame, FrameSocket } from "../../platform/websocket/model.ts";

/** How much may be queued for a slow receiver before its sender is paused. */
const backlogBytesMax = 1024 * 1024;

/** Sends frames to one receiver, no faster than it reads them. */
export class PacedSender {
  readonly #receiver: FrameSocket;
  readonly #clock: Clock;
  #waitingSinceTick: number | null = null;

  constructor(receiver: FrameSocket, clock: Clock) {
    this.#receiver = receiver;
    this.#clock = clock;
  }

  /** Returns a promise when the receiver lags; the next frame has to wait for it. */
  send(frame: Frame): Promise<void> | undefined {
    this.#receiver.send(frame);
    if (this.#receiver.backlogBytes() <= backlogBytesMax) {
      return undefined;
    }
    this.#waitingSinceTick = this.#clock.tick();
    return this.#receiver.drained().finally(() => {
      this.#waitingSinceTick = null;
    });
  }

  /** For how many milliseconds the receiver has read nothing; 0 when nothing is queued for it. */
  stalledMs(): number {
    return this.#waitingSinceTick === null ? 0 : this.#clock.tick() - this.#waitingSinceTick;
  }
}

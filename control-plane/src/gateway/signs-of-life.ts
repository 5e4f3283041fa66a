import { DeadlineTicker, type Timed } from "@sluice/http-client/deadline-ticker";

/** Clients give up on a stream that is silent for longer. */
const silenceMsMax = 10_000;
/** All clients of the Messages API skip it. */
export const pingEvent = Buffer.from('event: ping\ndata: {"type":"ping"}\n\n');

/** All streams share this timer. */
const ticker = new DeadlineTicker();

/** Notices when a client has received nothing for so long that it would soon give up on the stream. */
export class SignsOfLife implements Timed {
  tickerSlot = -1;
  readonly #onSilence: () => void;
  #lastMs = 0;

  constructor(onSilence: () => void) {
    this.#onSilence = onSilence;
  }

  begin(): void {
    ticker.add(this);
    this.#lastMs = ticker.nowMs;
  }

  /** Something was sent. */
  note(): void {
    this.#lastMs = ticker.nowMs;
  }

  end(): void {
    ticker.remove(this);
  }

  onTick(nowMs: number): void {
    if (nowMs - this.#lastMs >= silenceMsMax) {
      this.#lastMs = nowMs;
      this.#onSilence();
    }
    ticker.rest(this, this.#lastMs + silenceMsMax - nowMs);
  }
}

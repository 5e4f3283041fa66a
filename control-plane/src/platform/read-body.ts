import { DeadlineTicker, hasPassed, type Timed } from "./deadline-ticker.ts";
import { AppError } from "./errors.ts";

export type BodyLimits = { readonly bytesMax: number; readonly timeoutMs: number };

/** One timer for all bodies that are being read: a timer of its own would cost each call more than the reading. */
const ticker = new DeadlineTicker();

/** Reads the body of a request once, and never more of it than the limit. */
export class BodyReader implements Timed {
  /** The body, once it was read. */
  bytes: Uint8Array | null = null;
  tickerSlot = -1;
  readonly #request: Request;
  readonly #limits: BodyLimits;
  #sinceMs = 0;
  #giveUp: ((reason: AppError) => void) | null = null;

  constructor(request: Request, limits: BodyLimits) {
    this.#request = request;
    this.#limits = limits;
  }

  /**
   * Resolves with the body.
   * @throws AppError `request_too_large`, `request_timeout`, `client_closed_request`
   */
  read(): Promise<Uint8Array> {
    const declared = this.#request.headers.get("content-length");
    if (declared !== null && Number(declared) > this.#limits.bytesMax) {
      return Promise.reject(new AppError("request_too_large"));
    }
    return new Promise((resolve, reject) => {
      ticker.add(this);
      this.#sinceMs = ticker.nowMs;
      this.#giveUp = reject;
      const reading = declared === null ? this.#readPieces() : this.#request.bytes();
      reading.then(
        (bytes) => {
          ticker.remove(this);
          this.bytes = bytes;
          resolve(bytes);
        },
        (cause: unknown) => {
          ticker.remove(this);
          reject(cause instanceof AppError ? cause : new AppError("client_closed_request", { cause }));
        },
      );
    });
  }

  onTick(nowMs: number): void {
    if (hasPassed(this.#limits.timeoutMs, this.#sinceMs, nowMs)) {
      ticker.remove(this);
      this.#giveUp?.(new AppError("request_timeout"));
    }
  }

  /** Without a declared length the pieces are counted as they come. */
  async #readPieces(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    const { body } = this.#request;
    if (body === null) {
      return new Uint8Array();
    }
    const reader = body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      length += part.value.byteLength;
      if (length > this.#limits.bytesMax) {
        await reader.cancel();
        throw new AppError("request_too_large");
      }
      pieces.push(part.value);
    }
    return Buffer.concat(pieces);
  }
}

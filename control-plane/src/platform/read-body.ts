import { DeadlineTicker, hasPassed, type Timed } from "@sluice/http-client/deadline-ticker";
import { AppError } from "./errors.ts";
import { joinInSlices } from "./slices.ts";

export type BodyLimits = {
  readonly bytesMax: number;
  /** How long a client may send nothing. */
  readonly timeoutMs: number;
};

/**
 * How many bytes are read past the limit. A client that is still sending when the connection closes does not receive
 * the response, so the rest of a body that is too large is read and dropped: by the server if its length was declared,
 * otherwise here.
 */
const droppedBytesMax = 64 * 1024 * 1024;
/**
 * A body with a declared length up to this is read at once: that takes half the processor time, but does not show when
 * bytes arrive.
 */
const wholeBytesMax = 1024 * 1024;
/** A body may take as long as one such silence plus the time that it needs at this rate (128 kbit/s). */
const bytesPerMs = 16;
/** A body may not take longer than this many silences. */
const silencesMax = 10;

/** One timer for all bodies that are being read: a separate timer would cost each call more than the reading. */
const ticker = new DeadlineTicker();

/** Counts the memory that a body takes; an exception ends the reading. */
export type ByteCounter = { add(bytes: number): void };

/** Reads the body of a request once, and never more of it than the limit. */
export class BodyReader implements Timed {
  /** The body, once it was read. */
  bytes: Uint8Array | null = null;
  tickerSlot = -1;
  readonly #request: Request;
  readonly #limits: BodyLimits;
  #beganMs = 0;
  /** When bytes last arrived, if the way of reading shows that. */
  #heardMs: number | null = null;
  #totalMs = 0;
  #giveUp: ((reason: AppError) => void) | null = null;

  constructor(request: Request, limits: BodyLimits) {
    this.#request = request;
    this.#limits = limits;
  }

  /**
   * Resolves with the body.
   * @param counter counts the bytes before they are accepted: all at once if their number was declared
   * @throws AppError `request_too_large`, `request_timeout`, `client_closed_request`, and the counter's errors
   */
  read(counter: ByteCounter | null = null): Promise<Uint8Array> {
    const { bytesMax, timeoutMs } = this.#limits;
    const header = this.#request.headers.get("content-length");
    const declared = header === null ? null : Number(header);
    if (declared !== null && declared > bytesMax) {
      // A client that waits for `100 Continue` sends nothing after a refusal: its next request would pass for the body.
      const isAsking = this.#request.headers.get("expect") !== null;
      return Promise.reject(tooLarge(isAsking ? Number.POSITIVE_INFINITY : declared - bytesMax));
    }
    if (counter !== null && declared !== null) {
      try {
        counter.add(declared);
      } catch (refusal) {
        return Promise.reject(refusal);
      }
    }
    return new Promise((resolve, reject) => {
      ticker.add(this);
      this.#beganMs = ticker.nowMs;
      this.#totalMs = Math.min(timeoutMs + (declared ?? bytesMax) / bytesPerMs, timeoutMs * silencesMax);
      this.#giveUp = reject;
      const isWhole = declared !== null && declared <= wholeBytesMax;
      const reading = isWhole ? this.#request.arrayBuffer() : this.#readPieces(declared, counter);
      reading.then(
        (read) => {
          ticker.remove(this);
          const bytes = read instanceof ArrayBuffer ? Buffer.from(read) : read;
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
    const isSilent = this.#heardMs !== null && hasPassed(this.#limits.timeoutMs, this.#heardMs, nowMs);
    if (isSilent || hasPassed(this.#totalMs, this.#beganMs, nowMs)) {
      ticker.remove(this);
      this.#giveUp?.(new AppError("request_timeout"));
    }
  }

  /** Counts pieces as they arrive; each of them restarts the idle timeout. */
  async #readPieces(declared: number | null, counter: ByteCounter | null): Promise<Uint8Array> {
    const { bytesMax } = this.#limits;
    const pieces: Uint8Array[] = [];
    let length = 0;
    const { body } = this.#request;
    if (body === null) {
      return new Uint8Array();
    }
    const reader = body.getReader();
    this.#heardMs = ticker.nowMs;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      length += part.value.byteLength;
      this.#heardMs = ticker.nowMs;
      if (length <= bytesMax) {
        if (declared === null) {
          counter?.add(part.value.byteLength);
        }
        pieces.push(part.value);
      } else if (length - bytesMax > droppedBytesMax) {
        await reader.cancel();
        break;
      } else {
        pieces.length = 0;
      }
    }
    if (length > bytesMax) {
      throw tooLarge(length - bytesMax);
    }
    if (declared !== null && length < declared) {
      throw new AppError("client_closed_request");
    }
    return length > wholeBytesMax ? await joinInSlices(pieces, length) : Buffer.concat(pieces);
  }
}

/** Checks a body that has arrived whole. @throws AppError `request_too_large` */
export function checkBodyLength(length: number, bytesMax: number): void {
  if (length > bytesMax) {
    throw tooLarge(length - bytesMax);
  }
}

/** @param restBytes by how much the body exceeds the limit */
function tooLarge(restBytes: number): AppError {
  return new AppError("request_too_large", { endsConnection: restBytes > droppedBytesMax });
}

import { AppError } from "./errors.ts";

/** Reads the body of a request once, and never more of it than the limit. */
export class BodyReader {
  /** The body, once it was read. */
  bytes: Uint8Array | null = null;
  readonly #request: Request;
  readonly #limits: { readonly bytesMax: number; readonly timeoutMs: number };

  constructor(request: Request, limits: { readonly bytesMax: number; readonly timeoutMs: number }) {
    this.#request = request;
    this.#limits = limits;
  }

  /** @throws AppError `request_too_large`, `request_timeout`, `client_closed_request` */
  async read(): Promise<Uint8Array> {
    const declared = this.#request.headers.get("content-length");
    if (declared !== null && Number(declared) > this.#limits.bytesMax) {
      throw new AppError("request_too_large");
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new AppError("request_timeout")), this.#limits.timeoutMs);
    });
    try {
      this.bytes = await Promise.race([declared === null ? this.#readPieces() : this.#readWhole(), late]);
      return this.bytes;
    } finally {
      clearTimeout(timer);
    }
  }

  async #readWhole(): Promise<Uint8Array> {
    try {
      return new Uint8Array(await this.#request.arrayBuffer());
    } catch (cause) {
      throw new AppError("client_closed_request", { cause });
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
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        length += part.value.byteLength;
        if (length > this.#limits.bytesMax) {
          await reader.cancel();
          throw new AppError("request_too_large");
        }
        pieces.push(part.value);
      }
    } catch (cause) {
      throw cause instanceof AppError ? cause : new AppError("client_closed_request", { cause });
    }
    return Buffer.concat(pieces);
  }
}

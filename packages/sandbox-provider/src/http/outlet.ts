/** The sending side of one TCP connection: it writes with back-pressure, and its waits end when the client leaves. */
import type { Socket } from "bun";

/** The part of a Bun socket that is needed to send. */
export type SendingSocket = Pick<Socket<unknown>, "write" | "end" | "shutdown" | "terminate">;

const lingerMsMax = 2_000;

export class Outlet {
  readonly #socket: SendingSocket;
  #rest: Uint8Array | null = null;
  #wake: (() => void) | null = null;
  #isClosed = false;
  #bytesWritten = 0;

  constructor(socket: SendingSocket) {
    this.#socket = socket;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Bytes that the kernel has accepted since the connection began. */
  get bytesWritten(): number {
    return this.#bytesWritten;
  }

  /** Resolves when the kernel has accepted all bytes, or the connection is closed. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#send(bytes);
    while (this.#rest !== null && !this.#isClosed) {
      await this.#untilWoken();
    }
  }

  /** Resolves at the given moment of `performance.now()`, or earlier when the connection is closed. */
  async sleepUntil(dueMs: number): Promise<void> {
    const leftMs = dueMs - performance.now();
    if (leftMs > 0 && !this.#isClosed) {
      const timer = setTimeout(() => this.#wakeUp(), leftMs);
      await this.#untilWoken();
      clearTimeout(timer);
    }
  }

  /** Resolves when the signal comes, or the connection is closed. */
  async until(subscribe: (wake: () => void) => void): Promise<void> {
    let hasArrived = false;
    subscribe(() => {
      if (!hasArrived) {
        hasArrived = true;
        this.#wakeUp();
      }
    });
    while (!hasArrived && !this.#isClosed) {
      await this.#untilWoken();
    }
  }

  /**
   * Sends FIN after everything written so far. A client in the middle of its request continues to send for a while.
   * Closing the connection would then cause a reset, which can overtake the response, so at first only this side is
   * closed.
   */
  finish(isClientSending: boolean): void {
    if (isClientSending) {
      this.#socket.shutdown();
      setTimeout(() => this.#socket.end(), lingerMsMax).unref();
    } else {
      this.#socket.end();
    }
  }

  /** Sends RST. */
  reset(): void {
    this.#socket.terminate();
  }

  /** Call it when the kernel has room again. */
  onDrain(): void {
    const rest = this.#rest;
    if (rest !== null) {
      this.#send(rest);
      if (this.#rest === null) {
        this.#wakeUp();
      }
    }
  }

  /** Call it when the connection is gone, whichever side ended it. */
  onClose(): void {
    this.#isClosed = true;
    this.#rest = null;
    this.#wakeUp();
  }

  #send(bytes: Uint8Array): void {
    if (this.#isClosed) {
      return;
    }
    const written = Math.max(0, this.#socket.write(bytes));
    this.#bytesWritten += written;
    this.#rest = written < bytes.length ? bytes.subarray(written) : null;
  }

  #untilWoken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}

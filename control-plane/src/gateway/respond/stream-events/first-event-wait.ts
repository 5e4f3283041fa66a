import { HttpClientError } from "@sluice/http-client/model";

/** The wait for the first event of a response that has begun with something else. */
export class FirstEventWait {
  readonly #onTimeout: (error: HttpClientError) => void;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(onTimeout: (error: HttpClientError) => void) {
    this.#onTimeout = onTimeout;
  }

  /** @param timeoutMs is asked once */
  begin(timeoutMs: () => number): void {
    this.#timer ??= setTimeout(() => this.#onTimeout(noEvent()), timeoutMs());
  }

  stop(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
  }
}

function noEvent(): HttpClientError {
  return new HttpClientError("first_byte_timeout", true, "no event came in time, although the answer had begun");
}

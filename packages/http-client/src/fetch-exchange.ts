import { BodyCollector, bodyTooLarge } from "./body-collector.ts";
import { sinkFailure, tellEnd, tellError } from "./body-sink.ts";
import { type DeadlineTicker, hasPassed, type Timed } from "./deadline-ticker.ts";
import { toClientError } from "./fetch-errors.ts";
import {
  type HttpBodyFlow,
  type HttpBodySink,
  HttpClientError,
  type HttpClientErrorKind,
  type HttpHeader,
  type HttpRequest,
  type HttpResponse,
  type HttpResponseBody,
} from "./model.ts";

type BodyReader = { read(): Promise<{ done: boolean; value?: Uint8Array }> };

type Phase = "head" | "held" | "body" | "over";

/** One request over `fetch`, from `run` to the end of its body. */
export class FetchExchange implements HttpResponseBody, HttpBodyFlow, Timed {
  contentLength: number | null = null;
  tickerSlot = -1;
  readonly #request: HttpRequest;
  readonly #ticker: DeadlineTicker;
  readonly #controller = new AbortController();
  readonly #startedMs: number;
  #phase: Phase = "head";
  #sinceMs: number;
  #reader: BodyReader | null = null;
  #sink: HttpBodySink | null = null;
  #failure: HttpClientError | null = null;
  #isDelimited = true;
  #isClaimed = false;
  #isPaused = false;
  #resumed: (() => void) | null = null;
  #receivedBytes = 0;

  constructor(request: HttpRequest, ticker: DeadlineTicker) {
    this.#request = request;
    this.#ticker = ticker;
    this.#startedMs = ticker.nowMs;
    this.#sinceMs = ticker.nowMs;
  }

  /** @throws HttpClientError */
  async run(url: string, init: BunFetchRequestInit): Promise<HttpResponse> {
    this.#request.signal.addEventListener("abort", this);
    this.#ticker.add(this);
    let response: Response;
    try {
      response = await fetch(url, { ...init, signal: this.#controller.signal });
    } catch (thrown) {
      this.#failWith(toClientError(thrown, false));
      throw this.#failure ?? thrown;
    }
    if (this.#failure === null) {
      this.#readHead(response);
    }
    if (this.#failure !== null) {
      throw this.#failure;
    }
    const headers = [...response.headers].map(([name, value]): HttpHeader => [name, value]);
    return { status: response.status, headers, body: this };
  }

  async bytes(bytesMax: number): Promise<Uint8Array> {
    const collector = new BodyCollector(bytesMax);
    this.#claim(collector);
    if (this.#phase === "held" && this.#reader !== null && (this.contentLength ?? 0) > bytesMax) {
      this.#failWith(bodyTooLarge(bytesMax));
    } else {
      await this.#readBody();
    }
    return collector.collected();
  }

  consume(sink: HttpBodySink): HttpBodyFlow {
    this.#claim(sink);
    queueMicrotask(() => {
      this.#readBody().catch(reportError);
    });
    return this;
  }

  cancel(): void {
    this.#sink = null;
    this.#leave();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#sinceMs = this.#ticker.nowMs;
    this.#resumed?.();
  }

  /** The abort signal calls this. */
  handleEvent(): void {
    this.#fail("aborted", "the request was aborted");
  }

  onTick(nowMs: number): void {
    const { connectTimeoutMs, firstByteTimeoutMs, totalTimeoutMs } = this.#request.limits;
    if (hasPassed(totalTimeoutMs, this.#startedMs, nowMs)) {
      this.#fail("total_timeout", `the call took longer than ${totalTimeoutMs} ms`);
    } else if (this.#phase === "head") {
      this.#failAfter(connectTimeoutMs + firstByteTimeoutMs, "first_byte_timeout", nowMs);
    } else if (this.#phase === "body" && !this.#isPaused) {
      this.#watchBody(nowMs);
    }
  }

  #watchBody(nowMs: number): void {
    const { connectTimeoutMs, idleTimeoutMs, firstBodyByteTimeoutMs } = this.#request.limits;
    if (this.#receivedBytes > 0 || firstBodyByteTimeoutMs === undefined) {
      this.#failAfter(idleTimeoutMs, "idle_timeout", nowMs);
    } else if (hasPassed(connectTimeoutMs + firstBodyByteTimeoutMs, this.#startedMs, nowMs)) {
      this.#fail("first_byte_timeout", `no byte of the body came within ${firstBodyByteTimeoutMs} ms`);
    }
  }

  #readHead(response: Response): void {
    const { responseBytesMax } = this.#request.limits;
    const declared = response.headers.get("content-length");
    const isEmpty = response.body === null || this.#request.method === "HEAD";
    this.contentLength = declared === null ? (isEmpty ? 0 : null) : Number(declared);
    // A body with either of them that is cut short ends in an error, so an end without one is the end.
    this.#isDelimited = isEmpty || declared !== null || response.headers.has("transfer-encoding");
    this.#phase = "held";
    if (isEmpty) {
      this.#settle();
    } else if ((this.contentLength ?? 0) > responseBytesMax) {
      this.#failWith(bodyTooLarge(responseBytesMax));
    } else {
      this.#reader = response.body?.getReader() ?? null;
    }
  }

  async #readBody(): Promise<void> {
    if (this.#failure === null && this.#phase === "held") {
      this.#phase = "body";
      this.#sinceMs = this.#ticker.nowMs;
      const failure = this.#reader === null ? null : await this.#readChunks(this.#reader);
      if (failure !== null) {
        this.#failWith(failure);
      }
    }
    const sink = this.#sink;
    if (sink === null) {
      return;
    }
    this.#sink = null;
    if (this.#failure === null) {
      this.#settle();
      this.#phase = "over";
      tellEnd(sink, this.#isDelimited);
    } else {
      tellError(sink, this.#failure);
    }
  }

  /** Reads until the end, the first error or until nobody wants to hear more. */
  async #readChunks(reader: BodyReader): Promise<HttpClientError | null> {
    try {
      while (this.#phase === "body") {
        if (this.#isPaused) {
          await this.#untilResumed();
          continue;
        }
        const { done, value } = await reader.read();
        if (done || value === undefined) {
          return null;
        }
        this.#takeChunk(value);
      }
      return null;
    } catch (thrown) {
      return thrown instanceof HttpClientError ? thrown : toClientError(thrown, true);
    }
  }

  /** @throws HttpClientError */
  #takeChunk(chunk: Uint8Array): void {
    this.#sinceMs = this.#ticker.nowMs;
    this.#receivedBytes += chunk.length;
    const { responseBytesMax } = this.#request.limits;
    if (this.#receivedBytes > responseBytesMax) {
      throw bodyTooLarge(responseBytesMax);
    }
    try {
      this.#sink?.onChunk(chunk);
    } catch (thrown) {
      throw sinkFailure(thrown);
    }
  }

  #untilResumed(): Promise<void> {
    return new Promise((resolve) => {
      this.#resumed = resolve;
    });
  }

  #claim(sink: HttpBodySink): void {
    if (this.#isClaimed) {
      throw new TypeError("the body of a response can be read only once");
    }
    this.#isClaimed = true;
    this.#sink = sink;
  }

  #failAfter(limitMs: number, kind: HttpClientErrorKind, nowMs: number): void {
    if (hasPassed(limitMs, this.#sinceMs, nowMs)) {
      this.#fail(kind, `the peer was silent for ${limitMs} ms`);
    }
  }

  #fail(kind: HttpClientErrorKind, message: string): void {
    this.#failWith(new HttpClientError(kind, true, message));
  }

  #failWith(error: HttpClientError): void {
    if (this.#phase === "over" || this.#failure !== null) {
      return;
    }
    this.#failure = error;
    const sink = this.#sink;
    this.#sink = null;
    this.#leave();
    if (sink !== null) {
      tellError(sink, error);
    }
  }

  /** Ends the request for `fetch` as well. */
  #leave(): void {
    this.#phase = "over";
    this.#settle();
    this.#controller.abort();
    this.#resumed?.();
  }

  #settle(): void {
    this.#ticker.remove(this);
    this.#request.signal.removeEventListener("abort", this);
  }
}

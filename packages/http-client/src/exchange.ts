import { bodyTooLarge, collectorFor } from "./body-collector.ts";
import { deliverPart, notifyEnd, notifyError, sinkFailure } from "./body-sink.ts";
import type { Connection, Destination } from "./connection.ts";
import type { ConnectionUser } from "./connection-user.ts";
import { hasPassed, type Timed } from "./deadline-ticker.ts";
import {
  type Aborted,
  isAbortOver,
  isBeforeHead,
  lossIn,
  type Phase,
  partIn,
  silenceBeforeHead,
  silenceMsMax,
} from "./exchange-phase.ts";
import type { ExchangePorts } from "./exchange-ports.ts";
import {
  type AbortNotice,
  type HttpBodyFlow,
  type HttpBodySink,
  HttpClientError,
  type HttpClientErrorKind,
  type HttpHeader,
  type HttpRequest,
  type HttpResponse,
  type HttpResponseBody,
  type ResponseReceiver,
} from "./model.ts";
import { type Bytes, viewOf } from "./packet-part.ts";
import { encodeRequestHead } from "./request-head.ts";
import type { RequestUpload } from "./request-upload.ts";
import type { Http1ParseError, Http1ResponseHead } from "./response-head.ts";
import { turn } from "./turn.ts";

const noHeaders: readonly HttpHeader[] = [];
const isIdempotent: Record<string, true> = { GET: true, HEAD: true, OPTIONS: true };

/**
 * One request from `send` to the end of its body. It is its own response, body, flow, abort listener and deadline, so
 * that a request costs one object.
 */
export class Exchange implements ConnectionUser, HttpResponse, HttpResponseBody, HttpBodyFlow, Timed {
  readonly request: HttpRequest;
  status = 0;
  headers: readonly HttpHeader[] = noHeaders;
  contentLength: number | null = null;
  tickerSlot = -1;
  readonly #ports: ExchangePorts;
  readonly #receiver: ResponseReceiver;
  readonly #signal: AbortNotice;
  readonly #startedMs: number;
  #phase: Phase = "connecting";
  #sinceMs: number;
  #sentMs = 0;
  #connection: Connection | null = null;
  #upload: RequestUpload | null = null;
  #isSent = false;
  #isAnswered = false;
  /** The head has arrived, and the receiver does not have it yet. */
  #isHeadDue = false;
  #isClaimed = false;
  #isPaused = false;
  #isDelimited = true;
  #receivedBytes = 0;
  /** Copied from its limits, which are rarely in a cache when a packet arrives. */
  readonly #bodyBytesMax: number;
  /** When the signal fired on a body that may continue for a while, and how much of the body had arrived by then. */
  #aborted: Aborted | null = null;
  #sink: HttpBodySink | null = null;
  #failure: HttpClientError | null = null;

  constructor(request: HttpRequest, ports: ExchangePorts, receiver: ResponseReceiver) {
    this.request = request;
    this.#bodyBytesMax = request.limits.responseBytesMax;
    this.#ports = ports;
    this.#signal = request.signal;
    this.#receiver = receiver;
    this.#startedMs = ports.ticker.nowMs;
    this.#sinceMs = this.#startedMs;
  }

  get body(): HttpResponseBody {
    return this;
  }

  get isHolding(): boolean {
    return this.#phase === "held";
  }

  /** Takes a connection and sends the request. */
  begin(): void {
    const { pool, ticker } = this.#ports;
    const { request } = this;
    try {
      if (this.#signal.aborted) {
        throw new HttpClientError("aborted", false, "the request was aborted before it was sent");
      }
      const destination = pool.destinationOf(request);
      const headLength = encodeRequestHead(request, destination.host, pool.scratch);
      this.#signal.addEventListener("abort", this);
      ticker.add(this);
      const connection = pool.takeIdle(destination);
      if (connection === null) {
        this.#connect(destination);
      } else {
        this.#connection = connection;
        this.#enter("sending");
        connection.start(this, headLength);
      }
    } catch (error) {
      this.#failWith(error as HttpClientError);
    }
  }

  bytes(bytesMax: number): Promise<Uint8Array> {
    return Promise.resolve(this.bytesNow(bytesMax)).then(viewOf);
  }

  bytesNow(bytesMax: number): Bytes | Promise<Bytes> {
    this.#claim();
    const collector = collectorFor(bytesMax);
    this.#sink = collector;
    if (this.#phase === "held" && this.contentLength !== null && this.contentLength > bytesMax) {
      this.#failWith(bodyTooLarge(bytesMax));
    } else {
      this.#readOn();
    }
    return collector.takeNow() ?? collector.collected();
  }

  consume(sink: HttpBodySink): HttpBodyFlow {
    this.#claim();
    this.#sink = sink;
    // Reading starts in a later microtask, so that the sink can use the flow from the first callback on.
    queueMicrotask(() => this.#readOn());
    return this;
  }

  cancel(): void {
    this.#leave();
  }

  pause(): void {
    this.#isPaused = true;
    this.#connection?.pauseReading();
  }

  resume(): void {
    this.#isPaused = false;
    this.#sinceMs = this.#ports.ticker.nowMs;
    if (this.#phase === "body") {
      this.#connection?.resumeReading();
    }
  }

  /** The abort signal calls this. What was read before the abort counts as received. */
  handleEvent(): void {
    turn.catchUp();
    if (this.#phase === "over") {
      return;
    }
    if (isBeforeHead(this.#phase) || (this.request.limits.afterAbort?.timeoutMs ?? 0) === 0) {
      this.#fail("aborted", "the request was aborted");
    } else {
      this.#aborted = { atMs: this.#ports.ticker.nowMs, bytes: this.#receivedBytes };
      this.#ports.ticker.rest(this, 0);
    }
  }

  onTick(nowMs: number): void {
    const { totalTimeoutMs } = this.request.limits;
    if (hasPassed(totalTimeoutMs, this.#startedMs, nowMs)) {
      this.#fail("total_timeout", `the call took longer than ${totalTimeoutMs} ms`);
      return;
    }
    if (isAbortOver(this.#aborted, this.request.limits, this.#receivedBytes, nowMs)) {
      this.#fail("aborted", "the request was aborted");
      return;
    }
    const silence = silenceBeforeHead(this.#phase, this.#upload?.isRunning === true);
    if (silence !== null) {
      this.#failAfter(silenceMsMax(this.request.limits, silence), silence, nowMs);
    } else if (this.#phase === "body" && !this.#isPaused) {
      // While we do not read, the silence is our own and does not count.
      this.#watchBody(nowMs);
    }
  }

  onConnected(): void {
    this.#enter("sending");
  }

  onRequestProgress(): void {
    this.#isSent = true;
    this.#sinceMs = this.#ports.ticker.nowMs;
    this.#sentMs = this.#sinceMs;
  }

  onUpload(upload: RequestUpload): void {
    this.#upload = upload;
    upload.run().then(
      () => this.onRequestProgress(),
      (error: HttpClientError) => this.#failWith(error),
    );
  }

  onDrained(): void {
    this.#upload?.onDrained();
  }

  onPacket(): void {
    this.#isAnswered = true;
    this.#sinceMs = this.#ports.ticker.nowMs;
    if (this.#phase === "sending") {
      this.#phase = "head";
    }
  }

  onInformational(): void {
    this.#enter("sending");
  }

  onHead(head: Http1ResponseHead): void {
    const { status, headers, contentLength, framing } = head;
    if (framing === "fixed" && contentLength !== null && contentLength > this.#bodyBytesMax) {
      this.#failWith(bodyTooLarge(this.#bodyBytesMax));
      return;
    }
    this.status = status;
    this.headers = headers;
    this.contentLength = contentLength;
    this.#phase = "held";
    this.#isHeadDue = true;
  }

  /** The rest of the packet is kept before this, so that the receiver can read the body immediately. */
  onPacketRead(): void {
    if (this.#isHeadDue) {
      this.#isHeadDue = false;
      this.#receiver.onResponse(this);
      return;
    }
    try {
      this.#sink?.onPacketEnd?.();
    } catch (error) {
      this.#failWith(sinkFailure(error));
    }
  }

  onBody(packet: Buffer, start: number, end: number): void {
    const sink = this.#sink;
    if (sink === null) {
      return;
    }
    this.#receivedBytes += end - start;
    if (this.#receivedBytes > this.#bodyBytesMax) {
      this.#failWith(bodyTooLarge(this.#bodyBytesMax));
      return;
    }
    const aborted = this.#aborted;
    if (aborted !== null && isAbortOver(aborted, this.request.limits, this.#receivedBytes, this.#ports.ticker.nowMs)) {
      this.#fail("aborted", "the request was aborted");
      return;
    }
    try {
      deliverPart(sink, packet, start, end);
    } catch (error) {
      this.#failWith(sinkFailure(error));
    }
  }

  onMalformed(error: Http1ParseError): void {
    this.#fail(error.kind, error.message);
  }

  onComplete(isDelimited: boolean): void {
    const sink = this.#sink;
    this.#connection = null;
    this.#settle();
    if (sink === null) {
      this.#isDelimited = isDelimited;
      this.#phase = this.#isClaimed ? "over" : "complete";
      return;
    }
    this.#sink = null;
    this.#phase = "over";
    notifyEnd(sink, isDelimited);
  }

  onConnectFailed(kind: "unreachable" | "tls", reason: string, cause: unknown): void {
    const what = kind === "tls" ? "no trusted TLS connection could be established" : "the peer could not be reached";
    const error = new HttpClientError(kind, this.#isSent, `${what}: ${reason}`);
    error.cause = cause;
    this.#failWith(error);
  }

  onConnectionLost(): void {
    const connection = this.#connection;
    const isHarmless = connection?.acceptedBytes === 0 || isIdempotent[this.request.method] === true;
    if (connection?.isReused && isHarmless && !this.#isAnswered && this.#upload === null) {
      // The second connection is a new one, and is not replaced again.
      try {
        this.#connect(connection.destination);
      } catch (error) {
        this.#failWith(error as HttpClientError);
      }
      return;
    }
    this.#fail(lossIn(this.#phase), `the peer closed the connection before ${partIn(this.#phase)} was complete`);
  }

  #connect(destination: Destination): void {
    this.#enter("connecting");
    this.#connection = this.#ports.pool.connect(destination, this);
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#sinceMs = this.#ports.ticker.nowMs;
  }

  #claim(): void {
    if (this.#isClaimed) {
      throw new TypeError("the body of a response can be read only once");
    }
    this.#isClaimed = true;
  }

  #readOn(): void {
    const sink = this.#sink;
    if (sink === null) {
      return;
    }
    if (this.#failure !== null) {
      this.#sink = null;
      notifyError(sink, this.#failure);
    } else if (this.#phase === "complete") {
      this.#sink = null;
      this.#phase = "over";
      notifyEnd(sink, this.#isDelimited);
    } else {
      this.#enter("body");
      if (!this.#isPaused) {
        this.#connection?.resumeReading();
      }
    }
  }

  #watchBody(nowMs: number): void {
    const { idleTimeoutMs, firstBodyByteTimeoutMs, totalTimeoutMs } = this.request.limits;
    if (this.#receivedBytes > 0 || firstBodyByteTimeoutMs === undefined) {
      this.#failAfter(idleTimeoutMs, "idle_timeout", nowMs);
      if (this.#aborted === null) {
        // A packet or a pause only puts the end of the silence off.
        const endMs = Math.min(this.#startedMs + totalTimeoutMs, this.#sinceMs + idleTimeoutMs);
        this.#ports.ticker.rest(this, endMs - nowMs);
      }
    } else if (hasPassed(firstBodyByteTimeoutMs, this.#sentMs, nowMs)) {
      this.#fail("first_byte_timeout", `no byte of the body came within ${firstBodyByteTimeoutMs} ms`);
    }
  }

  #failAfter(limitMs: number, kind: HttpClientErrorKind, nowMs: number): void {
    if (hasPassed(limitMs, this.#sinceMs, nowMs)) {
      this.#fail(kind, `the peer was silent for ${limitMs} ms`);
    }
  }

  #fail(kind: HttpClientErrorKind, message: string): void {
    this.#failWith(new HttpClientError(kind, this.#isSent, message));
  }

  #failWith(error: HttpClientError): void {
    const hasHead = !isBeforeHead(this.#phase);
    const sink = this.#sink;
    this.#leave();
    if (!hasHead) {
      queueMicrotask(() => this.#receiver.onFailure(error));
    } else if (sink === null) {
      this.#failure = error;
    } else {
      notifyError(sink, error);
    }
  }

  #leave(): void {
    const connection = this.#connection;
    this.#connection = null;
    this.#phase = "over";
    this.#sink = null;
    this.#settle();
    connection?.abandon();
  }

  #settle(): void {
    this.#upload?.cancel();
    this.#ports.ticker.remove(this);
    this.#signal.removeEventListener("abort", this);
  }
}

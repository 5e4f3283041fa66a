import type { Http1ResponseHead } from "@sluice/http-client/response-head";
import type { Connection, ConnectionUser } from "./connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { UpstreamError, type UpstreamErrorKind, type UpstreamLimits, type UpstreamRequest } from "./model.ts";
import { composeRequestHead, headBytesMax } from "./request-head.ts";

/** Who receives a response. Exactly one of `onEnd` or `onError` is called, and nothing after it. */
export interface AnswerSink {
  onHead(head: Http1ResponseHead): void;
  onBody(bytes: Uint8Array): void;
  /** `isDelimited` is false when only the end of the connection marked the end of the body. */
  onEnd(isDelimited: boolean): void;
  onError(error: UpstreamError): void;
}

export type ExchangePorts = {
  readonly pool: ConnectionPool;
  readonly limits: UpstreamLimits;
  /** A monotonic clock, in milliseconds, that may be one tick old. */
  readonly now: () => number;
  readonly onConnected: (connection: Connection) => void;
  readonly onOver: (exchange: Exchange) => void;
};

type PieceReader = {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
};

type Phase = "connecting" | "sending" | "body" | "over";

const inlineBytesMax = 64 * 1024;
/** One buffer in which all heads are written, since whatever a socket does not accept at once is copied. */
const scratch = Buffer.allocUnsafe(headBytesMax + inlineBytesMax);
const chunkEnd = Buffer.from("\r\n");
const lastChunk = Buffer.from("0\r\n\r\n");

/** One call to a provider, from the choice of a connection to the last byte of the response. */
export class Exchange implements ConnectionUser {
  readonly #request: UpstreamRequest;
  readonly #head: string;
  readonly #sink: AnswerSink;
  readonly #ports: ExchangePorts;
  readonly #startedMs: number;
  #sinceMs: number;
  #phase: Phase = "connecting";
  #connection: Connection | null = null;
  #isAnswered = false;
  #isPaused = false;
  #isUploading = false;
  #receivedBytes = 0;
  #uploader: PieceReader | null = null;

  /** @throws UpstreamError of kind `malformed` when the request can't be written */
  constructor(request: UpstreamRequest, sink: AnswerSink, ports: ExchangePorts) {
    this.#request = request;
    this.#head = composeRequestHead(request);
    this.#sink = sink;
    this.#ports = ports;
    this.#startedMs = ports.now();
    this.#sinceMs = this.#startedMs;
  }

  /** Takes an idle connection, or opens one. */
  begin(): void {
    const { destination, addresses } = this.#request;
    for (;;) {
      const idle = this.#ports.pool.takeIdle(destination, addresses);
      if (idle === null) {
        void this.#connect();
        return;
      }
      if (this.#sendOver(idle)) {
        return;
      }
    }
  }

  /** The caller has left: the provider's side is cut, and the sink gets no more callbacks. */
  abort(): void {
    this.#leave();
  }

  /** Stops reading, so that the provider gets back-pressure. */
  pause(): void {
    this.#isPaused = true;
    this.#connection?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#sinceMs = this.#ports.now();
    this.#connection?.resume();
  }

  onTick(nowMs: number): void {
    const { connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs, totalTimeoutMs } = this.#ports.limits;
    if (nowMs - this.#startedMs >= totalTimeoutMs) {
      this.#fail("total_timeout", `the call took longer than ${totalTimeoutMs} ms`);
    } else if (this.#phase === "connecting") {
      this.#failAfter(connectTimeoutMs, "connect_timeout", nowMs);
    } else if (this.#phase === "sending" && this.#isUploading) {
      this.#failAfter(idleTimeoutMs, "upload_timeout", nowMs);
    } else if (this.#phase === "sending") {
      this.#failAfter(firstByteTimeoutMs, "first_byte_timeout", nowMs);
    } else if (this.#phase === "body" && !this.#isPaused) {
      // While we do not read, the silence is ours.
      this.#failAfter(idleTimeoutMs, "idle_timeout", nowMs);
    }
  }

  onSent(): void {
    this.#sinceMs = this.#ports.now();
  }

  onPacket(): void {
    this.#isAnswered = true;
    this.#sinceMs = this.#ports.now();
  }

  onHead(head: Http1ResponseHead): void {
    this.#phase = "body";
    this.#sink.onHead(head);
  }

  onBody(bytes: Uint8Array): void {
    this.#receivedBytes += bytes.length;
    if (this.#receivedBytes > this.#ports.limits.responseBytesMax) {
      this.#fail("too_large", "the response is larger than the limit");
      return;
    }
    this.#sink.onBody(bytes);
  }

  onComplete(isDelimited: boolean): void {
    this.#connection = null;
    this.#end();
    this.#sink.onEnd(isDelimited);
  }

  onBroken(error: UpstreamError): void {
    this.#failWith(error);
  }

  onLost(): void {
    const { method, body } = this.#request;
    const isRepeatable = body.kind !== "stream" && (method === "GET" || method === "HEAD");
    if (this.#connection?.isReused === true && isRepeatable && !this.#isAnswered) {
      // An idle connection may just have been closed; a fresh one is not replaced in turn.
      this.#connection = null;
      void this.#connect();
    } else if (this.#phase === "body") {
      this.#fail("reset_in_body", "the provider closed the connection before its response was complete");
    } else {
      this.#fail("reset_before_head", "the provider closed the connection before it responded");
    }
  }

  /** Tries the addresses one after the other; nothing of the request is sent before one of them is connected. */
  async #connect(): Promise<void> {
    const { destination, addresses } = this.#request;
    let failure = new UpstreamError("unreachable", "the provider has no address");
    this.#phase = "connecting";
    for (const address of addresses) {
      const connection = this.#ports.pool.create(destination, address);
      this.#connection = connection;
      this.#sinceMs = this.#ports.now();
      try {
        await connection.open();
      } catch (error) {
        failure = error as UpstreamError;
        continue;
      }
      if (this.#connection !== connection) {
        return;
      }
      this.#ports.onConnected(connection);
      if (this.#sendOver(connection)) {
        return;
      }
    }
    this.#failWith(failure);
  }

  #sendOver(connection: Connection): boolean {
    const { method, body } = this.#request;
    this.#connection = connection;
    this.#phase = "sending";
    const isInline = body.kind === "whole" && body.bytes.length <= inlineBytesMax;
    let length = scratch.write(this.#head, 0, "latin1");
    if (isInline) {
      scratch.set(body.bytes, length);
      length += body.bytes.length;
    }
    const isWhole = isInline || body.kind === "none";
    if (!connection.begin(this, scratch, { length, isHead: method === "HEAD", isWhole })) {
      this.#connection = null;
      return false;
    }
    if (!isWhole) {
      this.#isUploading = true;
      void this.#upload(connection);
    }
    return true;
  }

  /** A piece is only read from the caller once the provider's side has accepted the previous one. */
  async #upload(connection: Connection): Promise<void> {
    const { body } = this.#request;
    let isSent = true;
    if (body.kind === "whole") {
      isSent = await connection.write(body.bytes);
    } else if (body.kind === "stream") {
      const reader = body.stream.getReader();
      this.#uploader = reader;
      try {
        isSent = await this.#uploadPieces(connection, reader, body.length === null);
      } catch {
        isSent = false;
        this.#fail("client_gone", "the body of the request was incomplete");
      }
      this.#uploader = null;
    }
    this.#isUploading = false;
    this.#sinceMs = this.#ports.now();
    // A finished call no longer owns the connection, which may serve another one by now.
    if (isSent && this.#connection === connection) {
      connection.finishRequest();
    }
  }

  async #uploadPieces(connection: Connection, reader: PieceReader, isChunked: boolean): Promise<boolean> {
    let sentBytes = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const bytes = (part.value ?? new Uint8Array()) as Uint8Array<ArrayBuffer>;
      sentBytes += bytes.length;
      if (sentBytes > this.#request.bodyBytesMax) {
        this.#fail("request_too_large", "the body of the request is larger than the limit");
        return false;
      }
      if (this.#connection !== connection) {
        return false;
      }
      const piece = isChunked
        ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, chunkEnd])
        : bytes;
      if (bytes.length > 0 && !(await connection.write(piece))) {
        return false;
      }
    }
    return this.#connection === connection && (!isChunked || (await connection.write(lastChunk)));
  }

  #failAfter(limitMs: number, kind: UpstreamErrorKind, nowMs: number): void {
    if (nowMs - this.#sinceMs >= limitMs) {
      this.#fail(kind, `nothing moved for ${limitMs} ms`);
    }
  }

  #fail(kind: UpstreamErrorKind, message: string): void {
    this.#failWith(new UpstreamError(kind, message));
  }

  #failWith(error: UpstreamError): void {
    if (this.#phase !== "over") {
      this.#leave();
      this.#sink.onError(error);
    }
  }

  #leave(): void {
    const connection = this.#connection;
    this.#connection = null;
    this.#end();
    connection?.abandon();
  }

  #end(): void {
    if (this.#phase !== "over") {
      this.#phase = "over";
      this.#ports.onOver(this);
      this.#uploader?.cancel().catch(() => undefined);
    }
  }
}

/** Everything that the sandbox received and sent for one request. */
import type { RequestHeader } from "../http/request-reader.ts";
import type { TransmitOutcome } from "../http/transmit.ts";
import type { AuthStyle, IncomingRequest } from "../script/incoming-request.ts";

export type ConnectionFacts = {
  /** Counts connections from 0, so that reuse of a connection can be seen. */
  readonly connection: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
};

/** `open` while the response is in progress; `cancelled` when the client left before it was sent. */
export type RecordOutcome = "open" | TransmitOutcome;

/** Times are milliseconds since 1970 with a fraction, from one clock that never jumps. */
export class RequestRecord {
  readonly index: number;
  readonly from: ConnectionFacts;
  readonly receivedAtMs = nowMs();
  readonly request: IncomingRequest;
  status: number | null = null;
  outcome: RecordOutcome = "open";
  firstWriteAtMs: number | null = null;
  lastWriteAtMs: number | null = null;
  /** When the response was sent or cut, or when the client was found to have left. */
  endedAtMs: number | null = null;
  /** Bytes of the response, head included, that the kernel has accepted. */
  bytesWritten = 0;
  chunksWritten = 0;
  /** For a websocket: the client's messages as received, and the code of its close frame if there was one. */
  readonly messages: (string | Buffer)[] = [];
  closeCode: number | null = null;
  #release: (() => void) | null = null;
  #isReleased = false;

  constructor(index: number, request: IncomingRequest, from: ConnectionFacts) {
    this.index = index;
    this.request = request;
    this.from = from;
  }

  get method(): string {
    return this.request.head.method;
  }

  get target(): string {
    return this.request.head.target;
  }

  /** The request line and the header lines as they came. */
  get headLines(): readonly string[] {
    return this.request.head.lines;
  }

  get headers(): readonly RequestHeader[] {
    return this.request.head.headers;
  }

  /** The exact bytes of the body; empty when the response came before it. */
  get body(): Buffer {
    return this.request.body ?? Buffer.alloc(0);
  }

  /** The parsed body; undefined when it is not JSON. */
  get json(): unknown {
    return this.request.json;
  }

  get credential(): string | null {
    return this.request.credential;
  }

  /** How the request carried its key or keys. */
  get credentialStyles(): readonly AuthStyle[] {
    return this.request.credentials.map(({ style }) => style);
  }

  get model(): string | null {
    return this.request.model;
  }

  /** The first value of a header, given its lower-case name. */
  header(name: string): string | null {
    return this.request.header(name);
  }

  get isHeld(): boolean {
    return this.#release !== null;
  }

  /** Called when the response is held, with the function that releases it. */
  hold(release: () => void): void {
    if (this.#isReleased) {
      release();
    } else {
      this.#release = release;
    }
  }

  /** Releases a held response; one that is not held yet will not be held any more. */
  release(): void {
    const release = this.#release;
    this.#release = null;
    this.#isReleased = true;
    release?.();
  }

  /** How long the request took, up to now if it is still being answered. */
  get durationMs(): number {
    return (this.endedAtMs ?? nowMs()) - this.receivedAtMs;
  }

  toJSON(): RequestRecordJson {
    return {
      index: this.index,
      ...this.from,
      method: this.method,
      target: this.target,
      headLines: this.headLines,
      bodyBase64: this.body.toString("base64"),
      credential: this.credential,
      credentialStyles: this.credentialStyles,
      status: this.status,
      outcome: this.outcome,
      isHeld: this.isHeld,
      receivedAtMs: this.receivedAtMs,
      firstWriteAtMs: this.firstWriteAtMs,
      lastWriteAtMs: this.lastWriteAtMs,
      endedAtMs: this.endedAtMs,
      bytesWritten: this.bytesWritten,
      chunksWritten: this.chunksWritten,
    };
  }
}

/** A record in the response of `GET /sandbox/requests`. */
export type RequestRecordJson = ConnectionFacts & {
  readonly index: number;
  readonly method: string;
  readonly target: string;
  readonly headLines: readonly string[];
  readonly bodyBase64: string;
  readonly credential: string | null;
  readonly credentialStyles: readonly AuthStyle[];
  readonly status: number | null;
  readonly outcome: RecordOutcome;
  readonly isHeld: boolean;
  readonly receivedAtMs: number;
  readonly firstWriteAtMs: number | null;
  readonly lastWriteAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly bytesWritten: number;
  readonly chunksWritten: number;
};

export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

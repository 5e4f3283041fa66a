import { type ErrorCode, errorDefinition } from "@sluice/contracts/errors";
import type {
  HttpBodyFlow,
  HttpBodySink,
  HttpClientError,
  HttpClientErrorKind,
  HttpHeader,
  HttpResponse,
} from "@sluice/http-client/model";
import { AddressRefusedError } from "@sluice/http-client/server-guard";
import type { ActiveAccount } from "./accounts.ts";
import { AnswerStream, type AnswerStreamEvents } from "./answer-stream.ts";
import type { Arrival } from "./arrival.ts";
import { KeyMask } from "./key-mask.ts";
import { presentError } from "./present-error.ts";

/** How a call ended, for the log and the metrics. */
export type CallEnd = {
  readonly status: number;
  readonly sentBytes: number;
  /** Why the provider's side failed, or null. */
  readonly failure:
    | HttpClientErrorKind
    | "client_gone"
    | "address_refused"
    | "refused_key"
    | "redirect"
    | "encoded"
    | null;
};

type AnswerBody = ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string | null;
type AnswerHead = { readonly status: number; readonly headers: Record<string, string> };

/** The functions that all calls share: a call passes its own state, so that it needs no closures. */
export type CallPorts = {
  readonly stallTimeoutMs: number;
  /** Creates the response; the headers common to all responses are added here. */
  readonly answer: (arrival: Arrival, body: AnswerBody, head: AnswerHead) => Response;
  readonly refuse: (arrival: Arrival, code: ErrorCode) => Response;
  readonly onHead: (call: ProxiedCall) => void;
  readonly onEnd: (call: ProxiedCall, end: CallEnd) => void;
};

const forwardedHeaders = new Set(["content-type", "content-disposition", "openai-version", "retry-after"]);
const rateLimitHeader = /^(?:x-|anthropic-)ratelimit-[a-z0-9-]{1,48}$/;
/** A response of known length up to this is sent in one piece. */
const wholeBytesMax = 64 * 1024;
const errorBytesMax = 64 * 1024;

const codes: Record<HttpClientErrorKind, ErrorCode> = {
  no_connection: "temporarily_unavailable",
  unreachable: "upstream_unreachable",
  tls: "upstream_unreachable",
  connect_timeout: "upstream_timeout",
  first_byte_timeout: "upstream_timeout",
  idle_timeout: "upstream_timeout",
  total_timeout: "upstream_timeout",
  reset_before_head: "upstream_error",
  reset_in_body: "upstream_error",
  malformed: "upstream_error",
  too_large: "upstream_error",
  request_too_large: "request_too_large",
  upload_timeout: "request_timeout",
  // This is a bug of ours: when the caller has left, nobody reads a code.
  aborted: "internal_error",
};

/** `collecting`: a response that is sent in one piece, or an error that is checked first. */
type State = "waiting" | "collecting" | "streaming" | "over";

/** One call from the provider's first byte to the caller's last. */
export class ProxiedCall implements HttpBodySink, AnswerStreamEvents {
  readonly response: Promise<Response>;
  readonly arrival: Arrival;
  readonly account: ActiveAccount;
  readonly startedMs = performance.now();
  readonly #ports: CallPorts;
  readonly #mask: KeyMask;
  #resolve: (response: Response) => void;
  #flow: HttpBodyFlow | null = null;
  #state: State = "waiting";
  #status = 0;
  #headers: Record<string, string> = {};
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #stream: AnswerStream | null = null;

  constructor(arrival: Arrival, account: ActiveAccount, ports: CallPorts) {
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.response = promise;
    this.#resolve = resolve;
    this.arrival = arrival;
    this.account = account;
    this.#ports = ports;
    this.#mask = new KeyMask(account.apiKeyBytes);
  }

  onResponse(response: HttpResponse): void {
    const { status, headers, body } = response;
    this.#ports.onHead(this);
    if (status === 401 || status === 403) {
      // The caller's own key was valid; the provider's message about the node's key must stay hidden.
      this.#refuse(body, "refused_key");
    } else if (status >= 300 && status < 400) {
      this.#refuse(body, "redirect");
    } else if (isEncoded(headers)) {
      this.#refuse(body, "encoded");
    } else {
      this.#status = status;
      this.#headers = answerHeaders(headers, this.account);
      const isWhole = status >= 400 || (body.contentLength !== null && body.contentLength <= wholeBytesMax);
      if (isWhole) {
        this.#state = "collecting";
      } else {
        this.#beginStream();
      }
      this.#flow = body.consume(this);
    }
  }

  onChunk(bytes: Uint8Array): void {
    if (this.#state === "over") {
      return;
    }
    const clean = this.#mask.push(bytes);
    this.#bytes += clean.length;
    if (this.#stream !== null) {
      this.#stream.push(clean);
    } else if (this.#bytes > errorBytesMax) {
      this.#refuse(this.#flow, "too_large");
    } else if (clean.length > 0) {
      this.#pieces.push(clean);
    }
  }

  onEnd(): void {
    if (this.#state === "over") {
      return;
    }
    const rest = this.#mask.finish();
    this.#bytes += rest?.length ?? 0;
    if (this.#stream !== null) {
      this.#stream.push(rest ?? new Uint8Array());
      this.#stream.close();
    } else {
      const body = wholeOf(rest === null ? this.#pieces : [...this.#pieces, rest]);
      this.#answer(this.#presentable(body));
    }
    this.#finish(this.#status, null);
  }

  onError(error: HttpClientError): void {
    if (this.#state === "over") {
      return;
    }
    if (error.kind === "aborted" && !(error.cause instanceof Error)) {
      this.onGone();
    } else if (this.#stream === null) {
      const isRefused = error.cause instanceof AddressRefusedError;
      const code = isRefused ? "upstream_not_allowed" : codes[error.kind];
      this.#resolve(this.#ports.refuse(this.arrival, code));
      this.#finish(errorDefinition(code).status, isRefused ? "address_refused" : error.kind);
    } else {
      this.#stream.breakSoon();
      this.#finish(this.#status, error.kind);
    }
  }

  onPause(): void {
    this.#flow?.pause();
  }

  onResume(): void {
    this.#flow?.resume();
  }

  /** The caller has left, or has stopped reading, so the provider's side ends as well. */
  onGone(): void {
    if (this.#state !== "over") {
      this.#flow?.cancel();
      this.#stream?.drop();
      this.#finish(499, "client_gone");
      this.#resolve(this.#ports.refuse(this.arrival, "client_closed_request"));
    }
  }

  #beginStream(): void {
    this.#state = "streaming";
    this.#stream = new AnswerStream(this, this.#ports.stallTimeoutMs);
    this.#answer(this.#stream.stream);
  }

  #answer(body: AnswerBody): void {
    this.#resolve(this.#ports.answer(this.arrival, body, { status: this.#status, headers: this.#headers }));
  }

  #presentable(body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | string | null {
    if (body.length === 0) {
      return null;
    }
    const { apiKey, destination } = this.account;
    return this.#status < 400 ? body : presentError(body, { apiKey, hostname: destination.hostname });
  }

  /** Gives up the provider's response, and sends an error instead. */
  #refuse(answer: { cancel(): void } | null, failure: CallEnd["failure"]): void {
    answer?.cancel();
    this.#resolve(this.#ports.refuse(this.arrival, "upstream_error"));
    this.#finish(errorDefinition("upstream_error").status, failure);
  }

  #finish(status: number, failure: CallEnd["failure"]): void {
    this.#state = "over";
    this.#pieces = [];
    this.#ports.onEnd(this, { status, sentBytes: this.#bytes, failure });
  }
}

function wholeOf(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const [first] = pieces;
  return (pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces)) as Uint8Array<ArrayBuffer>;
}

function isEncoded(headers: readonly HttpHeader[]): boolean {
  return headers.some(([name, value]) => name === "content-encoding" && value.trim().toLowerCase() !== "identity");
}

/** The headers that say how to read the body and when to retry; none that reveals the key or the provider. */
function answerHeaders(received: readonly HttpHeader[], account: ActiveAccount): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of received) {
    if (forwardedHeaders.has(name) || rateLimitHeader.test(name)) {
      const isSecret = value.includes(account.apiKey) || value.includes(account.destination.hostname);
      if (!isSecret) {
        headers[name] ??= value;
      }
    }
  }
  return headers;
}

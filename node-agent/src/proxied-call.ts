import { type ErrorCode, errorDefinition } from "@sluice/contracts/errors";
import type { Http1ResponseHead } from "@sluice/http-client/response-head";
import type { ActiveAccount } from "./accounts.ts";
import { AnswerStream, type AnswerStreamEvents } from "./answer-stream.ts";
import type { Arrival } from "./arrival.ts";
import { KeyMask } from "./key-mask.ts";
import { presentError } from "./present-error.ts";
import type { AnswerSink, Exchange } from "./upstream/exchange.ts";
import type { UpstreamError, UpstreamErrorKind } from "./upstream/model.ts";

/** How a call ended, for the log and the metrics. */
export type CallEnd = {
  readonly status: number;
  readonly sentBytes: number;
  /** Why the provider's side failed, or null. */
  readonly failure: UpstreamErrorKind | "refused_key" | "redirect" | "encoded" | null;
};

type AnswerBody = ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string | null;
type AnswerHead = { readonly status: number; readonly headers: Record<string, string> };

/** Shared by all calls: a call passes its own state, so that it needs no closures. */
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

const codes: Record<UpstreamErrorKind, ErrorCode> = {
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
  client_gone: "client_closed_request",
};

/** `collecting`: a response that is sent in one piece, or an error that is checked first. */
type State = "waiting" | "collecting" | "streaming" | "over";

/** One call from the provider's first byte to the caller's last. */
export class ProxiedCall implements AnswerSink, AnswerStreamEvents {
  readonly response: Promise<Response>;
  readonly arrival: Arrival;
  readonly account: ActiveAccount;
  readonly startedMs = performance.now();
  readonly #ports: CallPorts;
  readonly #mask: KeyMask;
  #resolve: (response: Response) => void;
  #exchange: Exchange | null = null;
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

  follow(exchange: Exchange): void {
    this.#exchange = exchange;
  }

  /** The caller has left: the provider's side ends with it. */
  abandon(): void {
    if (this.#state !== "over") {
      this.#exchange?.abort();
      this.#stream?.drop();
      this.#finish(499, "client_gone");
      this.#resolve(this.#ports.refuse(this.arrival, "client_closed_request"));
    }
  }

  onHead(head: Http1ResponseHead): void {
    const { status } = head;
    this.#ports.onHead(this);
    if (status === 401 || status === 403) {
      // The caller's own key was valid; the provider's message about ours must stay hidden.
      this.#refuse("upstream_error", "refused_key");
    } else if (status >= 300 && status < 400) {
      this.#refuse("upstream_error", "redirect");
    } else if (isEncoded(head)) {
      this.#refuse("upstream_error", "encoded");
    } else {
      this.#status = status;
      this.#headers = answerHeaders(head, this.account);
      const isWhole = status >= 400 || (head.contentLength !== null && head.contentLength <= wholeBytesMax);
      if (isWhole) {
        this.#state = "collecting";
      } else {
        this.#beginStream();
      }
    }
  }

  onBody(bytes: Uint8Array): void {
    if (this.#state === "over") {
      return;
    }
    const clean = this.#mask.push(bytes);
    this.#bytes += clean.length;
    if (this.#stream !== null) {
      this.#stream.push(clean);
    } else if (this.#bytes > errorBytesMax) {
      this.#refuse("upstream_error", "too_large");
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

  onError(error: UpstreamError): void {
    if (this.#state === "over") {
      return;
    }
    if (this.#stream === null) {
      const code = codes[error.kind];
      this.#resolve(this.#ports.refuse(this.arrival, code));
      this.#finish(errorDefinition(code).status, error.kind);
    } else {
      this.#stream.breakSoon();
      this.#finish(this.#status, error.kind);
    }
  }

  onPause(): void {
    this.#exchange?.pause();
  }

  onResume(): void {
    this.#exchange?.resume();
  }

  onGone(): void {
    this.abandon();
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

  #refuse(code: ErrorCode, failure: CallEnd["failure"]): void {
    this.#exchange?.abort();
    this.#resolve(this.#ports.refuse(this.arrival, code));
    this.#finish(errorDefinition(code).status, failure);
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

function isEncoded({ headers }: Http1ResponseHead): boolean {
  return headers.some(([name, value]) => name === "content-encoding" && value.trim().toLowerCase() !== "identity");
}

/** The headers that say how to read the body and when to retry; none that reveals the key or the provider. */
function answerHeaders(head: Http1ResponseHead, account: ActiveAccount): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of head.headers) {
    if (forwardedHeaders.has(name) || rateLimitHeader.test(name)) {
      const isTelling = value.includes(account.apiKey) || value.includes(account.destination.hostname);
      if (!isTelling) {
        headers[name] ??= value;
      }
    }
  }
  return headers;
}

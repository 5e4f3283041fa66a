import { DeadlineTicker } from "./deadline-ticker.ts";
import { FetchExchange } from "./fetch-exchange.ts";
import { type HttpClient, HttpClientError, type HttpRequest, type HttpResponse } from "./model.ts";
import { encodeRequestHead, formatHost, parseHostname, scratchBytesMin } from "./request-head.ts";

export type FetchHttpClientOptions = {
  /** Certificates in PEM that are trusted instead of the well-known authorities. */
  readonly tlsCa?: string;
};

/**
 * The same over Bun's `fetch`, for what the pooled client does not speak. What it can't promise:
 * - It is not told when a connection is established, so `connectTimeoutMs` only lengthens the wait for the first byte,
 *   and `isRequestSent` is true unless the error proves the opposite.
 * - A stale connection is not replaced; about 64 idle ones are kept; the environment variable
 *   `BUN_CONFIG_MAX_HTTP_REQUESTS` (256 if it is not set when the process starts) queues further requests silently.
 * - `fetch` adds User-Agent and Accept where they are missing and writes headers in its own order and case; repeated
 *   headers of a response arrive joined, Set-Cookie excepted, and in another order.
 * - It parses more leniently: a length together with chunks is not refused, nor is a head of 100 KB, and the last chunk
 *   counts as the end of the body without the empty line behind it.
 * - A paused body goes on filling a buffer of its own, up to about 2 MB a stream; the pooled client stops at one packet.
 * - A target that a URL would normalise is refused as `malformed`.
 */
export class FetchHttpClient implements HttpClient {
  readonly #ticker = new DeadlineTicker();
  readonly #scratch = Buffer.allocUnsafe(scratchBytesMin);
  readonly #tlsCa: string | null;
  #isClosed = false;

  constructor(options: FetchHttpClientOptions = {}) {
    this.#tlsCa = options.tlsCa ?? null;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    if (this.#isClosed) {
      throw new HttpClientError("no_connection", false, "the HTTP client is closed");
    }
    if (request.signal.aborted) {
      throw new HttpClientError("aborted", false, "the request was aborted before it was sent");
    }
    const init = this.#describe(request);
    return new FetchExchange(request, this.#ticker).run(formatUrl(request), init);
  }

  /** What `fetch` keeps idle is its own affair; it closes those connections by itself. */
  close(): void {
    this.#isClosed = true;
  }

  #describe(request: HttpRequest): BunFetchRequestInit {
    const { protocol, port, method, headers, body } = request;
    const hostname = parseHostname(request.hostname);
    const host = formatHost(protocol, hostname, port);
    // The same refusals as in the pooled client; the encoded head itself is of no use here.
    encodeRequestHead(request, host, this.#scratch);
    const ca = this.#tlsCa === null ? {} : { ca: this.#tlsCa };
    return {
      method,
      headers: [["host", host], ...headers.map(([name, value]): [string, string] => [name, value])],
      body: body as Uint8Array<ArrayBuffer> | null,
      redirect: "manual",
      decompress: false,
      ...(protocol === "https:" ? { tls: { serverName: hostname, rejectUnauthorized: true, ...ca } } : {}),
    };
  }
}

function formatUrl(request: HttpRequest): string {
  const { protocol, hostname, port, address, target } = request;
  const origin = `${protocol}//${formatHost(protocol, parseHostname(address ?? hostname), port)}`;
  const url = new URL(`${origin}${target}`);
  if (`${url.pathname}${url.search}` !== target) {
    throw new HttpClientError("malformed", false, "the target of the request is not in the form that a URL has");
  }
  return url.href;
}

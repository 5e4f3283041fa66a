import { ConnectionPool } from "./connection-pool.ts";
import { type AnswerSink, Exchange, type ExchangePorts } from "./exchange.ts";
import type { UpstreamLimits, UpstreamRequest } from "./model.ts";

export type UpstreamClientOptions = {
  readonly limits: UpstreamLimits;
  readonly localAddress: string | null;
  readonly tlsCa: string | null;
  readonly idleMsMax: number;
};

const tickMs = 100;

/**
 * HTTP/1.1 to providers over its own connections: a checked address instead of a name, sent from the configured
 * address, no redirects, no decompression, a limit on every phase. One timer watches all calls.
 */
export class UpstreamClient {
  /** Shared by all calls, so that a call needs no closures. */
  readonly #ports: ExchangePorts;
  readonly #pool: ConnectionPool;
  readonly #running = new Set<Exchange>();
  readonly #timer: ReturnType<typeof setInterval>;
  #nowMs = performance.now();
  #seenAddress: string | null = null;

  constructor(options: UpstreamClientOptions) {
    this.#pool = new ConnectionPool(options, () => this.#nowMs);
    this.#ports = {
      pool: this.#pool,
      limits: options.limits,
      now: () => this.#nowMs,
      onConnected: (connection) => {
        this.#seenAddress = connection.localAddress;
      },
      onOver: (over) => this.#running.delete(over),
    };
    this.#timer = setInterval(() => this.#tick(), tickMs);
    this.#timer.unref();
  }

  /** The local address of the last connection, or null before there was one. */
  get seenAddress(): string | null {
    return this.#seenAddress;
  }

  get openConnections(): number {
    return this.#pool.open;
  }

  /**
   * Sends one request; the sink is called back with the response, never before this returned.
   * @throws UpstreamError of kind `malformed` when the request can't be written safely
   */
  send(request: UpstreamRequest, sink: AnswerSink): Exchange {
    const exchange = new Exchange(request, sink, this.#ports);
    this.#running.add(exchange);
    exchange.begin();
    return exchange;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#pool.close();
  }

  #tick(): void {
    this.#nowMs = performance.now();
    for (const exchange of this.#running) {
      exchange.onTick(this.#nowMs);
    }
    this.#pool.closeExpired();
  }
}

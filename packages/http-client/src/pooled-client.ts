import type { AddressGuard } from "./address-guard.ts";
import { ConnectionPool, type ConnectionStatistics } from "./connection-pool.ts";
import { DeadlineTicker } from "./deadline-ticker.ts";
import { Exchange } from "./exchange.ts";
import type { ExchangePorts } from "./exchange-ports.ts";
import type { HttpClient, HttpRequest, HttpResponse, ResponseReceiver } from "./model.ts";

export type PooledHttpClientOptions = {
  /**
   * How long a connection waits for the next request; by default 4 s. Node, uvicorn and Apache close idle connections
   * after 5 s, and a request that is sent at that moment is lost if it must not be repeated.
   */
  readonly idleMsMax?: number;
  /** A request that would need one more connection fails as `unreachable`. The default is 10,000. */
  readonly connectionsMax?: number;
  /** PEM certificates that are trusted instead of the system's authorities. */
  readonly tlsCa?: string;
  /**
   * Decides where names may lead whenever a connection is made. Without it, every server of the network can be called.
   */
  readonly guard?: AddressGuard;
  /** The local address of connections; without it, the system chooses. */
  readonly localAddress?: string;
};

/**
 * HTTP/1.1 over its own connections, with any number of them idle.
 *
 * A request that can't be written safely fails as `malformed` with `isRequestSent` false; what the peer sends is only
 * ever malformed with `isRequestSent` true. While a large request body is being sent, each part that the peer accepts
 * restarts the wait for the first byte; once the head of the response has begun, `idleTimeoutMs` applies to it.
 * Callbacks of a body come after `consume` has returned. A sink that throws ends its response as `aborted`.
 */
export class PooledHttpClient implements HttpClient {
  readonly #ports: ExchangePorts;

  constructor(options: PooledHttpClientOptions = {}) {
    const ticker = new DeadlineTicker();
    const { idleMsMax = 4_000, connectionsMax = 10_000, tlsCa = null, guard = null, localAddress = null } = options;
    this.#ports = {
      ticker,
      pool: new ConnectionPool({ idleMsMax, connectionsMax, tlsCa, guard, localAddress }, ticker),
    };
  }

  get statistics(): ConnectionStatistics {
    return this.#ports.pool.statistics;
  }

  /** The local address of the newest connection, or null before there was one. */
  get seenLocalAddress(): string | null {
    return this.#ports.pool.seenLocalAddress;
  }

  send(request: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      new Exchange(request, this.#ports, { onResponse: resolve, onFailure: reject }).begin();
    });
  }

  ask(request: HttpRequest, receiver: ResponseReceiver): void {
    new Exchange(request, this.#ports, receiver).begin();
  }

  close(): void {
    this.#ports.pool.close();
  }
}

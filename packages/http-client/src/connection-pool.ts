import type { AddressGuard } from "./address-guard.ts";
import { Connection, type ConnectionKeeper, type Destination } from "./connection.ts";
import type { ConnectionUser } from "./connection-user.ts";
import type { DeadlineTicker, Timed } from "./deadline-ticker.ts";
import { HttpClientError, type HttpRequest } from "./model.ts";
import { formatHost, parseHostname, scratchBytesMin } from "./request-head.ts";
import { KnownLines } from "./response-head.ts";

export type ConnectionPoolOptions = {
  readonly connectionsMax: number;
  readonly idleMsMax: number;
  readonly tlsCa: string | null;
  readonly guard: AddressGuard | null;
  readonly localAddress: string | null;
};

export type ConnectionStatistics = {
  /** The number of connections that exist now, in use or idle, including those being opened. */
  readonly open: number;
  readonly idle: number;
  /** The number of connections begun since the client was created. */
  readonly begun: number;
};

// The system continues an attempt to connect for about two minutes, even if we have given up on it. Without a limit, a
// host that swallows packets would fill the whole pool with such attempts.
const unansweredMax = 64;
// A live host answers within this time; an attempt that was abandoned sooner says nothing about the host.
const answerMsMax = 1_000;
// We close an idle connection this long before the peer would, so that no request is sent while the peer closes.
const keepAliveMarginMs = 1_000;

/** All connections of one client: it knows which are idle, limits their number, and closes them in time. */
export class ConnectionPool implements ConnectionKeeper, Timed {
  tickerSlot = -1;
  readonly scratch = Buffer.allocUnsafe(scratchBytesMin);
  readonly guard: AddressGuard | null;
  readonly localAddress: string | null;
  /** The local address of the newest connection, or null before there was one. */
  seenLocalAddress: string | null = null;
  readonly #options: ConnectionPoolOptions;
  readonly #ticker: DeadlineTicker;
  readonly #destinations = new Map<string, Destination>();
  #latest: Destination | null = null;
  #open = 0;
  #begun = 0;
  #isClosed = false;

  constructor(options: ConnectionPoolOptions, ticker: DeadlineTicker) {
    this.#options = options;
    this.guard = options.guard;
    this.localAddress = options.localAddress;
    this.#ticker = ticker;
  }

  get statistics(): ConnectionStatistics {
    let idle = 0;
    for (const destination of this.#destinations.values()) {
      idle += destination.idle.length;
    }
    return { open: this.#open, idle, begun: this.#begun };
  }

  /** @throws HttpClientError of kind `malformed` for an invalid host name or address */
  destinationOf(request: HttpRequest): Destination {
    const { protocol, hostname, port } = request;
    const address = request.address ?? null;
    const latest = this.#latest;
    if (
      latest !== null &&
      latest.hostname === hostname &&
      latest.port === port &&
      latest.protocol === protocol &&
      latest.address === address
    ) {
      return latest;
    }
    const key = `${protocol}//${hostname} ${port} ${address ?? ""}`;
    const destination = this.#destinations.get(key) ?? this.#addDestination(key, request, address);
    this.#latest = destination;
    return destination;
  }

  /**
   * The connection that became idle last: it is the most likely to be alive, and the others can grow old and be closed
   * if there are more of them than the load needs.
   */
  takeIdle(destination: Destination): Connection | null {
    const connection = destination.idle.pop();
    if (connection === undefined) {
      return null;
    }
    connection.isIdle = false;
    return connection;
  }

  /**
   * @throws HttpClientError of kind `no_connection` when the client is closed or all its connections are in use,
   * `unreachable` when the peer has left too many attempts unanswered
   */
  connect(destination: Destination, user: ConnectionUser): Connection {
    if (this.#isClosed) {
      throw new HttpClientError("no_connection", false, "the HTTP client is closed");
    }
    if (destination.abandoned.length >= unansweredMax && this.#countUnanswered(destination) >= unansweredMax) {
      throw new HttpClientError("unreachable", false, `the peer has not answered ${unansweredMax} connection attempts`);
    }
    if (this.#open >= this.#options.connectionsMax && !this.#closeOldestIdle()) {
      throw new HttpClientError("no_connection", false, `all ${this.#options.connectionsMax} connections are in use`);
    }
    const connection = new Connection(destination, this);
    connection.begunMs = this.#ticker.nowMs;
    destination.open += 1;
    this.#open += 1;
    this.#begun += 1;
    connection.connect(user);
    return connection;
  }

  onOpened(connection: Connection): void {
    const { destination } = connection;
    this.seenLocalAddress = connection.localAddress;
    // The host has answered, so the earlier attempts that it has not answered no longer count against it.
    if (destination.abandoned.length > 0) {
      destination.abandoned = [];
    }
  }

  onAbandoned(connection: Connection): void {
    connection.destination.abandoned.push(connection);
  }

  onReleased(connection: Connection): void {
    const { keepAliveMsMax } = connection;
    if (this.#isClosed || (keepAliveMsMax !== null && keepAliveMsMax <= keepAliveMarginMs)) {
      connection.close();
      return;
    }
    connection.isReused = true;
    connection.isIdle = true;
    connection.idleSinceMs = this.#ticker.nowMs;
    connection.destination.idle.push(connection);
  }

  onClosed(connection: Connection): void {
    const destination = connection.destination;
    destination.open -= 1;
    this.#open -= 1;
    if (destination.abandoned.length > 0) {
      destination.abandoned = destination.abandoned.filter((other) => other !== connection);
    }
    if (connection.isIdle) {
      connection.isIdle = false;
      destination.idle.splice(destination.idle.indexOf(connection), 1);
    }
  }

  onTick(nowMs: number): void {
    for (const destination of this.#destinations.values()) {
      this.#closeExpired(destination, nowMs);
      if (destination.open === 0) {
        this.#removeDestination(destination);
      }
    }
  }

  /** Closes the idle connections; from now on none becomes idle again. */
  close(): void {
    this.#isClosed = true;
    for (const destination of this.#destinations.values()) {
      closeAll(destination.idle.splice(0));
    }
  }

  #addDestination(key: string, request: HttpRequest, address: string | null): Destination {
    const { protocol, port } = request;
    const hostname = parseHostname(request.hostname);
    const { tlsCa } = this.#options;
    const destination: Destination = {
      key,
      protocol,
      hostname,
      port,
      address: address === null ? null : parseHostname(address),
      host: formatHost(protocol, hostname, port),
      tls:
        protocol === "https:"
          ? { serverName: hostname, rejectUnauthorized: true, ...(tlsCa === null ? {} : { ca: tlsCa }) }
          : null,
      lines: new KnownLines(),
      idle: [],
      open: 0,
      abandoned: [],
    };
    if (this.#destinations.size === 0) {
      this.#ticker.add(this);
    }
    this.#destinations.set(key, destination);
    return destination;
  }

  #removeDestination(destination: Destination): void {
    this.#destinations.delete(destination.key);
    this.#latest = null;
    if (this.#destinations.size === 0) {
      this.#ticker.remove(this);
    }
  }

  #closeExpired(destination: Destination, nowMs: number): void {
    let expired = 0;
    for (const connection of destination.idle) {
      const { keepAliveMsMax } = connection;
      const idleMsMax = Math.min(this.#options.idleMsMax, (keepAliveMsMax ?? Number.MAX_VALUE) - keepAliveMarginMs);
      if (nowMs - connection.idleSinceMs < idleMsMax) {
        break;
      }
      expired += 1;
    }
    if (expired > 0) {
      closeAll(destination.idle.splice(0, expired));
    }
  }

  #countUnanswered({ abandoned }: Destination): number {
    const nowMs = this.#ticker.nowMs;
    return abandoned.filter(({ begunMs }) => nowMs - begunMs >= answerMsMax).length;
  }

  #closeOldestIdle(): boolean {
    let oldest: Connection | null = null;
    for (const destination of this.#destinations.values()) {
      const candidate = destination.idle[0];
      if (candidate !== undefined && (oldest === null || candidate.idleSinceMs < oldest.idleSinceMs)) {
        oldest = candidate;
      }
    }
    oldest?.close();
    return oldest !== null;
  }
}

function closeAll(connections: readonly Connection[]): void {
  for (const connection of connections) {
    connection.isIdle = false;
    connection.close();
  }
}

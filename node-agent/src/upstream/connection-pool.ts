import { Connection, type ConnectionRoute } from "./connection.ts";
import type { Destination } from "./model.ts";

export type ConnectionPoolOptions = {
  readonly localAddress: string | null;
  readonly tlsCa: string | null;
  /** Shorter than the 5 s after which many servers hang up, so that no request crosses their close. */
  readonly idleMsMax: number;
};

/** The idle connections, by the address that they go to. */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #now: () => number;
  readonly #idle = new Map<string, Connection[]>();
  #open = 0;
  #isClosed = false;

  constructor(options: ConnectionPoolOptions, now: () => number) {
    this.#options = options;
    this.#now = now;
  }

  /** Connections that exist now, in use or idle. */
  get open(): number {
    return this.#open;
  }

  /** The connection that became idle last, so that the others can age when there are too many. */
  takeIdle(destination: Destination, addresses: readonly string[]): Connection | null {
    for (const address of addresses) {
      const connection = this.#idle.get(keyOf(destination, address))?.pop();
      if (connection !== undefined) {
        return connection;
      }
    }
    return null;
  }

  /** @throws UpstreamError of kind `unreachable` or `tls`, out of `Connection.open` */
  create(destination: Destination, address: string): Connection {
    const { localAddress, tlsCa } = this.#options;
    const route: ConnectionRoute = { key: keyOf(destination, address), destination, address, localAddress, tlsCa };
    this.#open += 1;
    return new Connection(
      route,
      (connection) => this.#keep(connection),
      (connection) => this.#forget(connection),
    );
  }

  closeExpired(): void {
    const oldestMs = this.#now() - this.#options.idleMsMax;
    for (const [key, connections] of this.#idle) {
      const expired = connections.findIndex(({ idleSinceMs }) => idleSinceMs > oldestMs);
      for (const connection of connections.splice(0, expired === -1 ? connections.length : expired)) {
        connection.abandon();
      }
      if (connections.length === 0) {
        this.#idle.delete(key);
      }
    }
  }

  /** Closes idle connections and lets no further ones become idle. */
  close(): void {
    this.#isClosed = true;
    for (const connections of this.#idle.values()) {
      for (const connection of connections.splice(0)) {
        connection.abandon();
      }
    }
  }

  #keep(connection: Connection): void {
    if (this.#isClosed) {
      connection.abandon();
      return;
    }
    connection.idleSinceMs = this.#now();
    const { key } = connection.route;
    const connections = this.#idle.get(key);
    if (connections === undefined) {
      this.#idle.set(key, [connection]);
    } else {
      connections.push(connection);
    }
  }

  #forget(connection: Connection): void {
    this.#open -= 1;
    const connections = this.#idle.get(connection.route.key);
    const place = connections?.indexOf(connection) ?? -1;
    if (place !== -1) {
      connections?.splice(place, 1);
    }
  }
}

function keyOf({ protocol, hostname, port }: Destination, address: string): string {
  return `${protocol}//${hostname}:${port} ${address}`;
}

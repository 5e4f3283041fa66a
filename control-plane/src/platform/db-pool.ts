import { SQL } from "bun";
import {
  DatabaseTimeoutError,
  DatabaseUnavailableError,
  isConnectionLoss,
  PoolExhaustedError,
  translateDriverError,
} from "./db-errors.ts";

/** The result of a statement: its rows, and how many rows it wrote. */
export type StatementResult<Row> = Row[] & SQL.ResultMetadata;

/** Builds the statement on the connection that will run it. */
export type StatementSource<Row> = (client: SQL) => SQL.Query<Row[]>;

export type PoolOptions = {
  readonly url: string;
  readonly poolMax: number;
  /** The name that `pg_stat_activity` shows. */
  readonly applicationName: string;
  /** The role that every connection acts as; null for the login role. */
  readonly role: string | null;
  /** The server cancels a statement after this time. */
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly idleInTransactionTimeoutMs: number;
  /** How long a caller waits for a free connection, including opening one. */
  readonly acquireTimeoutMs: number;
  /** Called after every response and every loss; determines the readiness of the process. */
  readonly onContact: (contact: "answered" | "lost") => void;
  /** Whether the database is known to be unreachable. */
  readonly isAway: () => boolean;
};

/**
 * How much longer than the server we wait. A live server reaches its own limit first, so this limit is only reached
 * when the server or the network is silent.
 */
const silenceGraceMs = 1_000;

/** More callers than this are refused immediately instead of queued. */
const waitersMax = 1_000;

/** This is long enough for a server that is back, and short enough for a caller who would rather get an error. */
const acquireTimeoutMsWhileAway = 250;

/** A connection that nobody needs is closed after this time. */
const idleMsMax = 10_000;
/** One connection stays, so that a quiet process answers its next statement immediately. */
const idleConnectionsMin = 1;
const connectionLifetimeSecondsMax = 3_600;

/** The settings that every connection applies when it opens, so that no later statement can run without them. */
export function sessionSettings(options: {
  readonly applicationName: string;
  readonly role: string | null;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly idleInTransactionTimeoutMs: number;
}): Record<string, string | number> {
  return {
    application_name: options.applicationName,
    // The `date` and `timestamptz` texts that this program reads and writes are UTC.
    TimeZone: "UTC",
    client_min_messages: "warning",
    // The spool deletes what the server has confirmed, so the server must not confirm before it has written.
    synchronous_commit: "on",
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs,
    // Keepalives make sure that a client machine that vanished does not keep its row locks for hours.
    tcp_keepalives_idle: 30,
    tcp_keepalives_interval: 10,
    tcp_keepalives_count: 3,
    ...(options.role === null ? {} : { role: options.role }),
  };
}

/** A client of the driver with one connection, which opens with its first use. */
type Client = { readonly sql: SQL; idleSinceTick: number };

/**
 * A bounded set of connections; only as many are open as are needed: a server has few for many processes. The
 * driver's own pool opens all of them with the first statement. The one that was used last is used next, so that the
 * others become idle, and are closed. Every statement runs on a connection that it owns alone, because only then can a silent
 * connection be closed without affecting others; measurements show no cost compared with the driver's shared queue.
 */
export class ConnectionPool {
  readonly #options: PoolOptions;
  /** All clients that are not idle, including those that are opening. */
  readonly #busy = new Set<Client>();
  /** The one used last is at the end. */
  readonly #idle: Client[] = [];
  readonly #queue: ((client: Client) => void)[] = [];
  #sweep: Timer | null = null;
  #waiting = 0;
  #inUse = 0;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get inUse(): number {
    return this.#inUse;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Takes a connection out of the pool; the caller must `release` or `destroy` it.
   * @throws PoolExhaustedError when all connections stay busy
   * @throws DatabaseUnavailableError when no connection can be opened
   */
  async acquire(): Promise<PooledConnection> {
    if (this.#isClosed) {
      throw new DatabaseUnavailableError("the database pool is closed");
    }
    if (this.#waiting >= waitersMax) {
      throw new PoolExhaustedError(`${waitersMax} callers already wait for a database connection`);
    }
    const { acquireTimeoutMs, poolMax } = this.#options;
    const patienceMs = this.#options.isAway()
      ? Math.min(acquireTimeoutMsWhileAway, acquireTimeoutMs)
      : acquireTimeoutMs;
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), patienceMs);
    this.#waiting += 1;
    let client: Client | null = null;
    try {
      client = this.#take() ?? (await this.#inTurn(patience.signal));
      const reserved = await client.sql.reserve({ signal: patience.signal });
      const taken = client;
      this.#inUse += 1;
      return new PooledConnection(reserved, this.#options, (isLost) => {
        this.#inUse -= 1;
        this.#giveBack(taken, isLost);
      });
    } catch (error) {
      if (client !== null) {
        this.#giveBack(client, true);
      }
      if (patience.signal.aborted && this.#inUse >= poolMax) {
        throw new PoolExhaustedError(`no database connection became free in ${patienceMs} ms`);
      }
      this.#options.onContact("lost");
      throw patience.signal.aborted
        ? new DatabaseUnavailableError(`no database connection opened in ${patienceMs} ms`)
        : translateDriverError(error);
    } finally {
      clearTimeout(timer);
      this.#waiting -= 1;
    }
  }

  /** Runs one statement on its own connection. */
  async run<Row>(source: StatementSource<Row>): Promise<StatementResult<Row>> {
    const connection = await this.acquire();
    try {
      return await connection.run(source);
    } finally {
      connection.release();
    }
  }

  /** Lets running statements finish for at most `timeoutMs`, then closes all connections. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweep ?? undefined);
    const clients = [...this.#idle.splice(0), ...this.#busy];
    await Promise.all(clients.map(({ sql }) => sql.close({ timeout: timeoutMs / 1_000 })));
  }

  /** A client that is free or new; null if all are in use. */
  #take(): Client | null {
    const client = this.#idle.pop() ?? (this.#busy.size < this.#options.poolMax ? this.#open() : null);
    if (client !== null) {
      this.#busy.add(client);
    }
    return client;
  }

  /** Waits for a client that another caller gives back. */
  #inTurn(signal: AbortSignal): Promise<Client> {
    return new Promise((resolve, reject) => {
      const onFree = (client: Client): void => {
        signal.removeEventListener("abort", onEnd);
        resolve(client);
      };
      const onEnd = (): void => {
        this.#queue.splice(this.#queue.indexOf(onFree), 1);
        reject(new Error("no connection became free"));
      };
      this.#queue.push(onFree);
      signal.addEventListener("abort", onEnd, { once: true });
    });
  }

  #open(): Client {
    const { url, acquireTimeoutMs } = this.#options;
    this.#sweep ??= setInterval(() => this.#closeIdle(), idleMsMax / 3).unref();
    const sql = new SQL(url, {
      adapter: "postgres",
      max: 1,
      // Integers are exact: `int8` comes back as bigint. `numeric` is text in any case.
      bigint: true,
      connectionTimeout: Math.ceil(acquireTimeoutMs / 1_000),
      maxLifetime: connectionLifetimeSecondsMax,
      connection: sessionSettings(this.#options),
    });
    return { sql, idleSinceTick: 0 };
  }

  #giveBack(client: Client, isLost: boolean): void {
    this.#busy.delete(client);
    if (isLost || this.#isClosed) {
      ignoreOutcome(client.sql.close({ timeout: 0 }));
      if (this.#isClosed) {
        return;
      }
    } else {
      client.idleSinceTick = performance.now();
      this.#idle.push(client);
    }
    if (this.#queue.length > 0) {
      const next = this.#take();
      if (next !== null) {
        this.#queue.shift()?.(next);
      }
    }
  }

  #closeIdle(): void {
    const before = performance.now() - idleMsMax;
    for (const { sql, idleSinceTick } of [...this.#idle]) {
      if (idleSinceTick > before || this.#idle.length + this.#busy.size <= idleConnectionsMin) {
        return;
      }
      this.#idle.shift();
      ignoreOutcome(sql.close({ timeout: 0 }));
    }
  }
}

/** One connection, owned by one caller until it is given back. */
export class PooledConnection {
  readonly #client: Bun.ReservedSQL;
  readonly #options: PoolOptions;
  readonly #onEnd: (isLost: boolean) => void;
  #state: "open" | "returned" | "lost" = "open";

  constructor(client: Bun.ReservedSQL, options: PoolOptions, onEnd: (isLost: boolean) => void) {
    this.#client = client;
    this.#options = options;
    this.#onEnd = onEnd;
  }

  /** Whether it was closed because the server hung up or stayed silent. */
  get isLost(): boolean {
    return this.#state === "lost";
  }

  /**
   * Runs one statement. When the server stays silent beyond its own limit, the connection is closed (the pool opens
   * another) and the statement fails.
   * @param statementTimeoutMs the server's limit, if the caller has set another one than the pool's on this connection
   */
  async run<Row>(source: StatementSource<Row>, statementTimeoutMs?: number): Promise<StatementResult<Row>> {
    return (await this.#inTime(source, statementTimeoutMs)) as StatementResult<Row>;
  }

  /** Runs a `COPY ... FROM STDIN` with what it reads. The same limits apply. */
  async copyIn(text: string, bytes: Uint8Array, statementTimeoutMs?: number): Promise<void> {
    await this.#inTime(async (client) => {
      const writer = client.unsafe(text).writable().getWriter();
      await writer.write(bytes);
      await writer.close();
    }, statementTimeoutMs);
  }

  async #inTime<Result>(work: (client: SQL) => Promise<Result>, statementTimeoutMs?: number): Promise<Result> {
    if (this.#state === "lost") {
      throw new DatabaseUnavailableError("the connection was lost before this statement");
    }
    if (this.#state === "returned") {
      throw new Error("the database connection was used after it was given back");
    }
    const limitMs = (statementTimeoutMs ?? this.#options.statementTimeoutMs) + silenceGraceMs;
    const silence = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      // The caller's promise is rejected before the connection is closed, so that the caller sees the reason and not
      // its consequence.
      silence.reject(new DatabaseTimeoutError("client"));
      this.#options.onContact("lost");
      this.destroy();
    }, limitMs);
    try {
      const result = await Promise.race([work(this.#client), silence.promise]);
      this.#options.onContact("answered");
      return result;
    } catch (error) {
      if (isConnectionLoss(error)) {
        this.#options.onContact("lost");
        this.destroy();
      }
      throw translateDriverError(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Gives the connection back. Has no effect after `destroy`. */
  release(): void {
    if (this.#state === "open") {
      ignoreOutcome(this.#client.release());
      this.#end("returned");
    }
  }

  /** Closes the connection; the pool opens a new one when needed. */
  destroy(): void {
    if (this.#state === "open") {
      ignoreOutcome(this.#client.close({ timeout: 0 }));
      this.#end("lost");
    }
  }

  #end(state: "returned" | "lost"): void {
    this.#state = state;
    this.#onEnd(state === "lost");
  }
}

/** Closing a connection that is already dead may fail; nothing can be done about it. */
function ignoreOutcome(ending: Promise<void>): void {
  ending.catch(() => undefined);
}

import { SQL } from "bun";
import { backoffMs } from "./backoff.ts";
import type { Queryable } from "./db.ts";
import { PoolExhaustedError } from "./db-errors.ts";
import type { Log } from "./log.ts";

/** Payloads are short texts (the server accepts less than 8,000 bytes): an id, not the thing itself. */
export type NotificationHandler = (payload: string) => void;

export type Notifications = {
  /**
   * Calls the handler for every message on the channel, from any replica, as soon as the connection is up.
   * @returns a function that stops it
   */
  readonly listen: (channel: string, handler: NotificationHandler) => () => void;
  /**
   * Calls the handler each time listening was re-established: messages sent meanwhile are lost, so handlers have to
   * read again whatever the messages announce. Not called for the first connection.
   * @returns a function that stops it
   */
  readonly onGap: (handler: () => void) => () => void;
  /** Whether messages arrive now. */
  readonly isConnected: () => boolean;
  /**
   * Resolves when messages arrive on every channel requested so far. A caller that reads its data after that misses no
   * change. Pending while the database is unreachable, rejected by `close`.
   */
  readonly connected: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const reconnectBackoff = { minMs: 50, maxMs: 1_000 };
const connectTimeoutMs = 3_000;

/**
 * A connection whose far end vanished silently looks like a quiet one. So this process sends itself a message every few
 * seconds; when a message does not arrive, the connection is replaced.
 */
const echoIntervalMs = 2_000;
const echoTimeoutMs = 2_000;

/** Sends a message to all replicas. In a transaction it is sent at COMMIT, and not at all if that fails. */
export async function notify(db: Queryable, channel: string, payload: string): Promise<void> {
  await db.sql`select pg_notify(${channel}, ${payload})`;
}

/** Sends a message without a payload, over another connection. */
export type SendEcho = (channel: string) => Promise<unknown>;

/**
 * Listens on a separate connection. The driver would reconnect by itself, but waits up to 32 s between attempts after
 * an outage and does not report missed messages.
 */
export function openNotifications(databaseUrl: string, log: Log, sendEcho: SendEcho): Notifications {
  const listener = new Listener(databaseUrl, log, sendEcho);
  listener.start();
  return {
    listen: (channel, handler) => listener.listen(channel, handler),
    onGap: (handler) => listener.onGap(handler),
    isConnected: () => listener.isConnected,
    connected: () => listener.connected(),
    close: () => listener.close(),
  };
}

class Listener {
  readonly #url: string;
  readonly #log: Log;
  readonly #sendEcho: SendEcho;
  readonly #handlers = new Map<string, Set<NotificationHandler>>();
  readonly #gapHandlers = new Set<() => void>();
  #session: ListenSession | null = null;
  #isUp = false;
  #wasUp = false;
  #isClosed = false;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #up = Promise.withResolvers<void>();

  constructor(url: string, log: Log, sendEcho: SendEcho) {
    this.#url = url;
    this.#log = log;
    this.#sendEcho = sendEcho;
    // `close` rejects the promise even if nobody waits for it.
    this.#up.promise.catch(() => undefined);
  }

  get isConnected(): boolean {
    return this.#isUp;
  }

  async connected(): Promise<void> {
    let session: ListenSession | null;
    do {
      await this.#up.promise;
      session = this.#session;
      await session?.subscribed();
      // A session that was lost while it was being set up is replaced.
    } while (session === null || session !== this.#session);
  }

  start(): void {
    const session = new ListenSession(this.#url, {
      deliver: (channel, payload) => this.#deliver(channel, payload),
      lost: (error) => this.#lose(session, error),
      sendEcho: this.#sendEcho,
    });
    this.#session = session;
    session.open([...this.#handlers.keys()]).then(
      () => this.#begin(session),
      (error: unknown) => this.#lose(session, error),
    );
  }

  listen(channel: string, handler: NotificationHandler): () => void {
    const handlers = this.#handlers.get(channel) ?? new Set();
    handlers.add(handler);
    if (!this.#handlers.has(channel)) {
      this.#handlers.set(channel, handlers);
      this.#session?.add(channel);
    }
    return () => handlers.delete(handler);
  }

  onGap(handler: () => void): () => void {
    this.#gapHandlers.add(handler);
    return () => this.#gapHandlers.delete(handler);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isUp = false;
    clearTimeout(this.#retry);
    this.#up.reject(new Error("notifications are closed"));
    await this.#session?.close();
  }

  #begin(session: ListenSession): void {
    if (this.#isClosed || this.#session !== session) {
      return;
    }
    const isGap = this.#wasUp;
    this.#isUp = true;
    this.#wasUp = true;
    this.#failures = 0;
    this.#up.resolve();
    if (isGap) {
      this.#log.info("notifications.reconnected");
      for (const handler of this.#gapHandlers) {
        this.#call(() => handler());
      }
    }
  }

  #lose(session: ListenSession, error: unknown): void {
    if (this.#isClosed || this.#session !== session) {
      return;
    }
    if (this.#isUp || this.#failures === 0) {
      this.#log.warn("notifications.lost", { error: error instanceof Error ? error.message : String(error) });
    }
    if (this.#isUp) {
      this.#isUp = false;
      this.#up = Promise.withResolvers();
      this.#up.promise.catch(() => undefined);
    }
    this.#session = null;
    session.close().catch(() => undefined);
    this.#failures += 1;
    this.#retry = setTimeout(() => this.start(), backoffMs(reconnectBackoff, this.#failures));
  }

  #deliver(channel: string, payload: string): void {
    for (const handler of this.#handlers.get(channel) ?? []) {
      this.#call(() => handler(payload));
    }
  }

  /** A bug in one handler must not end the process, nor keep others from getting the message. */
  #call(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      this.#log.error("notifications.handler_failed", { error });
    }
  }
}

type SessionEvents = {
  readonly deliver: (channel: string, payload: string) => void;
  /** Called at most once, after `open` has succeeded. */
  readonly lost: (error: unknown) => void;
  readonly sendEcho: SendEcho;
};

/** One listening connection, from its opening to its first failure; it is never revived. */
class ListenSession {
  readonly #client: SQL;
  readonly #events: SessionEvents;
  readonly #echoChannel = `sluice_echo_${crypto.randomUUID()}`;
  #echo: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;
  #added: Promise<unknown> = Promise.resolve();

  constructor(url: string, events: SessionEvents) {
    this.#events = events;
    this.#client = new SQL(url, {
      adapter: "postgres",
      // The driver opens a connection for incoming messages, and this one only for statements, and there are none.
      max: 1,
      connectionTimeout: connectTimeoutMs / 1_000,
      connection: { application_name: "sluice notifications", statement_timeout: echoTimeoutMs },
      onclose: (error) => this.#end(error),
    });
  }

  async open(channels: readonly string[]): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("listening did not begin in time")), connectTimeoutMs);
    try {
      const all = [this.#echoChannel, ...channels].map((channel) => this.#subscribe(channel));
      await Promise.race([Promise.all(all), late.promise]);
    } finally {
      clearTimeout(timer);
    }
    this.#scheduleEcho();
  }

  /** Listens on one more channel. */
  add(channel: string): void {
    const adding = this.#subscribe(channel).catch((error: unknown) => this.#end(error));
    this.#added = Promise.all([this.#added, adding]);
  }

  /** Resolves when the server has acknowledged every channel that was added, or the session is over. */
  async subscribed(): Promise<void> {
    await this.#added;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#echo);
    await this.#client.close({ timeout: 0 });
  }

  async #subscribe(channel: string): Promise<void> {
    await this.#client.listen(channel, (payload) => {
      if (channel === this.#echoChannel) {
        this.#scheduleEcho();
      } else if (!this.#isOver) {
        this.#events.deliver(channel, payload);
      }
    });
  }

  #scheduleEcho(): void {
    clearTimeout(this.#echo);
    if (this.#isOver) {
      return;
    }
    this.#echo = setTimeout(() => {
      this.#echo = setTimeout(() => this.#end(new Error("the connection is silent")), echoTimeoutMs);
      this.#echo.unref();
      this.#events.sendEcho(this.#echoChannel).catch((error: unknown) => this.#onNotSent(error));
    }, echoIntervalMs);
    this.#echo.unref();
  }

  /** A process whose connections are all in use learns nothing of this one. */
  #onNotSent(error: unknown): void {
    if (error instanceof PoolExhaustedError) {
      this.#scheduleEcho();
    } else {
      this.#end(error);
    }
  }

  #end(error: unknown): void {
    if (!this.#isOver) {
      this.#isOver = true;
      clearTimeout(this.#echo);
      this.#events.lost(error);
    }
  }
}

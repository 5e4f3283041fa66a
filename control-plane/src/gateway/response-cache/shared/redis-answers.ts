import { RedisClient } from "bun";
import type { SealedStore } from "./guarded-answers.ts";

const connectMsMax = 2_000;
const keyPrefix = "sluice:response:";

type Connection = { readonly client: RedisClient; readonly opened: Promise<unknown>; isOpening: boolean };

/** Answers in a server that speaks the Redis protocol. A connection is opened when it is needed, and again after a failure. */
export class RedisAnswers implements SealedStore {
  readonly #url: string;
  #connection: Connection | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  async find(digest: string): Promise<Uint8Array | null> {
    const client = await this.#connect();
    return await client.getBuffer(`${keyPrefix}${digest}`);
  }

  async keep(digest: string, sealed: Uint8Array, lifetimeMs: number): Promise<void> {
    const client = await this.#connect();
    await client.set(`${keyPrefix}${digest}`, sealed, "PX", Math.max(1, Math.floor(lifetimeMs)));
  }

  /** A connection may take longer to open than a call waits; the next one finds it open. */
  reset(): void {
    if (this.#connection?.isOpening !== true) {
      this.close();
    }
  }

  close(): void {
    this.#connection?.client.close();
    this.#connection = null;
  }

  async #connect(): Promise<RedisClient> {
    this.#connection ??= this.#open();
    const { client, opened } = this.#connection;
    await opened;
    return client;
  }

  #open(): Connection {
    // The client's own reconnects would compete with ours, and its queue would keep calls waiting.
    const options = { connectionTimeout: connectMsMax, autoReconnect: false, enableOfflineQueue: false };
    const client = new RedisClient(this.#url, options);
    const connection: Connection = { client, opened: client.connect(), isOpening: true };
    // By the time it fails, nobody may be waiting for it.
    connection.opened.then(
      () => {
        connection.isOpening = false;
      },
      () => this.#drop(connection),
    );
    return connection;
  }

  #drop(failed: Connection): void {
    failed.client.close();
    if (this.#connection === failed) {
      this.#connection = null;
    }
  }
}

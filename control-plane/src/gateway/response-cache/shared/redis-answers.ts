import { RedisClient } from "bun";
import type { SealedStore } from "./guarded-answers.ts";

const connectMsMax = 2_000;
const keyPrefix = "sluice:response:";

/** Answers in a server that speaks the Redis protocol. A connection is opened when it is needed, and again after a failure. */
export class RedisAnswers implements SealedStore {
  readonly #url: string;
  #connection: { readonly client: RedisClient; readonly opened: Promise<unknown> } | null = null;

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

  reset(): void {
    this.#connection?.client.close();
    this.#connection = null;
  }

  close(): void {
    this.reset();
  }

  async #connect(): Promise<RedisClient> {
    this.#connection ??= this.#open();
    const { client, opened } = this.#connection;
    await opened;
    return client;
  }

  #open(): { readonly client: RedisClient; readonly opened: Promise<unknown> } {
    // The client's own reconnects would go on beside ours, and its queue would keep calls waiting.
    const options = { connectionTimeout: connectMsMax, autoReconnect: false, enableOfflineQueue: false };
    const client = new RedisClient(this.#url, options);
    const opened = client.connect();
    // Nobody may wait for it any more by the time it fails.
    opened.catch(() => undefined);
    return { client, opened };
  }
}

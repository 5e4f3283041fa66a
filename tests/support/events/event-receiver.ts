import { patienceMs } from "../values/patience.ts";

/** What a receiver got. */
export type ReceivedMessage = {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly json: Record<string, unknown>;
};

type Reply = (message: ReceivedMessage) => Response | Promise<Response>;

/** A server to which events are posted. It answers as told, by default with 204. */
export class EventReceiver {
  readonly messages: ReceivedMessage[] = [];
  reply: Reply = () => new Response(null, { status: 204 });
  readonly #server: ReturnType<typeof Bun.serve>;
  #waiting: (() => void)[] = [];

  constructor() {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url);
        const body = await request.text();
        const message = {
          path: pathname + search,
          headers: Object.fromEntries(request.headers),
          body,
          json: JSON.parse(body) as Record<string, unknown>,
        };
        this.messages.push(message);
        const waiting = this.#waiting;
        this.#waiting = [];
        for (const wake of waiting) {
          wake();
        }
        return await this.reply(message);
      },
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** The messages whose path begins with this, once there are so many. */
  async wait(path: string, count: number, timeoutMs = patienceMs): Promise<ReceivedMessage[]> {
    const overdue = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      overdue.reject(new Error(`${this.at(path).length} of ${count} messages at ${path} after ${timeoutMs} ms`));
    }, timeoutMs);
    try {
      while (this.at(path).length < count) {
        const next = Promise.withResolvers<void>();
        this.#waiting.push(next.resolve);
        await Promise.race([next.promise, overdue.promise]);
      }
      return this.at(path);
    } finally {
      clearTimeout(timer);
    }
  }

  at(path: string): ReceivedMessage[] {
    return this.messages.filter((message) => message.path.startsWith(path));
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }
}

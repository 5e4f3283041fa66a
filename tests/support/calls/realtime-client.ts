import { patienceMs } from "../values/patience.ts";

/** A client of `/v1/realtime` that keeps the events it gets, and lets tests wait for them. */

export type RealtimeEvent = { readonly type: string; readonly [name: string]: unknown };
export type RealtimeClose = { readonly code: number; readonly reason: string };

export type RealtimeClientOptions = {
  readonly headers?: Record<string, string>;
  readonly subprotocols?: readonly string[];
  /** PEM, for a server whose authority is not well known. */
  readonly ca?: string;
};

export class RealtimeClient {
  readonly events: RealtimeEvent[] = [];
  readonly frames: (string | Buffer)[] = [];
  readonly closed: Promise<RealtimeClose>;
  readonly #socket: WebSocket;
  #waiters: (() => void)[] = [];
  #taken = 0;
  #isClosed = false;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      socket.addEventListener("close", ({ code, reason }) => {
        this.#isClosed = true;
        resolve({ code, reason });
        this.#wake();
      });
    });
    socket.addEventListener("message", ({ data }) => {
      this.frames.push(data);
      if (typeof data === "string") {
        this.events.push(JSON.parse(data));
      }
      this.#wake();
    });
  }

  /** Resolves once the connection is open. @throws Error when it is refused */
  static async open(url: string, options: RealtimeClientOptions = {}): Promise<RealtimeClient> {
    const { headers = {}, subprotocols = [], ca } = options;
    const tls = ca === undefined ? {} : { tls: { ca } };
    const socket = new WebSocket(url.replace(/^http/, "ws"), { headers, protocols: [...subprotocols], ...tls });
    const client = new RealtimeClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("open", () => resolve());
      socket.addEventListener("error", (event) => reject(new Error(event.message)));
    });
    return client;
  }

  get subprotocol(): string {
    return this.#socket.protocol;
  }

  get backlogBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(event: object | string | Buffer): void {
    this.#socket.send(typeof event === "string" || Buffer.isBuffer(event) ? event : JSON.stringify(event));
  }

  /** The next event of this type that has not been taken. Rejects when the connection ends before. */
  async next(type: string): Promise<RealtimeEvent> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      while (this.#taken < this.events.length) {
        const event = this.events[this.#taken];
        this.#taken += 1;
        if (event?.type === type) {
          return event;
        }
      }
      if (this.#isClosed || performance.now() > deadline) {
        throw new Error(`no ${type} came; there were ${this.events.map((event) => event.type).join(", ")}`);
      }
      await this.#changed();
    }
  }

  /** Sends a message and waits until the response to it is over. */
  async say(text: string): Promise<RealtimeEvent> {
    this.send({
      type: "conversation.item.create",
      item: { type: "message", role: "user", content: [{ type: "input_text", text }] },
    });
    this.send({ type: "response.create" });
    return await this.next("response.done");
  }

  /** Stops and resumes reading, like a slow client. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  async close(code = 1000, reason = ""): Promise<RealtimeClose> {
    this.#socket.close(code, reason);
    return await this.closed;
  }

  /** Leaves without a close frame. */
  terminate(): void {
    this.#socket.terminate();
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 100);
      this.#waiters.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #wake(): void {
    for (const wake of this.#waiters.splice(0)) {
      wake();
    }
  }
}

export type HandshakeRefusal = {
  readonly status: number;
  readonly headers: Headers;
  readonly error: { readonly type: string; readonly code: string; readonly message: string };
};

/** Requests a session by hand and returns the refusal. @throws Error when it is not refused */
export async function tryHandshake(url: string, headers: Record<string, string> = {}): Promise<HandshakeRefusal> {
  const answer = await fetch(url, {
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      ...headers,
    },
  });
  if (answer.status === 101) {
    throw new Error("the session was not refused");
  }
  const { error } = (await answer.json()) as { error: HandshakeRefusal["error"] };
  return { status: answer.status, headers: answer.headers, error };
}

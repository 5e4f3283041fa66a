/** The gateway's response: a status and more, or nothing at all until it is stopped. */
export type GatewayResponse =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | "hang";

export type GatewayRequest = {
  readonly key: string | null;
  readonly idempotencyKey: string;
  readonly body: Readonly<Record<string, string>>;
};

/** A mail gateway over HTTP on a free port of this machine. */
export class MailGateway implements AsyncDisposable {
  readonly requests: GatewayRequest[] = [];
  /** Called with every request, after it was recorded. */
  answer: (request: GatewayRequest) => GatewayResponse | Promise<GatewayResponse> = () => ({
    status: 202,
    body: '{"id":"m-1"}',
  });
  readonly #stopped = Promise.withResolvers<void>();
  readonly #server: Bun.Server<undefined>;
  #arrived = Promise.withResolvers<void>();

  constructor() {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: (request) => this.#take(request),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/internal/mail/send`;
  }

  /** Resolves when this many requests have come. */
  async untilRequests(count: number): Promise<void> {
    while (this.requests.length < count) {
      await this.#arrived.promise;
    }
  }

  async stop(): Promise<void> {
    this.#stopped.resolve();
    await this.#server.stop(true);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #take(request: Request): Promise<Response> {
    const kept = {
      key: request.headers.get("x-internal-mail-key"),
      idempotencyKey: request.headers.get("idempotency-key") ?? "",
      body: (await request.json()) as Record<string, string>,
    };
    this.requests.push(kept);
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
    const answer = await this.answer(kept);
    if (answer === "hang") {
      await this.#stopped.promise;
      return new Response(null, { status: 503 });
    }
    return new Response(answer.body ?? "", { status: answer.status, headers: answer.headers ?? {} });
  }
}

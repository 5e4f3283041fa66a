import type { TestCertificate } from "../wire/test-certificates.ts";

export type FakeNodeOptions = {
  readonly hostname?: string;
  readonly tls?: TestCertificate;
  readonly answer: (request: Request) => Response | Promise<Response>;
};

/** A server in place of a node: responds as it likes, and records what it got. */
export class FakeNode implements AsyncDisposable {
  /** All headers of each request, as one text. */
  readonly heard: string[] = [];
  readonly #server: Bun.Server<undefined>;

  private constructor(options: FakeNodeOptions) {
    this.#server = Bun.serve({
      hostname: options.hostname ?? "127.0.0.1",
      port: 0,
      ...(options.tls === undefined ? {} : { tls: options.tls }),
      fetch: async (request) => {
        this.heard.push([...request.headers].map(([name, value]) => `${name}: ${value}`).join("\n"));
        return await options.answer(request);
      },
    });
  }

  static start(options: FakeNodeOptions): FakeNode {
    return new FakeNode(options);
  }

  get port(): number {
    return this.#server.port ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}

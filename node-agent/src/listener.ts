import { exitNodeHeader } from "@sluice/exit-protocol/headers";
import type { Agent } from "./agent.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import type { TlsFiles } from "./secrets.ts";

/** This is above the agent's own limit for bodies, so that a larger body gets our response and not the server's. */
const serverBodyBytesMax = 1024 * 1024 * 1024;
/** A caller that has not sent its request, or the next part of it, after this long is disconnected. */
const silenceSecondsMax = 30;

/** How long a stopping server announces its end to callers before it closes their connections. */
const closeTimeoutMs = 1_000;

/**
 * The open port. A server can't get another certificate, so a new server takes its place on the same port: new
 * connections go to it, and the old server ends with its last call.
 */
export class Listener {
  readonly #agent: Agent;
  readonly #config: Config;
  #server: Bun.Server<unknown>;
  #tls: TlsFiles | null;
  #isFarewell = false;
  readonly #retired: Bun.Server<unknown>[] = [];

  /** @throws ConfigError when the port or the certificate can't be used */
  constructor(agent: Agent, config: Config) {
    this.#agent = agent;
    this.#config = config;
    this.#tls = agent.tls;
    this.#server = this.#open(config.port);
  }

  get port(): number {
    return this.#server.port ?? this.#config.port;
  }

  /** Requests whose last byte has not been sent yet, including those of replaced servers. */
  get pending(): number {
    return [this.#server, ...this.#retired].reduce((sum, server) => sum + server.pendingRequests, 0);
  }

  /**
   * Switches to the agent's current certificate.
   * @returns whether the certificate is a new one; by then no new connection gets the old one
   * @throws ConfigError; nothing has changed then
   */
  async renew(): Promise<boolean> {
    const { tls } = this.#agent;
    if (tls === null || (tls.cert === this.#tls?.cert && tls.key === this.#tls.key)) {
      return false;
    }
    const former = { server: this.#server, tls: this.#tls };
    this.#tls = tls;
    try {
      this.#server = this.#open(this.port);
    } catch (error) {
      this.#tls = former.tls;
      throw error;
    }
    this.#retired.push(former.server);
    await Bun.sleep(closeTimeoutMs);
    void former.server.stop();
    return true;
  }

  /**
   * From now on, every response closes its connection, so that no request is sent on a connection that is about to
   * close.
   */
  beginClosing(): void {
    this.#isFarewell = true;
  }

  /** Refuses new connections; running calls finish. */
  stop(): void {
    void this.#server.stop();
  }

  /** Aborts the calls that are still running. */
  cut(): void {
    for (const server of [this.#server, ...this.#retired]) {
      void server.stop(true);
    }
  }

  async #answerLast(request: Request, server: Bun.Server<unknown>): Promise<Response> {
    const answer = await this.#agent.handle(request, server);
    if (this.#isFarewell || this.#retired.includes(server)) {
      answer.headers.set("connection", "close");
    }
    return answer;
  }

  #open(port: number): Bun.Server<unknown> {
    const tls = this.#tls;
    try {
      return Bun.serve({
        hostname: this.#config.host,
        port,
        ...(tls === null ? {} : { tls: { cert: tls.cert, key: tls.key } }),
        // Outside of development, servers share the port, so a second agent on it would go unnoticed.
        reusePort: tls !== null,
        idleTimeout: silenceSecondsMax,
        maxRequestBodySize: serverBodyBytesMax,
        development: false,
        fetch: (request, server) =>
          this.#isFarewell || this.#retired.length > 0
            ? this.#answerLast(request, server)
            : this.#agent.handle(request, server),
        error: () => new Response(null, { status: 500, headers: { [exitNodeHeader]: this.#config.nodeCode } }),
      });
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
      const what = tls === null ? "" : " with the certificate of TLS_CERT_FILE";
      throw new ConfigError(`The agent can't listen on ${this.#config.host}:${port}${what}: ${code}.`);
    }
  }
}

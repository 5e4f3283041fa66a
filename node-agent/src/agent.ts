import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { ErrorCode } from "@sluice/contracts/errors";
import { exitNodeHeader } from "@sluice/exit-protocol/headers";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { ServerGuard } from "@sluice/http-client/server-guard";
import { serverAddressRule } from "@sluice/server-addresses/server-address-rule";
import { AccountStates } from "./account-states.ts";
import { createPathRules } from "./allowed-target.ts";
import { authorizeRelayKey } from "./authorize-relay-key.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import { errorAnswer } from "./error-answer.ts";
import { Health, healthHeaders } from "./health.ts";
import { createLog, type Log } from "./log.ts";
import { Metrics } from "./metrics.ts";
import { NodeProxy } from "./proxy.ts";
import { readSecrets, type Secrets } from "./secrets.ts";

/**
 * Judgements are cached because the resolver of a remote host may be slow; a connection only goes to a judged address,
 * however old the judgement is.
 */
const judgementMs = 30_000;
const requestIdPattern = /^[A-Za-z0-9._-]{8,64}$/;

/** The request handler, and the operations that an operator can trigger while it runs. */
export class Agent {
  readonly log: Log;
  readonly #config: Config;
  readonly #states = new AccountStates();
  readonly #metrics = new Metrics();
  readonly #client: PooledHttpClient;
  readonly #guard: ServerGuard;
  readonly #proxy: NodeProxy;
  readonly #health: Health;
  #secrets: Secrets;
  #withheld: readonly string[];
  #isDraining = false;

  /** @throws ConfigError when a file that the configuration names can't be used */
  constructor(config: Config, write: (line: string) => void) {
    this.#config = config;
    this.#secrets = readSecrets(config);
    this.#withheld = withheldTexts(this.#secrets);
    this.log = createLog({
      level: config.logLevel,
      write,
      bound: { node: config.nodeCode },
      withheld: () => this.#withheld,
    });
    const { egressAddress, providerCaFile } = config;
    this.#guard = new ServerGuard({
      isAllowed: serverAddressRule(config.isPrivateUpstreamAllowed),
      family: egressAddress === null ? 0 : isIP(egressAddress),
      keptMs: judgementMs,
    });
    this.#client = new PooledHttpClient({
      guard: this.#guard,
      ...(egressAddress === null ? {} : { localAddress: egressAddress }),
      ...(providerCaFile === null ? {} : { tlsCa: readAuthority(providerCaFile) }),
    });
    const shared = {
      config,
      secrets: () => this.#secrets,
      states: this.#states,
      metrics: this.#metrics,
      client: this.#client,
    };
    const paths = createPathRules(config.allowedPaths);
    const onUnexpected = (error: unknown, requestId: string) => this.#answerUnexpected(error, requestId);
    this.#proxy = new NodeProxy({ ...shared, log: this.log, paths, onUnexpected });
    this.#health = new Health({ ...shared, isDraining: () => this.#isDraining, now: () => new Date() });
  }

  get tls(): Secrets["tls"] {
    return this.#secrets.tls;
  }

  get inFlight(): number {
    return this.#metrics.inFlight;
  }

  /** Reloads keys, accounts and certificates. Running calls keep the old ones. @returns whether it worked */
  reload(): boolean {
    try {
      this.#secrets = readSecrets(this.#config);
    } catch (error) {
      const reason = error instanceof ConfigError ? error.message : "unknown reason";
      this.log.error("agent.reload_failed", { reason });
      return false;
    }
    this.#withheld = withheldTexts(this.#secrets);
    this.#states.clear();
    this.#guard.forget();
    const { relayKeys, accounts } = this.#secrets;
    this.log.info("agent.reloaded", { relayKeys: relayKeys.length, accounts: accounts.length });
    return true;
  }

  /** From now on, `/health` reports unhealthy, so that no new calls are sent here. */
  beginDrain(): void {
    this.#isDraining = true;
  }

  close(): void {
    this.#client.close();
  }

  /** Handles any request. Only here do responses get their headers and unexpected errors become responses. */
  handle(request: Request, server: Bun.Server<unknown>): Response | Promise<Response> {
    const sentId = request.headers.get("x-request-id");
    const requestId = sentId !== null && requestIdPattern.test(sentId) ? sentId : Bun.randomUUIDv7();
    try {
      return this.#route(request, server, requestId);
    } catch (error) {
      return this.#answerUnexpected(error, requestId);
    }
  }

  #answerUnexpected(error: unknown, requestId: string): Response {
    this.log.error("agent.unexpected", { requestId, error: error instanceof Error ? error.message : "not an error" });
    return this.#refuse("internal_error", requestId);
  }

  #route(request: Request, server: Bun.Server<unknown>, requestId: string): Response | Promise<Response> {
    const { url } = request;
    // With an invalid Host, the server omits the first part of the address.
    if (!url.startsWith("http") || request.headers.get("host")?.includes(",") === true) {
      return this.#refuse("malformed_request", requestId);
    }
    const { path, query } = splitTarget(url);
    if (path.startsWith("/v1/")) {
      return this.#proxy.handle({ request, server, requestId, path, query });
    }
    if (path !== "/health" && path !== "/metrics") {
      return this.#refuse("not_found", requestId);
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      return this.#refuse("method_not_allowed", requestId);
    }
    return path === "/health" ? this.#answerHealth(request, requestId) : this.#answerMetrics(request, requestId);
  }

  #answerHealth(request: Request, requestId: string): Response {
    const reply = this.#health.answer(request.headers);
    if (reply.kind === "refused") {
      this.#metrics.countRefusal(reply.code);
      this.log.warn("health.refused", { requestId, code: reply.code });
      return Response.json(
        { ok: false, error: { code: reply.code } },
        { status: reply.code === "ambiguous_credentials" ? 400 : 401, headers: this.#headers(requestId) },
      );
    }
    const headers = { ...healthHeaders(reply.proof), ...this.#headers(requestId) };
    return new Response(reply.body, { status: reply.status, headers });
  }

  #answerMetrics(request: Request, requestId: string): Response {
    const verdict = authorizeRelayKey(request.headers, this.#secrets.ring);
    if (verdict !== "accepted") {
      return this.#refuse(verdict === "none" ? "unauthorized" : verdict, requestId);
    }
    const text = this.#metrics.render({
      uptime_seconds: this.#health.uptimeSeconds,
      resident_bytes: process.memoryUsage.rss(),
      upstream_connections: this.#client.statistics.open,
      active_accounts: this.#secrets.accounts.filter(({ kind }) => kind === "active").length,
    });
    const keys = this.#metrics.renderKeyUses(this.#secrets.fingerprints, performance.now());
    return new Response(text + keys, {
      headers: { "content-type": "text/plain; version=0.0.4", ...this.#headers(requestId) },
    });
  }

  #refuse(code: ErrorCode, requestId: string): Response {
    return errorAnswer(code, this.#headers(requestId));
  }

  #headers(requestId: string): Record<string, string> {
    return { [exitNodeHeader]: this.#config.nodeCode, "x-request-id": requestId };
  }
}

/** Path and query as the server parsed them from the request line. */
function splitTarget(url: string): { path: string; query: string } {
  const slash = url.indexOf("/", url.indexOf("//") + 2);
  const target = slash === -1 ? "/" : url.slice(slash);
  const mark = target.indexOf("?");
  return mark === -1 ? { path: target, query: "" } : { path: target.slice(0, mark), query: target.slice(mark) };
}

function readAuthority(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new ConfigError(`PROVIDER_CA_FILE, ${path}, can't be read.`);
  }
}

function withheldTexts({ relayKeys, accounts }: Secrets): readonly string[] {
  const ofAccounts = accounts.flatMap((account) =>
    account.kind === "active"
      ? [account.apiKey, account.destination.hostname]
      : account.refreshToken === null
        ? []
        : [account.refreshToken],
  );
  return [...relayKeys, ...ofAccounts];
}

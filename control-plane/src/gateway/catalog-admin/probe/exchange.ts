import { type HttpClient, HttpClientError, type HttpHeader } from "@sluice/http-client/model";
import type { Clock } from "../../../platform/clock.ts";
import { AppError } from "../../../platform/errors.ts";
import { redact } from "../../../platform/log.ts";
import { Semaphore, SemaphoreFullError } from "../../../platform/semaphore.ts";
import type { Endpoint, RequestChanges } from "../../channels/model.ts";
import { Authorizer } from "../../upstreams/authorize.ts";
import { credentialHeader } from "../../upstreams/credential-header.ts";
import { TokenError } from "../../upstreams/token-error.ts";

const timeouts = {
  connectTimeoutMs: 5_000,
  firstByteTimeoutMs: 20_000,
  idleTimeoutMs: 10_000,
  // This timeout is shorter than the server's idle timeout for a connection.
  totalTimeoutMs: 25_000,
};
const retryAfterSeconds = 5;
const errorLengthMax = 500;

/** Where a probe goes: an upstream as it is saved, or as it would be. */
export type ProbeTarget = {
  readonly endpoint: Endpoint;
  readonly changes: RequestChanges;
  readonly credential: string | null;
  readonly pinnedAddress: string | null;
};

export type ProbeRequest = {
  readonly method: "GET" | "POST";
  /** The path and query on the server of the endpoint. */
  readonly target: string;
  readonly headers: readonly HttpHeader[];
  /** A JSON object, or null. */
  readonly body: object | null;
  readonly responseBytesMax: number;
};

/** How an upstream responded; status and body are null if it did not, or not in JSON. */
export type Exchange = {
  readonly status: number | null;
  readonly body: unknown;
  /** What went wrong on the way, or with the form of the response. */
  readonly problem: string | null;
  readonly latencyMs: number;
};

/** Sends requests of our own to upstreams, a few at a time, bypassing everything that users' calls go through. */
export class Probes {
  readonly #openClient: () => Promise<HttpClient>;
  readonly #clock: Clock;
  readonly #semaphore = new Semaphore({ runningMax: 4, waitingMax: 0, waitMsMax: 1 });
  #opened: Promise<Opened> | null = null;

  /** @param openClient opens the client for the first request */
  constructor(openClient: () => Promise<HttpClient>, clock: Clock) {
    this.#openClient = openClient;
    this.#clock = clock;
  }

  /** @throws AppError `too_many_attempts` */
  async exchange(target: ProbeTarget, request: ProbeRequest): Promise<Exchange> {
    try {
      return await this.#semaphore.run(() => this.#send(target, request));
    } catch (error) {
      if (error instanceof SemaphoreFullError) {
        throw new AppError("too_many_attempts", { message: "Four requests are already running.", retryAfterSeconds });
      }
      throw error;
    }
  }

  async #open(): Promise<Opened> {
    const client = await this.#openClient();
    return { client, authorizer: new Authorizer(client, this.#clock) };
  }

  async #send(target: ProbeTarget, request: ProbeRequest): Promise<Exchange> {
    const beginTick = this.#clock.tick();
    const done = (rest: Omit<Exchange, "latencyMs">): Exchange => ({
      ...rest,
      latencyMs: Math.round(this.#clock.tick() - beginTick),
    });
    let status: number | null = null;
    try {
      this.#opened ??= this.#open();
      const { client, authorizer } = await this.#opened;
      const composed = compose(target, request);
      const authorized = await authorizer.authorize(composed, target.endpoint.auth, target.credential);
      if (authorized instanceof TokenError) {
        return done({ status, body: null, problem: `No token: ${authorized.message}.` });
      }
      const response = await client.send(authorized);
      ({ status } = response);
      const bytes = await response.body.bytes(request.responseBytesMax);
      return done({ status, ...readJson(Buffer.from(bytes).toString("utf8"), status) });
    } catch (error) {
      if (error instanceof HttpClientError) {
        return done({ status, body: null, problem: `${error.kind}: ${error.message}` });
      }
      throw error;
    }
  }
}

type Opened = { readonly client: HttpClient; readonly authorizer: Authorizer };

function compose({ endpoint, changes, credential, pinnedAddress }: ProbeTarget, request: ProbeRequest) {
  const { protocol, hostname, port, auth } = endpoint;
  const { method, target, headers, body, responseBytesMax } = request;
  const shown = credentialHeader(auth, credential);
  const { query } = changes;
  return {
    ...{ protocol, hostname, port },
    ...(pinnedAddress === null ? {} : { address: pinnedAddress }),
    method,
    target: query === "" ? target : `${target}${target.includes("?") ? "&" : "?"}${query}`,
    headers: [
      ...(body === null ? [] : [["content-type", "application/json"] as const]),
      ...(shown === null ? [] : [shown]),
      ...headers.filter(([name]) => !changes.headersRemoved.has(name)),
      ...changes.headersSet,
      ["accept", "application/json"] as const,
      ["accept-encoding", "identity"] as const,
      ["user-agent", "sluice"] as const,
    ],
    body: body === null ? null : Buffer.from(JSON.stringify(changed(body, changes))),
    signal: AbortSignal.timeout(timeouts.totalTimeoutMs),
    limits: { ...timeouts, responseBytesMax },
  };
}

function changed(body: object, { bodySet, bodyRemoved }: RequestChanges): object {
  const kept = Object.entries(body).filter(([name]) => !bodyRemoved.includes(name));
  return { ...Object.fromEntries(kept), ...bodySet };
}

function readJson(text: string, status: number): { readonly body: unknown; readonly problem: string | null } {
  try {
    return { body: JSON.parse(text) as unknown, problem: null };
  } catch {
    return { body: null, problem: `The provider sent status ${status} and no JSON.` };
  }
}

/** The message of an error response in any of the usual forms; null if there is none. */
export function messageIn(body: unknown): string | null {
  // One provider wraps its errors in a list.
  const inner: unknown = Array.isArray(body) ? body[0] : body;
  if (typeof inner !== "object" || inner === null) {
    return null;
  }
  const { error, message, detail } = inner as { error?: unknown; message?: unknown; detail?: unknown };
  const nested = typeof error === "object" && error !== null ? (error as { message?: unknown }).message : error;
  const found = [nested, message, detail].find((text) => typeof text === "string");
  return (found as string | undefined) ?? null;
}

/** A text of the upstream without its credential and anything that looks like one. */
export function clean(text: string, credential: string | null, lengthMax = errorLengthMax): string {
  return redact(credential === null ? text : text.replaceAll(credential, "[redacted]")).slice(0, lengthMax);
}

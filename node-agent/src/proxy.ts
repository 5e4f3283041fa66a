import type { ErrorCode } from "@sluice/contracts/errors";
import { accountHeader, exitNodeHeader } from "@sluice/exit-protocol/headers";
import type { AccountStates } from "./account-states.ts";
import type { ActiveAccount } from "./accounts.ts";
import { chooseAccount, type PathRules, targetOf } from "./allowed-target.ts";
import { authorizeRelayKey } from "./authorize-relay-key.ts";
import type { Config } from "./config.ts";
import { errorAnswer } from "./error-answer.ts";
import { injectProviderKey } from "./inject-provider-key.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { type CallEnd, ProxiedCall } from "./proxied-call.ts";
import { AddressNotAllowedError, type ProviderResolver } from "./resolve-provider.ts";
import type { Secrets } from "./secrets.ts";
import type { UpstreamClient } from "./upstream/client.ts";
import { type RequestBody, UpstreamError } from "./upstream/model.ts";

export type ProxyPorts = {
  readonly config: Config;
  readonly secrets: () => Secrets;
  readonly states: AccountStates;
  readonly paths: PathRules;
  readonly resolver: ProviderResolver;
  readonly client: UpstreamClient;
  readonly metrics: Metrics;
  readonly log: Log;
};

/** A request with what the server knows about it. */
export type Arrival = {
  readonly request: Request;
  readonly requestId: string;
  readonly path: string;
  readonly query: string;
  /** Lifts the server's limit on silence; from here on the call has limits of its own. */
  readonly liftSilenceLimit: () => void;
};

type Admitted = { readonly account: ActiveAccount; readonly target: string; readonly addresses: readonly string[] };

/** A body of this size is read before it is sent; a larger one, or one of unknown size, is passed on piece by piece. */
const wholeBodyBytesMax = 256 * 1024;
const methods: readonly string[] = ["GET", "HEAD", "POST"];

/** A refusal that the caller sees as it is. */
class Refusal extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

/** What the node does with a call under `/v1`: check the relay key, put the provider key in, pass both ways on. */
export class NodeProxy {
  readonly #ports: ProxyPorts;

  constructor(ports: ProxyPorts) {
    this.#ports = ports;
  }

  async handle(arrival: Arrival): Promise<Response> {
    const { metrics, log } = this.#ports;
    try {
      const admitted = await this.#admit(arrival);
      return await this.#forward(arrival, admitted);
    } catch (error) {
      const code = codeOf(error);
      if (code === null) {
        throw error;
      }
      metrics.countRefusal(code);
      log.warn("call.refused", { requestId: arrival.requestId, code, method: arrival.request.method });
      return this.#refuse(arrival, code);
    }
  }

  /**
   * Judges a call by its head; nothing of the body is read before this has passed.
   * @throws Refusal, AddressNotAllowedError, UpstreamError
   */
  async #admit({ request, path, query }: Arrival): Promise<Admitted> {
    const { config, secrets, paths, resolver, metrics } = this.#ports;
    const { headers, method } = request;
    const { ring, accounts } = secrets();
    const verdict = authorizeRelayKey(headers, ring);
    if (verdict !== "accepted") {
      throw new Refusal(verdict === "none" ? "unauthorized" : verdict);
    }
    if (!methods.includes(method)) {
      throw new Refusal("method_not_allowed");
    }
    const encoding = headers.get("content-encoding");
    if (encoding !== null && encoding.toLowerCase() !== "identity") {
      throw new Refusal("unsupported_encoding");
    }
    if (Number(headers.get("content-length") ?? 0) > config.bodyBytesMax) {
      throw new Refusal("request_too_large");
    }
    const account = chooseAccount(accounts, headers.get(accountHeader));
    const target = account === null || !paths.isAllowed(path) ? null : targetOf(account, path, query);
    if (account === null || target === null) {
      throw new Refusal("upstream_not_allowed");
    }
    if (metrics.inFlight >= config.callsMax) {
      throw new Refusal("temporarily_unavailable");
    }
    return { account, target, addresses: await resolver.resolve(account.destination.hostname) };
  }

  async #forward(arrival: Arrival, { account, target, addresses }: Admitted): Promise<Response> {
    const { config, client, metrics } = this.#ports;
    const { request } = arrival;
    const startedMs = performance.now();
    metrics.inFlight += 1;
    const call = new ProxiedCall({
      account,
      stallTimeoutMs: config.stallTimeoutMs,
      answer: (body, status, headers) => new Response(body, { status, headers: this.#headers(arrival, headers) }),
      refuse: (code) => this.#refuse(arrival, code),
      onHead: () => metrics.observeFirstByte((performance.now() - startedMs) / 1000),
      onEnd: (end) => this.#end(arrival, account, { ...end, startedMs }),
    });
    request.signal.addEventListener("abort", () => call.abandon());
    try {
      const body = await readBody(request, config.bodyBytesMax);
      arrival.liftSilenceLimit();
      if (!request.signal.aborted) {
        const exchange = client.send(
          {
            destination: account.destination,
            addresses,
            method: request.method,
            target,
            headers: injectProviderKey(request.headers, account),
            body,
            bodyBytesMax: config.bodyBytesMax,
          },
          call,
        );
        call.follow(exchange);
      }
    } catch (error) {
      call.onError(error instanceof UpstreamError ? error : new UpstreamError("client_gone", "the body did not come"));
    }
    return await call.response;
  }

  #end(arrival: Arrival, account: ActiveAccount, end: CallEnd & { readonly startedMs: number }): void {
    const { metrics, states, log } = this.#ports;
    const { status, sentBytes, failure, startedMs } = end;
    metrics.inFlight -= 1;
    metrics.sentBytes += sentBytes;
    if (failure === null || failure === "client_gone") {
      metrics.countCall(status);
    } else {
      metrics.countFailure(failure);
    }
    if (failure === "refused_key") {
      states.note(account.accountCode, "refused");
    } else if (failure === null && status < 300) {
      states.note(account.accountCode, "active");
    }
    const fields = {
      requestId: arrival.requestId,
      method: arrival.request.method,
      path: arrival.path,
      account: account.accountCode,
      status,
      bytes: sentBytes,
      ms: Math.round(performance.now() - startedMs),
    };
    if (failure === null) {
      log.info("call.ended", fields);
    } else {
      log.warn("call.failed", { ...fields, failure });
    }
  }

  #refuse(arrival: Arrival, code: ErrorCode): Response {
    const headers = this.#headers(arrival, {});
    if (code === "temporarily_unavailable") {
      headers["retry-after"] = "1";
    }
    if (arrival.request.body !== null) {
      // Whatever of the body is still to come is not waited for.
      headers["connection"] = "close";
    }
    return errorAnswer(code, headers);
  }

  #headers(arrival: Arrival, headers: Record<string, string>): Record<string, string> {
    headers[exitNodeHeader] = this.#ports.config.nodeCode;
    headers["x-request-id"] = arrival.requestId;
    headers["cache-control"] = "no-store";
    return headers;
  }
}

function codeOf(error: unknown): ErrorCode | null {
  if (error instanceof Refusal) {
    return error.code;
  }
  if (error instanceof AddressNotAllowedError) {
    return "upstream_not_allowed";
  }
  return error instanceof UpstreamError ? "upstream_unreachable" : null;
}

async function readBody(request: Request, bytesMax: number): Promise<RequestBody> {
  const { body } = request;
  if (body === null) {
    return { kind: "none" };
  }
  const declared = request.headers.get("content-length");
  const length = declared === null ? null : Number(declared);
  if (length === null || length > Math.min(wholeBodyBytesMax, bytesMax)) {
    return { kind: "stream", stream: body, length };
  }
  return { kind: "whole", bytes: (await request.bytes()) as Uint8Array<ArrayBuffer> };
}

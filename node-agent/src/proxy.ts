import type { ErrorCode } from "@sluice/contracts/errors";
import { accountHeader, exitNodeHeader } from "@sluice/exit-protocol/headers";
import type { AccountStates } from "./account-states.ts";
import type { ActiveAccount } from "./accounts.ts";
import { chooseAccount, type PathRules, targetOf } from "./allowed-target.ts";
import type { Arrival } from "./arrival.ts";
import { authorizeRelayKey } from "./authorize-relay-key.ts";
import type { Config } from "./config.ts";
import { errorAnswer } from "./error-answer.ts";
import { injectProviderKey } from "./inject-provider-key.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { type CallEnd, type CallPorts, ProxiedCall } from "./proxied-call.ts";
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
  /** The response to an unexpected error. */
  readonly onUnexpected: (error: unknown, requestId: string) => Response;
};

type Admitted = { readonly account: ActiveAccount; readonly target: string };

type Outgoing = { readonly addresses: readonly string[]; readonly call: ProxiedCall; readonly body: RequestBody };

/** A body of this size is read before it is sent; a larger one, or one of unknown size, is passed on piece by piece. */
const wholeBodyBytesMax = 256 * 1024;
const methods: readonly string[] = ["GET", "HEAD", "POST"];

/** A refusal that is passed to the caller as it is. */
class Refusal extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

/** How the node handles a call under `/v1`: checks the relay key, adds the provider key, forwards both directions. */
export class NodeProxy {
  readonly #ports: ProxyPorts;
  readonly #callPorts: CallPorts;

  constructor(ports: ProxyPorts) {
    this.#ports = ports;
    this.#callPorts = {
      stallTimeoutMs: ports.config.stallTimeoutMs,
      answer: (arrival, body, { status, headers }) =>
        new Response(body, { status, headers: this.#headers(arrival, headers) }),
      refuse: (arrival, code) => this.#refuse(arrival, code),
      onHead: ({ startedMs }) => ports.metrics.observeFirstByte((performance.now() - startedMs) / 1000),
      onEnd: (call, end) => this.#end(call, end),
    };
  }

  handle(arrival: Arrival): Response | Promise<Response> {
    try {
      const admitted = this.#admit(arrival);
      // Every await costs a tick, so only the first call in a while has one here.
      const addresses = this.#ports.resolver.known(admitted.account.destination.hostname);
      return addresses === null
        ? this.#forwardResolved(arrival, admitted)
        : this.#forward(arrival, admitted, addresses);
    } catch (error) {
      return this.#answerError(arrival, error);
    }
  }

  async #forwardResolved(arrival: Arrival, admitted: Admitted): Promise<Response> {
    try {
      const addresses = await this.#ports.resolver.resolve(admitted.account.destination.hostname);
      return await this.#forward(arrival, admitted, addresses);
    } catch (error) {
      return this.#answerError(arrival, error);
    }
  }

  #answerError(arrival: Arrival, error: unknown): Response {
    const { metrics, log, onUnexpected } = this.#ports;
    const code = codeOf(error);
    if (code === null) {
      return onUnexpected(error, arrival.requestId);
    }
    metrics.countRefusal(code);
    log.warn("call.refused", { requestId: arrival.requestId, code, method: arrival.request.method });
    return this.#refuse(arrival, code);
  }

  /**
   * Checks a call by its headers; none of the body is read before this has passed.
   * @throws Refusal
   */
  #admit({ request, path, query }: Arrival): Admitted {
    const { config, secrets, paths, metrics } = this.#ports;
    const { headers, method } = request;
    const { ring, fingerprints, accounts } = secrets();
    const verdict = authorizeRelayKey(headers, ring, (place) => {
      metrics.countKeyUse(fingerprints[place] ?? "", performance.now());
    });
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
    return { account, target };
  }

  #forward(arrival: Arrival, admitted: Admitted, addresses: readonly string[]): Promise<Response> {
    const { config, metrics } = this.#ports;
    const { request } = arrival;
    const { account } = admitted;
    metrics.inFlight += 1;
    const call = new ProxiedCall(arrival, account, this.#callPorts);
    request.signal.addEventListener("abort", () => call.abandon());
    const length = wholeLengthOf(request, config.bodyBytesMax);
    if (length === null) {
      this.#send(arrival, admitted, { addresses, call, body: streamedBody(request) });
    } else {
      request.bytes().then(
        (bytes) => {
          const body = { kind: "whole", bytes: bytes as Uint8Array<ArrayBuffer> } as const;
          this.#send(arrival, admitted, { addresses, call, body });
        },
        () => call.onError(new UpstreamError("client_gone", "the body did not arrive")),
      );
    }
    return call.response;
  }

  #send(arrival: Arrival, { account, target }: Admitted, out: Outgoing): void {
    const { client, config } = this.#ports;
    const { request, server } = arrival;
    const { addresses, call, body } = out;
    if (request.signal.aborted) {
      call.abandon();
      return;
    }
    // Lifts the server's idle timeout; from here on the call has its own limits.
    server.timeout(request, 0);
    try {
      const { destination } = account;
      const headers = injectProviderKey(request.headers, account);
      const { bodyBytesMax } = config;
      const { method } = request;
      call.follow(client.send({ destination, addresses, method, target, headers, body, bodyBytesMax }, call));
    } catch (error) {
      if (!(error instanceof UpstreamError)) {
        throw error;
      }
      call.onError(error);
    }
  }

  #end({ arrival, account, startedMs }: ProxiedCall, { status, sentBytes, failure }: CallEnd): void {
    const { metrics, states, log } = this.#ports;
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
    if (hasBody(arrival.request)) {
      // The rest of the body is not waited for.
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

function hasBody({ headers }: Request): boolean {
  return headers.has("transfer-encoding") || (headers.get("content-length") ?? "0") !== "0";
}

/**
 * The length of a body that is read before it is sent, or null. Accessing `request.body` would turn it into a stream.
 */
function wholeLengthOf({ headers }: Request, bytesMax: number): number | null {
  const declared = Number(headers.get("content-length") ?? 0);
  return declared > 0 && declared <= Math.min(wholeBodyBytesMax, bytesMax) ? declared : null;
}

function streamedBody(request: Request): RequestBody {
  const { body } = request;
  const declared = request.headers.get("content-length");
  return body === null
    ? { kind: "none" }
    : { kind: "stream", stream: body, length: declared === null ? null : Number(declared) };
}

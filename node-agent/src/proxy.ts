import type { ErrorCode } from "@sluice/contracts/errors";
import { accountHeader, exitNodeHeader } from "@sluice/exit-protocol/headers";
import { type HttpClient, HttpClientError, type HttpRequest } from "@sluice/http-client/model";
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
import type { Secrets } from "./secrets.ts";

export type ProxyPorts = {
  readonly config: Config;
  readonly secrets: () => Secrets;
  readonly states: AccountStates;
  readonly paths: PathRules;
  readonly client: HttpClient;
  readonly metrics: Metrics;
  readonly log: Log;
  /** The response to an unexpected error. */
  readonly onUnexpected: (error: unknown, requestId: string) => Response;
};

type Admitted = { readonly account: ActiveAccount; readonly target: string };

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
      return this.#forward(arrival, this.#admit(arrival));
    } catch (error) {
      return this.#answerError(arrival, error);
    }
  }

  #answerError(arrival: Arrival, error: unknown): Response {
    const { metrics, log, onUnexpected } = this.#ports;
    if (!(error instanceof Refusal)) {
      return onUnexpected(error, arrival.requestId);
    }
    const { code } = error;
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

  #forward(arrival: Arrival, admitted: Admitted): Promise<Response> {
    const { config, metrics } = this.#ports;
    const { request } = arrival;
    const { account } = admitted;
    metrics.inFlight += 1;
    const call = new ProxiedCall(arrival, account, this.#callPorts);
    // The signal is read before the first wait, so that a caller who leaves meanwhile is noticed.
    const { signal } = request;
    const length = wholeLengthOf(request, config.bodyBytesMax);
    if (length === null) {
      this.#send(admitted, call, { signal, body: streamedBody(request, config.bodyBytesMax) });
    } else {
      request.bytes().then(
        (body) => this.#send(admitted, call, { signal, body }),
        () => call.onError(new HttpClientError("aborted", false, "the body did not arrive")),
      );
    }
    return call.response;
  }

  #send({ account, target }: Admitted, call: ProxiedCall, sent: Pick<HttpRequest, "signal" | "body">): void {
    const { client, config } = this.#ports;
    const { request, server } = call.arrival;
    // Lifts the server's idle timeout; from here on the call has its own limits.
    server.timeout(request, 0);
    const { method } = request;
    const headers = injectProviderKey(request.headers, account);
    client.send({ ...account.destination, ...sent, method, target, headers, limits: config.limits }).then(
      (response) => call.onResponse(response),
      (error: HttpClientError) => call.onError(error),
    );
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
      // The node does not wait for the rest of the body.
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

function streamedBody({ body, headers }: Request, bytesMax: number): HttpRequest["body"] {
  const declared = headers.get("content-length");
  return body === null ? null : { stream: body, length: declared === null ? null : Number(declared), bytesMax };
}

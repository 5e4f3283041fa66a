import type { RequestId } from "@sluice/contracts/ids";
import type { Registry } from "prom-client";
import type { FrontResponse, FrontWork } from "../front/model.ts";
import { writeErrorTo } from "../gateway/respond/write-error.ts";
import { type Config, publicBaseUrl } from "../platform/config.ts";
import { AppError } from "../platform/errors.ts";
import type { Log } from "../platform/log.ts";
import { counter } from "../platform/metric.ts";
import { markCall } from "../relay/mark-call.ts";
import type { RelayService } from "../relay/service.ts";

/** What the front serves, exactly as it is in request lines. Claude Code sends the query. */
const targets = ["/v1/chat/completions", "/v1/messages", "/v1/messages?beta=true", "/v1/responses"];

type FrontDeps = {
  readonly config: Config;
  readonly relay: RelayService;
  readonly log: Log;
  readonly registry: Registry;
};

/** The calls that the front serves by itself: the same relay, reached without the runtime's server. */
export function frontWork({ config, relay, log, registry }: FrontDeps): FrontWork {
  const siteUrl = publicBaseUrl(config);
  const count = counter(registry, "sluice_front_total", "Requests at the front, by outcome.", "outcome");
  const refuse = (target: string, error: AppError, requestId: string): FrontResponse => {
    const [path = target] = target.split("?");
    const call = { path, headers: new Headers(), requestId: requestId as RequestId };
    const response = writeErrorTo({ call, request: null }, error);
    markCall(response.headers, requestId, siteUrl);
    return response;
  };
  return {
    targets,
    count: (outcome) => count(1, outcome),
    serve: (call, receiver) => relay.relayTo(call, receiver),
    refuse: (target) => refuse(target, new AppError("malformed_request"), Bun.randomUUIDv7()),
    fail: (target, error) => {
      const requestId = Bun.randomUUIDv7();
      log.error("http.unexpected", { requestId, error });
      return refuse(target, new AppError("internal_error"), requestId);
    },
  };
}

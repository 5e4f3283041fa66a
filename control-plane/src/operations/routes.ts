import type { healthResponse } from "@sluice/contracts/health";
import type { ResponseOf } from "@sluice/contracts/wire";
import { isLoopback } from "@sluice/server-addresses/judge-address";
import { Gauge, type Registry } from "prom-client";
import { buildFacts } from "../platform/build-facts.ts";
import { isEqualSecret } from "../platform/crypto/compare.ts";
import { peerAddress } from "../platform/peer-address.ts";
import { notFoundResponse } from "./error-response.ts";

/** The reasons why this instance should get no new calls right now; empty if it should get them. */
export type ReadinessCheck = () => readonly string[];

/** Who may read the metrics: anyone who sends this bearer token, every program on this machine, or nobody. */
export type MetricsAccess = { readonly token: string } | "on_this_machine" | "closed";

/** Handlers by path; they answer GET. */
export type Probes = Readonly<Record<string, (request: Request, server: Bun.Server<unknown>) => Promise<Response>>>;

/** An intermediary adds these headers, and its client may be anywhere. */
const middlemanHeaders = ["x-forwarded-for", "x-real-ip", "forwarded", "via"];

/**
 * The routes for probes and scrapers: alive, ready, metrics. Callers without the right to read the metrics get a 404.
 */
export function operationsRoutes(checkReadiness: ReadinessCheck, registry: Registry, access: MetricsAccess): Probes {
  const mayRead = (request: Request, server: Bun.Server<unknown>): boolean => {
    if (access === "closed") {
      return false;
    }
    if (access === "on_this_machine") {
      const isPassedOn = middlemanHeaders.some((name) => request.headers.has(name));
      return !isPassedOn && isLoopback(peerAddress(server, request));
    }
    return isEqualSecret(request.headers.get("authorization") ?? "", `Bearer ${access.token}`);
  };
  const health: ResponseOf<typeof healthResponse> = buildFacts;
  const { version, commit } = health;
  new Gauge({
    name: "sluice_build_info",
    help: "1, with the version and the commit of the program",
    labelNames: ["version", "commit"],
    registers: [registry],
  }).set({ version, commit: commit ?? "" }, 1);
  return {
    "/healthz": async () => json(200, { ok: true, ...health }),
    "/readyz": async () => {
      const reasons = checkReadiness();
      return json(reasons.length === 0 ? 200 : 503, { ok: reasons.length === 0, reasons });
    },
    "/metrics": async (request, server) => {
      if (!mayRead(request, server)) {
        return notFoundResponse();
      }
      return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
    },
  };
}

function json(status: number, value: unknown): Response {
  return Response.json(value, {
    status,
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
  });
}

/** In production the metrics are closed until someone decides who may read them. */
export function metricsAccess(token: string | undefined, environment: string): MetricsAccess {
  if (token !== undefined) {
    return { token };
  }
  return environment === "production" ? "closed" : "on_this_machine";
}

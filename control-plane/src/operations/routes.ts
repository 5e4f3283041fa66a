import { Elysia } from "elysia";
import type { Registry } from "prom-client";

/** Why this instance should get no new calls right now; empty when it should. */
export type ReadinessCheck = () => readonly string[];

/** For probes and scrapers: alive, ready, measured. */
export function operationsRoutes(checkReadiness: ReadinessCheck, registry: Registry) {
  return new Elysia({ name: "operations" })
    .get("/healthz", () => json(200, { ok: true }))
    .get("/readyz", () => {
      const reasons = checkReadiness();
      return json(reasons.length === 0 ? 200 : 503, { ok: reasons.length === 0, reasons });
    })
    .get("/metrics", async () => {
      return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
    });
}

function json(status: number, value: unknown): Response {
  return Response.json(value, { status, headers: { "cache-control": "no-store" } });
}

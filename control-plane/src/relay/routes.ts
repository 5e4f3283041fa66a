import { Elysia } from "elysia";
import { clientAddress, type EdgeSettings } from "./client-address.ts";
import type { RelayService } from "./service.ts";

/**
 * Everything under `/v1`. No body parser, no schema and no hook: the request goes on as it came, and each of these would
 * cost more than all that is done here.
 */
export function relayRoutes(relay: RelayService, edge: EdgeSettings) {
  return new Elysia({ name: "relay" }).all(
    "/v1/*",
    async ({ request, server }) => {
      const peer = server?.requestIP(request)?.address ?? "0.0.0.0";
      const answer = await relay.relay(request, rawTarget(request.url), clientAddress(request.headers, peer, edge));
      const headers = answer.headers;
      headers["x-request-id"] = answer.requestId;
      headers["cache-control"] ??= "no-store";
      return new Response(answer.body, { status: answer.status, headers });
    },
    { parse: "none" },
  );
}

/** Path and query as they stood on the request line; the address is not parsed, so that nothing of it is normalised. */
function rawTarget(url: string): string {
  const host = url.indexOf("//") + 2;
  const slash = url.indexOf("/", host);
  return slash === -1 ? "/" : url.slice(slash);
}

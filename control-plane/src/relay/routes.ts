import { clientAddress, type EdgeSettings } from "../platform/client-address.ts";
import { type ClientPatience, waitForCall, waitForClient } from "../platform/client-patience.ts";
import { rawTarget } from "../platform/request-target.ts";
import { upgradeToSocket } from "../platform/websocket/server-socket.ts";
import type { RelayService } from "./service.ts";

/**
 * Everything under `/v1`. Requests are forwarded as they came: no body parser, no schema, no hook, no context object.
 * Each of these would cost a call more than all code of the relay.
 */
export function relayHandler(
  relay: RelayService,
  edge: EdgeSettings,
  patience: ClientPatience,
): (request: Request, server: Bun.Server<unknown>) => Promise<Response> {
  return async (request, server) => {
    waitForCall(server, request);
    const peer = server.requestIP(request)?.address ?? "0.0.0.0";
    const clientIp = clientAddress(request.headers, peer, edge);
    const { requestId, answer } = relay.relay(request, rawTarget(request.url), clientIp, (bytes) =>
      waitForClient(server, request, { bytes, patience }),
    );
    const { status, headers, body } = await answer;
    headers["x-request-id"] = requestId;
    headers["cache-control"] ??= "no-store";
    headers["x-content-type-options"] = "nosniff";
    return new Response(body, { status, headers });
  };
}

/** `/v1/realtime`: a normal response, or a websocket and then no further response. */
export function realtimeHandler(
  relay: RelayService,
  edge: EdgeSettings,
): (request: Request, server: Bun.Server<unknown>) => Promise<Response | undefined> {
  return async (request, server) => {
    const peer = server.requestIP(request)?.address ?? "0.0.0.0";
    const address = clientAddress(request.headers, peer, edge);
    const opening = await relay.openSession(request, rawTarget(request.url), address);
    if (opening.kind === "refused") {
      const { status, headers, body } = opening.answer;
      return new Response(body, {
        status,
        headers: { ...headers, "x-request-id": opening.requestId, ...plainHeaders },
      });
    }
    const headers = { ...opening.headers, "x-request-id": opening.requestId };
    return upgradeToSocket(server, request, headers, opening.session);
  };
}

const plainHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

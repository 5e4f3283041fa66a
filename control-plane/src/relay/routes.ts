import { serverResponse } from "../platform/answer-stream.ts";
import { upgradeToSocket } from "../platform/websocket/server-socket.ts";
import { ServedCall, type ServedCallSettings } from "./served-call.ts";
import type { RelayService } from "./service.ts";

/**
 * Everything under `/v1`. Requests are forwarded as they came: no body parser, no schema, no hook, no context object.
 * Each of these would cost a call more than all code of the relay.
 */
export function relayHandler(
  relay: RelayService,
  settings: ServedCallSettings,
): (request: Request, server: Bun.Server<unknown>) => Promise<Response> {
  return async (request, server) => {
    const incoming = new ServedCall(request, server, settings);
    incoming.onBegin();
    const { status, headers, body } = await relay.relay(incoming);
    return serverResponse(body, { status, headers });
  };
}

/** `/v1/realtime`: a normal response, or a websocket and then no further response. */
export function realtimeHandler(
  relay: RelayService,
  settings: ServedCallSettings,
): (request: Request, server: Bun.Server<unknown>) => Promise<Response | undefined> {
  return async (request, server) => {
    const opening = await relay.openSession(new ServedCall(request, server, settings));
    if (opening.kind === "refused") {
      const { status, headers, body } = opening.answer;
      return serverResponse(body, {
        status,
        headers: { ...headers, "x-request-id": opening.requestId, ...plainHeaders },
      });
    }
    const headers = { ...opening.headers, "x-request-id": opening.requestId };
    return upgradeToSocket(server, request, headers, opening.session);
  };
}

const plainHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

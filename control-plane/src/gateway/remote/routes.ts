import type { RequestId } from "@sluice/contracts/ids";
import type { Clock } from "../../platform/clock.ts";
import { BodyReader } from "../../platform/read-body.ts";
import type { CallReport, GatewayAnswer } from "../model.ts";
import type { GatewayPort } from "../port.ts";
import { encodeReport, readLink, reportComment, reportFollows, reportHeader } from "./link.ts";

export type GatewayRoutesParts = {
  readonly gateway: GatewayPort;
  readonly linkKey: Uint8Array;
  readonly clock: Clock;
  readonly bodyLimits: { readonly bytesMax: number; readonly timeoutMs: number };
  /** Calls that are on their way, as the drain sees them. */
  readonly load: { inFlight: number };
};

/** The gateway as a program of its own: `/v1/*` for relays of this deployment, and for anybody with an API key. */
export function gatewayHandler(
  parts: GatewayRoutesParts,
): (request: Request, server: Bun.Server<unknown>) => Promise<Response> {
  return async (request, server) => {
    const link = readLink(request.headers, parts.linkKey);
    const requestId = (link?.requestId ?? Bun.randomUUIDv7()) as RequestId;
    const target = request.url.slice(request.url.indexOf("/", request.url.indexOf("//") + 2));
    const mark = target.indexOf("?");
    const body = new BodyReader(request, parts.bodyLimits);
    let report: CallReport | null = null;
    parts.load.inFlight += 1;
    const answer = await parts.gateway.handle({
      requestId,
      method: request.method,
      path: mark === -1 ? target : target.slice(0, mark),
      query: mark === -1 ? "" : target.slice(mark),
      headers: request.headers,
      clientIp: link?.clientAddress ?? server.requestIP(request)?.address ?? "0.0.0.0",
      signal: request.signal,
      startedAtMs: parts.clock.now(),
      startedTick: parts.clock.tick(),
      readBody: () => body.read(),
      postscript: () => (link === null || report === null ? null : toComment(report)),
      onReport: (finished) => {
        parts.load.inFlight -= 1;
        report = finished;
      },
    });
    answer.headers["x-request-id"] = requestId;
    answer.headers["cache-control"] ??= "no-store";
    return link === null ? toResponse(answer) : toLinkedResponse(answer, report);
  };
}

function toResponse(answer: GatewayAnswer): Response {
  return new Response(answer.body, { status: answer.status, headers: answer.headers });
}

/** The report rides on the head when the call is over by then, else on a comment behind the last event. */
function toLinkedResponse(answer: GatewayAnswer, report: CallReport | null): Response {
  const isEvents = answer.headers["content-type"]?.startsWith("text/event-stream") === true;
  if (isEvents && answer.body instanceof ReadableStream) {
    answer.headers[reportHeader] = reportFollows;
  } else if (report !== null) {
    answer.headers[reportHeader] = encodeReport(report);
  }
  return toResponse(answer);
}

function toComment(report: CallReport): Uint8Array {
  return Buffer.from(`${reportComment}${encodeReport(report)}\n\n`);
}

import type { RequestId } from "@sluice/contracts/ids";
import { isAnswerStream, serverResponse } from "../../platform/answer-stream.ts";
import { clientAddress, type EdgeSettings } from "../../platform/client-address.ts";
import { type ClientPatience, waitForCall, waitForClient } from "../../platform/client-patience.ts";
import type { Clock } from "../../platform/clock.ts";
import { peerAddress } from "../../platform/peer-address.ts";
import { BodyReader } from "../../platform/read-body.ts";
import { rawTarget } from "../../platform/request-target.ts";
import { upgradeToSocket } from "../../platform/websocket/server-socket.ts";
import type { CallReport, GatewayCall, GatewayResponse } from "../model.ts";
import { changedCall, type GatewayPort, type RealtimePort } from "../port.ts";
import { begunHeader, encodeReport, readLink, reportComment, reportFollows, reportHeader } from "./link.ts";

export type GatewayRoutesDeps = {
  readonly gateway: GatewayPort;
  readonly realtime: RealtimePort;
  /** The keys that relays may sign with: one, or two during a rotation of the master key. */
  readonly linkKeys: readonly Uint8Array[];
  readonly patience: ClientPatience;
  readonly clock: Clock;
  /** The routes for callers that are not relays of this deployment. */
  readonly edge: EdgeSettings;
  readonly bodyLimits: { readonly bytesMax: number; readonly timeoutMs: number };
  /** Counts calls in flight for the drain. */
  readonly load: { inFlight: number };
};

/** The gateway as a separate program: the handlers for `/v1`. */
export function gatewayHandlers(deps: GatewayRoutesDeps) {
  return { call: gatewayHandler(deps), realtime: gatewayRealtimeHandler(deps) };
}

/** `/v1/*` for relays of this deployment, and for anyone with an API key. */
function gatewayHandler(deps: GatewayRoutesDeps): (request: Request, server: Bun.Server<unknown>) => Promise<Response> {
  return async (request, server) => {
    waitForCall(server, request);
    const link = readLink(request.headers, deps.linkKeys);
    let report: CallReport | null = null;
    const call = beginCall(deps, { request, server, link }, (finished) => {
      report = finished;
      waitForClient(server, request, { bytes: finished.responseBytes, patience: deps.patience });
    });
    const postscript = () => (link === null || report === null ? null : toComment(report));
    const answer = await deps.gateway.handle(changedCall(call, { postscript }));
    answer.headers["x-request-id"] = call.requestId;
    answer.headers["cache-control"] ??= "no-store";
    answer.headers["x-content-type-options"] = "nosniff";
    return link === null ? toResponse(answer) : toLinkedResponse(answer, report);
  };
}

/** The same for `/v1/realtime`. A relay learns the session's owner from the response headers, and counts by itself. */
function gatewayRealtimeHandler(
  deps: GatewayRoutesDeps,
): (request: Request, server: Bun.Server<unknown>) => Promise<Response | undefined> {
  return async (request, server) => {
    const link = readLink(request.headers, deps.linkKeys);
    let report: CallReport | null = null;
    const call = beginCall(deps, { request, server, link }, (finished) => {
      report = finished;
    });
    const opening = await deps.realtime.open(call);
    const headers: Record<string, string> = {
      "x-request-id": call.requestId,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    };
    const known = opening.kind === "open" ? opening.report : report;
    if (link !== null && known !== null) {
      headers[reportHeader] = encodeReport(known);
    }
    if (opening.kind === "refused") {
      return toResponse({ ...opening.answer, headers: { ...opening.answer.headers, ...headers } });
    }
    return upgradeToSocket(server, request, { ...opening.headers, ...headers }, opening.session);
  };
}

const constant =
  <Value>(value: Value) =>
  (): Value =>
    value;

type Incoming = {
  readonly request: Request;
  readonly server: Bun.Server<unknown>;
  readonly link: ReturnType<typeof readLink>;
};

function beginCall(
  { load, clock, edge, bodyLimits }: GatewayRoutesDeps,
  { request, server, link }: Incoming,
  onReport: (report: CallReport) => void,
): GatewayCall {
  const target = rawTarget(request.url);
  const mark = target.indexOf("?");
  const body = new BodyReader(request, bodyLimits);
  const address = () => clientAddress(request.headers, peerAddress(server, request), edge);
  load.inFlight += 1;
  return {
    requestId: (link?.requestId ?? Bun.randomUUIDv7()) as RequestId,
    method: request.method,
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? "" : target.slice(mark),
    headers: request.headers,
    clientIp: link?.clientAddress ?? address(),
    signal: request.signal,
    startedAtMs: clock.now(),
    startedTick: clock.tick(),
    readBody: (counter) => body.read(counter),
    ...(link === null || link.traits === null ? {} : { traits: constant(link.traits) }),
    onReport: (report) => {
      load.inFlight -= 1;
      onReport(report);
    },
    onUnrecorded: onReport,
  };
}

function toResponse(answer: GatewayResponse): Response {
  return serverResponse(answer.body, { status: answer.status, headers: answer.headers });
}

/** The report is in the headers if the call is over by then, else in a comment after the last event. */
function toLinkedResponse(answer: GatewayResponse, report: CallReport | null): Response {
  const isEvents = answer.headers["content-type"]?.startsWith("text/event-stream") === true;
  if (isEvents && isAnswerStream(answer.body)) {
    answer.headers[reportHeader] = reportFollows;
  } else if (report !== null) {
    answer.headers[reportHeader] = encodeReport(report);
  } else if (answer.begun !== undefined) {
    answer.headers[begunHeader] = encodeReport(answer.begun);
  }
  return toResponse(answer);
}

function toComment(report: CallReport): Uint8Array {
  return Buffer.from(`${reportComment}${encodeReport(report)}\n\n`);
}

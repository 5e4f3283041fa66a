import type { RequestId } from "@sluice/contracts/ids";
import type { CallReport, GatewayAnswer } from "../gateway/model.ts";
import type { GatewayPort } from "../gateway/port.ts";
import { type Clock, utcDay } from "../platform/clock.ts";
import { BodyReader } from "../platform/read-body.ts";
import type { PayloadFate } from "../trace/model.ts";
import type { TraceService } from "../trace/service.ts";

const userAgentLengthMax = 1_024;

export type RelayParts = {
  readonly gateway: GatewayPort;
  readonly trace: TraceService;
  readonly clock: Clock;
  readonly bodyLimits: { readonly bytesMax: number; readonly timeoutMs: number };
};

/** A call that is on its way, as the drain sees it. */
export type RelayLoad = { inFlight: number };

/**
 * The business relay: gives a call its id, forwards it unchanged to the gateway, and writes down what became of it,
 * whatever became of it.
 */
export class RelayService {
  readonly load: RelayLoad = { inFlight: 0 };
  readonly #parts: RelayParts;

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  /** @param target path and query exactly as they stood on the request line */
  async relay(request: Request, target: string, clientIp: string): Promise<GatewayAnswer & { requestId: RequestId }> {
    const { clock, gateway } = this.#parts;
    const requestId = Bun.randomUUIDv7() as RequestId;
    const startedAtMs = clock.now();
    const mark = target.indexOf("?");
    const path = mark === -1 ? target : target.slice(0, mark);
    const body = new BodyReader(request, this.#parts.bodyLimits);
    this.load.inFlight += 1;
    const answer = await gateway.handle({
      requestId,
      method: request.method,
      path,
      query: mark === -1 ? "" : target.slice(mark),
      headers: request.headers,
      clientIp,
      signal: request.signal,
      startedAtMs,
      startedTick: clock.tick(),
      readBody: () => body.read(),
      onReport: (report) => {
        this.load.inFlight -= 1;
        this.#writeDown({ requestId, method: request.method, path, clientIp, startedAtMs }, request, body, report);
      },
    });
    return { ...answer, requestId };
  }

  #writeDown(
    call: { requestId: RequestId; method: string; path: string; clientIp: string; startedAtMs: number },
    request: Request,
    body: BodyReader,
    report: CallReport,
  ): void {
    const { trace } = this.#parts;
    const day = utcDay(call.startedAtMs);
    trace.record({
      requestId: call.requestId,
      day,
      userId: report.userId,
      gatewayUserId: report.gatewayUserId,
      apiKeyId: report.apiKeyId,
      method: call.method,
      path: call.path.slice(0, 256),
      model: report.model,
      status: report.outcome,
      errorCode: report.errorCode,
      httpStatus: report.httpStatus,
      isStream: report.isStream,
      inputTokens: report.inputTokens,
      outputTokens: report.outputTokens,
      firstTokenMs: report.firstByteMs,
      durationMs: report.durationMs,
      clientIp: call.clientIp,
      userAgent: (request.headers.get("user-agent") ?? "").slice(0, userAgentLengthMax),
      payload: this.#keepPayload(call.requestId, day, body, report),
      startedAtMs: call.startedAtMs,
    });
  }

  #keepPayload(requestId: RequestId, day: string, body: BodyReader, report: CallReport): PayloadFate {
    const { gatewayUserId, isPayloadTraced } = report;
    if (gatewayUserId === null || (body.bytes === null && report.responseBytes === 0)) {
      return "none";
    }
    if (!isPayloadTraced) {
      return "off";
    }
    return this.#parts.trace.storePayload({
      requestId,
      day,
      gatewayUserId,
      request: body.bytes,
      response: report.responsePieces,
      requestBytes: body.bytes?.byteLength ?? 0,
      responseBytes: report.responseBytes,
    });
  }
}

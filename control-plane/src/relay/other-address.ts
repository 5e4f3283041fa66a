import { viewOf } from "@sluice/http-client/packet-part";
import type { CallHeaders, CallReport, GatewayCall, GatewayResponse } from "../gateway/model.ts";
import { changedCall, type GatewayPort } from "../gateway/port.ts";
import type { ByteCounter } from "../platform/read-body.ts";
import type { OtherAddress, OwnAnswer } from "./model.ts";

/**
 * The client's body as the gateway gets it, read and made once however often it is requested, even if that fails. Each
 * request counts it.
 */
export function readOnce(
  read: GatewayCall["readBody"],
  toBody: OtherAddress["toBody"] = (body) => body,
): GatewayCall["readBody"] {
  let reading: Promise<Uint8Array> | null = null;
  return (counter) => {
    if (reading === null) {
      reading = Promise.try(read, counter).then((body) => toBody(viewOf(body)));
      return reading;
    }
    return counter === undefined ? reading : reading.then((body) => counted(body, counter));
  };
}

function counted(body: Uint8Array, counter: ByteCounter): Uint8Array {
  counter.add(body.byteLength);
  return body;
}

/**
 * Tries the sets of headers one after the other, until the gateway accepts a credential. Only the last refusal counts,
 * because the client never sees the others.
 */
export async function askWithEach(
  gateway: GatewayPort,
  call: GatewayCall,
  candidates: readonly CallHeaders[],
): Promise<GatewayResponse> {
  for (const headers of candidates.slice(0, -1)) {
    let isRefused = false;
    const onReport = (report: CallReport): void => {
      isRefused = report.httpStatus === unauthorized;
      if (!isRefused) {
        call.onReport(report);
      }
    };
    const answer = await gateway.handle(changedCall(call, { headers, onReport }));
    if (!isRefused) {
      return answer;
    }
  }
  return await gateway.handle(changedCall(call, { headers: candidates.at(-1) ?? call.headers }));
}

/** A provider's own 401 never becomes one of ours. */
const unauthorized = 401;

/** The gateway's report about a call, with the response that its client gets instead. */
export function withOwnAnswer(report: CallReport, { status, body, model }: OwnAnswer): CallReport {
  return {
    ...report,
    httpStatus: status,
    model: report.model ?? model?.slice(0, modelLengthMax) ?? null,
    responsePieces: [body],
    responseBytes: body.byteLength,
  };
}

const modelLengthMax = 256;

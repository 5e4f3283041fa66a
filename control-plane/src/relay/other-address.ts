import type { CallReport, GatewayCall, GatewayResponse } from "../gateway/model.ts";
import type { GatewayPort } from "../gateway/port.ts";
import type { BodyReader, ByteCounter } from "../platform/read-body.ts";
import type { OtherAddress, OwnAnswer } from "./model.ts";

/** The client's body as the gateway gets it, made once however often it is requested. */
export function readOnce(
  reader: BodyReader,
  toBody: OtherAddress["toBody"] = (body) => body,
): (counter?: ByteCounter) => Promise<Uint8Array> {
  let reading: Promise<Uint8Array> | null = null;
  return (counter) => {
    reading ??= reader.read(counter).then(toBody);
    return reading;
  };
}

/**
 * Tries the sets of headers one after the other, until the gateway accepts a credential. Only the last refusal counts,
 * because the client never sees the others.
 */
export async function askWithEach(
  gateway: GatewayPort,
  call: GatewayCall,
  candidates: readonly Headers[],
): Promise<GatewayResponse> {
  for (const headers of candidates.slice(0, -1)) {
    let isRefused = false;
    const onReport = (report: CallReport): void => {
      isRefused = report.httpStatus === unauthorized;
      if (!isRefused) {
        call.onReport(report);
      }
    };
    const answer = await gateway.handle({ ...call, headers, onReport });
    if (!isRefused) {
      return answer;
    }
  }
  return await gateway.handle({ ...call, headers: candidates.at(-1) ?? call.headers });
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

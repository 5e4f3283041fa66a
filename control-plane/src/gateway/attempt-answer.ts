import type { JsonObject } from "@sluice/dialect-conversion/model";
import type { HttpResponse } from "@sluice/http-client/model";
import { type Bytes, viewOf } from "@sluice/http-client/packet-part";
import { droppedHeaders } from "./dropped-headers.ts";
import { headEvents, messageAsEvents } from "./early-stream.ts";
import type { AdmittedCall, CallState, GatewayResponse } from "./model.ts";
import type { Operation } from "./operations/model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import { answerHeaders, namingModel } from "./respond/compose-answer.ts";
import { withCallId } from "./respond/write-error.ts";
import { pingEvent } from "./signs-of-life.ts";
import { type AnswerWay, type ConvertedAnswer, convertAnswer, encodeWhole } from "./upstreams/conversion-order.ts";
import type { EventConverter } from "./upstreams/convert-answer.ts";
import { convertedAsideBytesMin, type RequestPlan } from "./upstreams/plan-request.ts";
import { renameInAnswer, renameInFirstEvent } from "./upstreams/response-model.ts";

/* The response of a channel in the form that its client expects. */

export const eventStreamType = "text/event-stream";

export function headersOf(
  response: HttpResponse,
  state: AdmittedCall,
  { dropped }: RequestPlan,
): Record<string, string> {
  const headers = answerHeaders(response, state.exitNode);
  if (dropped !== null) {
    Object.assign(headers, droppedHeaders(dropped, state.call.path));
  }
  return withCallId(namingModel(headers, state), state);
}

/** The headers of a response as a stream. */
export function streamHeadersOf(
  response: HttpResponse,
  state: AdmittedCall,
  plan: RequestPlan,
): Record<string, string> {
  const headers = headersOf(response, state, plan);
  if (plan.answers !== null) {
    headers["content-type"] = eventStreamType;
  }
  return headers;
}

/**
 * A whole response for the client; null if it can't be converted. A large one is converted on another thread.
 * @throws AppError `temporarily_unavailable` when too many wait, `client_closed_request`
 */
export function wholeFor(
  { aside }: Pick<PipelineDeps, "aside">,
  state: AdmittedCall,
  { answers, names }: RequestPlan,
  body: Bytes,
): ConvertedAnswer | null | Promise<ConvertedAnswer | null> {
  if (answers === null) {
    return { bytes: names === null ? body : renameInAnswer(viewOf(body), names), isEvents: false };
  }
  // What the client has received decides what is converted, so that nothing may begin meanwhile.
  state.early?.stayQuiet();
  const order = { ...answers, body: viewOf(body), eventsSent: eventsSentOf(state) };
  return body.byteLength < convertedAsideBytesMin
    ? convertAnswer(order)
    : aside.convertAnswer(order, state.call.signal);
}

/**
 * A whole response as the rest of a stream that has begun by itself, if its client has one; null if it is not a message:
 * nothing else can follow the beginning of one. Call this before the response is charged for.
 */
export function continuing({ early }: CallState, whole: ConvertedAnswer | null): ConvertedAnswer | null {
  if (early === null || whole?.isEvents === true) {
    return whole;
  }
  if (whole === null) {
    early.watchAgain();
    return null;
  }
  early.stayQuiet();
  if (!early.hasBegun) {
    return whole;
  }
  const bytes = messageAsEvents(viewOf(whole.bytes), early.hasHead);
  return bytes === null ? null : { bytes, isEvents: true };
}

/** How many events of a stream its client has; null for a client that asked for none. */
function eventsSentOf({ request, early }: AdmittedCall): number | null {
  if (!request.isStream) {
    return null;
  }
  return early?.hasHead === true ? headEvents : 0;
}

const typeOf = ({ isEvents }: ConvertedAnswer): Record<string, string> =>
  isEvents ? { "content-type": eventStreamType } : {};

/** A client that has received the beginning of a message gets none from the channel. */
export function firstEditOf({ early }: CallState, { answers, names }: RequestPlan): ((event: Buffer) => Buffer) | null {
  if (answers !== null) {
    return early === null ? null : (event) => (early.hasHead ? noBytes : event);
  }
  return names === null ? null : (event) => renameInFirstEvent(event, names);
}

const noBytes = Buffer.alloc(0);

/** What a client of the Messages API gets after a silence; null for other clients. */
export function idleOf({ stream }: Operation, converter: EventConverter | null): (() => Buffer | null) | null {
  if (stream !== "messages") {
    return null;
  }
  return converter === null ? () => pingEvent : () => converter.idle();
}

/** A response that is there without a channel. */
export type ReadyPlan = { readonly ready: JsonObject; readonly dropped: string | null; readonly way: AnswerWay };

export function readyAnswer(state: AdmittedCall, { ready, dropped, way }: ReadyPlan): ReadyAnswer {
  const answer = encodeWhole(ready, way, eventsSentOf(state));
  state.isStream ||= answer.isEvents;
  const own = { "content-type": "application/json", ...droppedHeaders(dropped, state.call.path), ...typeOf(answer) };
  return { status: 200, headers: withCallId(own, state), body: answer.bytes };
}

type ReadyAnswer = GatewayResponse & { readonly body: Bytes };

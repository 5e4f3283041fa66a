import { exitNodeHeader } from "@sluice/exit-protocol/headers";
import type { HttpHeader, HttpResponse } from "@sluice/http-client/model";
import type { CallState, GatewayResponse } from "../model.ts";
import type { Operation } from "../operations/model.ts";

export function headerOf(response: HttpResponse, name: string): string | null {
  const { headers } = response;
  for (let index = 0; index < headers.length; index += 1) {
    const header = headers[index] as HttpHeader;
    if (header[0] === name) {
      return header[1];
    }
  }
  return null;
}

/** Whether the body is compressed, although we never ask for it: what can't be read can't be counted. */
function isEncoded({ headers }: HttpResponse): boolean {
  for (let index = 0; index < headers.length; index += 1) {
    const header = headers[index] as HttpHeader;
    if (header[0] === "content-encoding" && header[1].trim().toLowerCase() !== "identity") {
      return true;
    }
  }
  return false;
}

/** How a successful response is passed on: collected first, piece by piece, or refused for the named reason. */
export type AnswerForm = "whole" | "pieces" | { readonly refused: string };

/** Responses of other types than these and event streams are passed on without being collected. */
const collectedTypes = /^[^;]*json|^text\/plain/i;
/** What nearly every response says. */
const plainJsonType = "application/json";
const eventStreamType = /^text\/event-stream/i;
/** A server in front of the provider sometimes sends a page instead of audio or a transcript. */
const pageTypes = /^(?:text\/html|application\/xhtml)/i;
/** 204, 205 and 206 are successes that no model call asks for. */
const emptyStatuses: ReadonlySet<number> = new Set([204, 205, 206]);

/** Whether a body can be read as events. */
export function isEventStream(response: HttpResponse): boolean {
  return eventStreamType.test(headerOf(response, "content-type") ?? "") && !isEncoded(response);
}

/** Decides what to do with a successful response from its headers. */
export function formOf(response: HttpResponse, { answers }: Pick<Operation, "answers">): AnswerForm {
  const type = headerOf(response, "content-type") ?? "";
  const isRaw = answers !== "json";
  if (answers !== "any" && emptyStatuses.has(response.status)) {
    return { refused: "no_content" };
  }
  if (isEncoded(response)) {
    return isRaw ? "pieces" : { refused: "encoded" };
  }
  if (type === plainJsonType || collectedTypes.test(type)) {
    return "whole";
  }
  const isPassed = eventStreamType.test(type) || (isRaw && (answers === "any" || !pageTypes.test(type)));
  return isPassed ? "pieces" : { refused: "content_type" };
}

/** The code of the exit node that responded; null if no node did, or another one than requested. */
export function answeringNode(response: HttpResponse, expected: string | null): string | null {
  return expected !== null && headerOf(response, exitNodeHeader) === expected ? expected : null;
}

/** Adds the header that names the exit node to a response. */
export function namingNode(answer: GatewayResponse, exitNode: string | null): GatewayResponse {
  return exitNode === null ? answer : { ...answer, headers: { ...answer.headers, [exitNodeHeader]: exitNode } };
}

/** Names the model that answered in place of the one that was asked for. */
export const modelUsedHeader = "x-sluice-model-used";

/** Adds that header if another model answered. */
export function namingModel(
  headers: Record<string, string>,
  { askedModel, model }: Pick<CallState, "askedModel" | "model">,
): Record<string, string> {
  if (askedModel !== null && model !== null) {
    headers[modelUsedHeader] = model.name;
  }
  return headers;
}

/** An empty literal has room for six headers. One with a name has room for that alone, and would be moved three times. */
const noHeaders = (): Record<string, string> => ({});

/**
 * The headers of the response: those that say how to read the body, and none that the upstream means for a browser. Of
 * repeated headers the first one was checked; compressions are a list.
 * @param exitNode the code of the exit node that responded, or null
 */
export function answerHeaders(response: HttpResponse, exitNode: string | null): Record<string, string> {
  const type = headerOf(response, "content-type");
  const headers = noHeaders();
  if (type !== null) {
    headers["content-type"] = type;
  }
  const received = response.headers;
  for (let index = 0; index < received.length; index += 1) {
    const header = received[index] as HttpHeader;
    const name = header[0];
    const value = header[1];
    if (name === "content-encoding") {
      headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
    } else if (name === "content-disposition" || name === "openai-version") {
      headers[name] ??= value;
    }
  }
  if (exitNode !== null) {
    headers[exitNodeHeader] = exitNode;
  }
  return headers;
}

import { exitNodeHeader } from "@sluice/exit-protocol/headers";
import type { HttpResponse } from "@sluice/http-client/model";
import type { GatewayAnswer } from "../model.ts";
import type { SurfaceKind } from "../surfaces.ts";

/** The only headers of an upstream that reach a client. */
const forwardedHeaders = new Set(["content-type", "content-encoding", "content-disposition", "openai-version"]);

export function headerOf(response: HttpResponse, name: string): string | null {
  return response.headers.find(([candidate]) => candidate === name)?.[1] ?? null;
}

/** Whether the body is compressed, although we never ask for it: what can't be read can't be counted. */
function isEncoded({ headers }: HttpResponse): boolean {
  return headers.some(([name, value]) => name === "content-encoding" && value.trim().toLowerCase() !== "identity");
}

/** How an answer with a good status goes on: collected first, piece by piece, or not at all for the reason that is named. */
export type AnswerForm = "whole" | "pieces" | { readonly refused: string };

/** Answers of other types than these and event streams are passed on without being collected. */
const collectedTypes = /^[^;]*json|^text\/plain/i;
const eventStreamType = /^text\/event-stream/i;
/** Placeholder for audio or a transcript when a server in front of the provider answers. */
const pageTypes = /^(?:text\/html|application\/xhtml)/i;
/** No content, another form for the next question, a part of something: good statuses that no call of a model asks for. */
const emptyStatuses: ReadonlySet<number> = new Set([204, 205, 206]);
const rawKinds: ReadonlySet<SurfaceKind> = new Set(["speech", "transcription", "pass"]);

/** Whether a body can be read as events. */
export function isEventStream(response: HttpResponse): boolean {
  return eventStreamType.test(headerOf(response, "content-type") ?? "") && !isEncoded(response);
}

/** Judges the head of an answer with a good status. */
export function formOf(response: HttpResponse, kind: SurfaceKind): AnswerForm {
  const type = headerOf(response, "content-type") ?? "";
  const isRaw = rawKinds.has(kind);
  if (kind !== "pass" && emptyStatuses.has(response.status)) {
    return { refused: "no_content" };
  }
  if (isEncoded(response)) {
    return isRaw ? "pieces" : { refused: "encoded" };
  }
  if (collectedTypes.test(type)) {
    return "whole";
  }
  const isPassed = eventStreamType.test(type) || (isRaw && (kind === "pass" || !pageTypes.test(type)));
  return isPassed ? "pieces" : { refused: "content_type" };
}

/** The code of the exit node that answered; null when another one answered than was asked, or no node. */
export function answeringNode(response: HttpResponse, expected: string | null): string | null {
  return expected !== null && headerOf(response, exitNodeHeader) === expected ? expected : null;
}

/** The same answer, saying which exit node it came through. */
export function namingNode(answer: GatewayAnswer, exitNode: string | null): GatewayAnswer {
  return exitNode === null ? answer : { ...answer, headers: { ...answer.headers, [exitNodeHeader]: exitNode } };
}

/** Names what of a request did not go on to the provider, so that it is not missed in silence. */
export const droppedHeader = "x-sluice-dropped";

/**
 * The headers of the response: those that say how to read the body, and none that the upstream means for a browser.
 * @param exitNode the code of the exit node that answered, or null
 * @param dropped what was removed from the request, or null
 */
export function answerHeaders(
  response: HttpResponse,
  exitNode: string | null,
  dropped: string | null,
): Record<string, string> {
  const headers: Record<string, string> = dropped === null ? {} : { [droppedHeader]: dropped };
  for (const [name, value] of response.headers) {
    if (forwardedHeaders.has(name)) {
      // Of several the first is the one that was judged; compressions are a list.
      headers[name] =
        name === "content-encoding" && headers[name] !== undefined
          ? `${headers[name]}, ${value}`
          : (headers[name] ?? value);
    }
  }
  if (exitNode !== null) {
    headers[exitNodeHeader] = exitNode;
  }
  return headers;
}

import { exitNodeHeader } from "@sluice/exit-protocol/headers";
import type { HttpResponse } from "../../platform/http-client/model.ts";
import type { GatewayAnswer } from "../model.ts";

/** The only headers of an upstream that reach a client. */
const forwardedHeaders = new Set(["content-type", "content-encoding", "content-disposition", "openai-version"]);

export function headerOf(response: HttpResponse, name: string): string | null {
  return response.headers.find(([candidate]) => candidate === name)?.[1] ?? null;
}

/** Whether the body is compressed, although we never ask for it: what can't be read can't be counted. */
export function isEncoded(response: HttpResponse): boolean {
  const encoding = headerOf(response, "content-encoding");
  return encoding !== null && encoding.trim().toLowerCase() !== "identity";
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
 * The headers of the answer: what says how to read the body, and nothing that the upstream wants from a browser.
 * @param exitNode the code of the exit node that answered, or null
 * @param dropped what was taken out of the request, or null
 */
export function answerHeaders(
  response: HttpResponse,
  exitNode: string | null,
  dropped: string | null,
): Record<string, string> {
  const headers: Record<string, string> = dropped === null ? {} : { [droppedHeader]: dropped };
  for (const [name, value] of response.headers) {
    if (forwardedHeaders.has(name)) {
      headers[name] = value;
    }
  }
  if (exitNode !== null) {
    headers[exitNodeHeader] = exitNode;
  }
  return headers;
}

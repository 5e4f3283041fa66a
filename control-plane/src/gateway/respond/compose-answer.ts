import type { HttpResponse } from "../../platform/http-client/model.ts";

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

/** The headers of the answer: what says how to read the body, and nothing that the upstream wants from a browser. */
export function answerHeaders(response: HttpResponse): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of response.headers) {
    if (forwardedHeaders.has(name)) {
      headers[name] = value;
    }
  }
  return headers;
}

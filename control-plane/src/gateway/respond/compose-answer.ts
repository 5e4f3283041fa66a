import type { HttpResponse } from "../../platform/http-client/model.ts";

/** The only headers of an upstream that reach a client. */
const forwardedHeaders = new Set(["content-type", "content-encoding", "content-disposition", "openai-version"]);

export function headerOf(response: HttpResponse, name: string): string | null {
  return response.headers.find(([candidate]) => candidate === name)?.[1] ?? null;
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

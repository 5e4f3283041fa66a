import { geminiDialect } from "../gemini/gemini-dialect.ts";
import { messagesDialect } from "../messages/messages-dialect.ts";
import type { IncomingRequest } from "../script/incoming-request.ts";
import { cohereDialect } from "./cohere-dialect.ts";
import type { Dialect } from "./dialect.ts";
import { openAiDialect } from "./openai-dialect.ts";

/** The dialect of a request, by its path; for the list of models, which two dialects have, by a header. */
export function findDialect(request: IncomingRequest): Dialect {
  const { path } = request;
  if (path.startsWith("/v1beta/") || /^\/v1\/models\/[^/]+:/.test(path)) {
    return geminiDialect;
  }
  if (path.startsWith("/v2/")) {
    return cohereDialect;
  }
  const isMessages =
    path.startsWith("/anthropic/") ||
    path.startsWith("/v1/messages") ||
    (path.startsWith("/v1/models") && request.header("anthropic-version") !== null);
  return isMessages ? messagesDialect : openAiDialect;
}

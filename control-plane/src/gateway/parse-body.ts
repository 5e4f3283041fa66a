import { largeBodyBytesMin } from "../platform/side-thread.ts";
import { parseRequest } from "./admit/parse-request.ts";
import type { GatewayCall, ParsedRequest } from "./model.ts";
import type { Operation } from "./operations/model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";

/**
 * Parses the body of a call; a large one on another thread, so that no other call has to wait.
 * @throws AppError as `parse-request` does, or `temporarily_unavailable` when too many wait
 */
export function parseBody(
  { parseAside }: Pick<PipelineDeps, "parseAside">,
  body: Uint8Array,
  { headers, path }: GatewayCall,
  operation: Operation,
): ParsedRequest | Promise<ParsedRequest> {
  // A JSON body was checked to be one, and its type says nothing more.
  const contentType = operation.body === "json" ? null : headers.get("content-type");
  return body.byteLength < largeBodyBytesMin || operation.body === "none"
    ? parseRequest(body, contentType, operation)
    : parseAside({ body, contentType, path });
}

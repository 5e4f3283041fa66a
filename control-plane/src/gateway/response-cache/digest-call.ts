import { viewOf } from "@sluice/http-client/packet-part";
import { strictHeader } from "../dropped-headers.ts";
import type { AdmittedCall } from "../model.ts";
import { isGeminiCall } from "../operations/gemini-path.ts";

/** Changes whenever requests are described differently, or answers kept differently. */
const version = 1;
/** The headers of a request that change its response. */
const describingHeaders = ["openai-beta", "anthropic-beta", "anthropic-version", strictHeader];

/** What the operator's settings add to the description of a request. */
export type DigestScope = {
  /** Null where users share responses. */
  readonly gatewayUserId: bigint | null;
  /** How often the cache was cleared. */
  readonly generation: bigint;
};

/**
 * A digest of everything that the response to a request depends on. It is made with a secret key: nobody who reads a
 * shared store can test which requests were made.
 */
export function digestCall({ call, principal, request }: AdmittedCall, scope: DigestScope, secret: Uint8Array): string {
  const { headers, path, query, traits } = call;
  const description = JSON.stringify([
    version,
    String(scope.generation),
    scope.gatewayUserId === null ? null : String(scope.gatewayUserId),
    principal.groupName,
    path,
    isGeminiCall(call) ? withoutKey(query) : query,
    request.model,
    request.dropped,
    traits?.() ?? null,
    ...describingHeaders.map((name) => headers.get(name)),
  ]);
  // A description is one line, so no two pairs of description and body give the same bytes.
  return new Bun.CryptoHasher("sha256", secret)
    .update(`${description}\n`)
    .update(viewOf(request.plainBody ?? request.body))
    .digest("hex");
}

/** A client of the Gemini API may send its key in the query. */
function withoutKey(query: string): string {
  const rest = new URLSearchParams(query);
  rest.delete("key");
  return rest.toString();
}

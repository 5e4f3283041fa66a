import { deprecationHeader, limitHeaderNames, sunsetHeader } from "@sluice/contracts/notice-headers";
import { exitNodeHeader } from "@sluice/exit-protocol/headers";
import { helpHeader } from "./help-link.ts";

type Handler<Answer> = (request: Request, server: Bun.Server<unknown>) => Promise<Answer>;

/**
 * The methods and headers of the clients of both APIs. Pages can only read the response headers that are named here.
 */
const methods = "GET, HEAD, POST, PUT, PATCH, DELETE";
const exposedHeaders = [
  ...["request-id", "x-request-id", "retry-after", "retry-after-ms", "x-should-retry", "x-compat-dropped"],
  ...["x-compat-dropped-more", "x-sluice-dropped-more", helpHeader],
  ...limitHeaderNames,
  ...[deprecationHeader, sunsetHeader],
  ...["age", "x-sluice-cache", "x-sluice-dropped", "x-sluice-model-used"],
  exitNodeHeader,
].join(", ");
const preflightSeconds = "7200";
const headerNames = /^[\w-]{1,100}(\s*,\s*[\w-]{1,100}){0,99}$/;

/**
 * The same handler, with responses readable by pages of these origins. A browser asks by a preflight first, which
 * carries no key and is answered here. Cookies never count: every caller needs a key.
 * @param origins the origins in the form that browsers send, for example `https://app.example`; `*` for any
 */
export function allowOrigins<Answer>(
  origins: readonly string[],
  handle: Handler<Answer | Response>,
): Handler<Answer | Response> {
  if (origins.length === 0) {
    return handle;
  }
  return async (request, server) => {
    const allowed = findAllowed(origins, request.headers.get("origin"));
    const answer = (allowed === null ? null : answerPreflight(request)) ?? (await handle(request, server));
    if (answer instanceof Response) {
      mark(answer.headers, allowed);
    }
    return answer;
  };
}

/** The header value that allows the origin to read a response; null if it is not allowed. */
function findAllowed(origins: readonly string[], origin: string | null): string | null {
  if (origin === null) {
    return null;
  }
  return origins.includes("*") ? "*" : (origins.find((each) => each === origin) ?? null);
}

function mark(headers: Headers, allowed: string | null): void {
  if (allowed !== "*") {
    headers.append("vary", "origin");
  }
  if (allowed !== null) {
    headers.set("access-control-allow-origin", allowed);
    headers.set("access-control-expose-headers", exposedHeaders);
  }
}

/** Answers a preflight; null for any other request. */
function answerPreflight({ method, headers }: Request): Response | null {
  if (method !== "OPTIONS" || !headers.has("access-control-request-method")) {
    return null;
  }
  const wanted = headers.get("access-control-request-headers")?.trim() ?? "";
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": methods,
      // A star would not cover the header that carries the key, so the headers are named.
      ...(headerNames.test(wanted) ? { "access-control-allow-headers": wanted } : {}),
      "access-control-max-age": preflightSeconds,
      "cache-control": "no-store",
    },
  });
}

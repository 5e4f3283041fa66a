import { accountPaths } from "@sluice/contracts/account-paths";
import { type AnyElysia, Elysia } from "elysia";
import { errorResponse, internalErrorResponse, notFoundResponse } from "./operations/error-response.ts";
import { allowOrigins } from "./platform/cross-origin.ts";
import type { Log } from "./platform/log.ts";
import { serverSocketLimits } from "./platform/websocket/server-socket.ts";

type Handler<Answer> = (request: Request, server: Bun.Server<unknown>) => Promise<Answer>;

/** Serves `/v1`, `/v1beta` and `/v2`: the relay, or the gateway where it runs alone; the relay serves `/msgcompat` as well. */
export type CallHandlers = {
  readonly call: Handler<Response>;
  readonly messages?: Handler<Response>;
  /** There is no response to send once the connection has become a websocket. */
  readonly realtime: Handler<Response | undefined>;
  /** Origins whose pages may call the API from a browser. */
  readonly pageOrigins?: readonly string[];
};

/** The routes that are served besides the calls. */
export type AppRoutes = {
  /** Instances, and functions that add routes to the program. */
  readonly features: readonly (AnyElysia | ((app: AnyElysia) => void))[];
  /** The web pages, asked when no feature has a route; null if no page matches either. */
  readonly page?: (request: Request) => Promise<Response | null>;
  /** The HSTS policy for this host; null if the service is not reached over encrypted connections. */
  readonly transportSecurity?: string | null;
  /** The error page for a person; null for programs. */
  readonly failedPage?: (request: Request, requestId: string) => Response | null;
};

/**
 * Whether the request's address can be trusted. With an invalid Host, the server omits the first part of the address
 * and the path can't be determined; with two, an edge may have decided by the other one.
 */
function hasValidUrl(request: Request): boolean {
  return request.url.startsWith("http") && request.headers.get("host")?.includes(",") !== true;
}

function refuseAddress(): Response {
  const answer = errorResponse("malformed_request", Bun.randomUUIDv7());
  answer.headers.set("connection", "close");
  return answer;
}

/**
 * Every route of the program, in order. Calls under `/v1`, `/v1beta`, `/v2` and `/msgcompat` are routes of the server itself and never
 * see the framework: its context and hooks cost a call more than the relay does. Then come the features, then the web
 * pages; anything that matches nothing is a JSON 404. An error that a feature throws and does not handle is a 500 that
 * names only the request id: a page for a person, JSON for a program.
 */
export function createApp(parts: AppRoutes, handlers: CallHandlers | null, log: Log, isDraining: () => boolean) {
  const { transportSecurity = null } = parts;
  const unexpected = (error: unknown, request: Request): Response => {
    const requestId = Bun.randomUUIDv7();
    log.error("http.unexpected", { requestId, method: request.method, error });
    return parts.failedPage?.(request, requestId) ?? internalErrorResponse(requestId);
  };
  const marked = (answer: Response): Response => {
    if (transportSecurity !== null) {
      answer.headers.set("strict-transport-security", transportSecurity);
    }
    if (isDraining()) {
      // The server silently closes connections that stay open, even while a client is sending the next request.
      answer.headers.set("connection", "close");
    }
    return answer;
  };
  const guarded =
    <Answer>(handle: Handler<Answer> | undefined) =>
    async (request: Request, server: Bun.Server<unknown>): Promise<Answer | Response> => {
      try {
        if (!hasValidUrl(request)) {
          return refuseAddress();
        }
        const answer = handle === undefined ? notFoundResponse() : await handle(request, server);
        return answer instanceof Response ? marked(answer) : answer;
      } catch (error) {
        return unexpected(error, request);
      }
    };
  const ofPages = (handle: Handler<Response> | undefined) => allowOrigins(handlers?.pageOrigins ?? [], guarded(handle));
  const elsewhere = Object.keys(accountPaths).filter((path) => !path.startsWith("/v1/"));
  const app = new Elysia({
    name: "app",
    strictPath: true,
    serve: {
      routes: {
        "/v1/*": ofPages(handlers?.call),
        "/v1beta/*": ofPages(handlers?.call),
        "/v2/*": ofPages(handlers?.call),
        // The framework keeps one of two paths that differ in the last slash; a pattern is another path.
        ...Object.fromEntries(elsewhere.map((path) => [path.replace(/\/$/, "/*"), ofPages(handlers?.call)])),
        "/v1/realtime": guarded(handlers?.realtime),
        "/msgcompat": ofPages(handlers?.messages),
        "/msgcompat/*": ofPages(handlers?.messages),
      },
    },
    websocket: serverSocketLimits,
    // The framework looks for the path after the host; by default it expects a host of at least four characters.
    handler: { standardHostname: false },
  });
  app.onRequest(({ request, set }) => {
    if (transportSecurity !== null) {
      set.headers["strict-transport-security"] = transportSecurity;
    }
    return hasValidUrl(request) ? undefined : refuseAddress();
  });
  for (const routes of parts.features) {
    if (typeof routes === "function") {
      routes(app);
    } else {
      app.use(routes);
    }
  }
  return app
    .onError(({ code, error, request }) => (code === "NOT_FOUND" ? notFoundResponse() : unexpected(error, request)))
    .all("*", async ({ request }) => (await parts.page?.(request)) ?? notFoundResponse(), { parse: "none" });
}

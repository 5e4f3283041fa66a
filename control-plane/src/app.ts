import { accountPaths } from "@sluice/contracts/account-paths";
import { errorResponse, internalErrorResponse, notFoundResponse } from "./operations/error-response.ts";
import type { Probes } from "./operations/routes.ts";
import { allowOrigins } from "./platform/cross-origin.ts";
import type { Log } from "./platform/log.ts";
import { serverSockets } from "./platform/websocket/server-socket.ts";

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

/** The error page for a person; null for programs. */
export type FailedPage = (request: Request, requestId: string) => Response | null;

/** The routes that are served besides the calls. */
export type AppRoutes = {
  readonly probes: Probes;
  /** Answers everything else; it may have to be loaded first. */
  readonly rest?: Handler<Response>;
  /** The HSTS policy for this host; null if the service is not reached over encrypted connections. */
  readonly transportSecurity?: string | null;
  readonly failedPage?: FailedPage;
};

/** Answers an error that nobody expected: a page for a person, JSON for a program, each with the request id of the log. */
export function unexpectedAnswer(log: Log, failedPage?: FailedPage) {
  return (error: unknown, request: Request): Response => {
    const requestId = Bun.randomUUIDv7();
    log.error("http.unexpected", { requestId, method: request.method, error });
    return failedPage?.(request, requestId) ?? internalErrorResponse(requestId);
  };
}

/** Where and how a program listens. */
export type ListenOptions = {
  readonly hostname: string;
  readonly port: number;
  /** In seconds. */
  readonly idleTimeout?: number;
  readonly maxRequestBodySize?: number;
};

/** The routes of a program, and what opens its port. */
export type App = {
  readonly paths: readonly string[];
  readonly listen: (options: ListenOptions) => Bun.Server<unknown>;
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
 * Every route of the program that its server knows: calls under `/v1`, `/v1beta`, `/v2` and `/msgcompat`, and probes. They
 * never see the framework, whose context and hooks cost a call more than the relay does, and a process that only has
 * them does not load it. Then comes the rest; anything that matches nothing is a JSON 404. An error that nobody expected
 * is a 500 that names only the request id.
 */
export function createApp(parts: AppRoutes, handlers: CallHandlers | null, log: Log, isDraining: () => boolean): App {
  const { transportSecurity = null, probes, rest } = parts;
  const unexpected = unexpectedAnswer(log, parts.failedPage);
  const secured = (answer: Response): Response => {
    if (transportSecurity !== null) {
      answer.headers.set("strict-transport-security", transportSecurity);
    }
    return answer;
  };
  const guarded =
    <Answer>(handle: Handler<Answer> | undefined, mark = secured) =>
    async (request: Request, server: Bun.Server<unknown>): Promise<Answer | Response> => {
      try {
        if (!hasValidUrl(request)) {
          return secured(refuseAddress());
        }
        const answer = handle === undefined ? notFoundResponse() : await handle(request, server);
        return answer instanceof Response ? mark(answer) : answer;
      } catch (error) {
        return secured(unexpected(error, request));
      }
    };
  const marked = (answer: Response): Response => {
    if (isDraining()) {
      // The server silently closes connections that stay open, even while a client is sending the next request.
      answer.headers.set("connection", "close");
    }
    return secured(answer);
  };
  const ofCalls = <Answer>(handle: Handler<Answer> | undefined) => guarded(handle, marked);
  const ofPages = (handle: Handler<Response> | undefined) => allowOrigins(handlers?.pageOrigins ?? [], ofCalls(handle));
  const elsewhere = Object.keys(accountPaths).filter((path) => !path.startsWith("/v1/"));
  const routes = {
    ...Object.fromEntries(Object.entries(probes).map(([path, answer]) => [path, { GET: guarded(answer) }])),
    "/v1/*": ofPages(handlers?.call),
    "/v1beta/*": ofPages(handlers?.call),
    "/v2/*": ofPages(handlers?.call),
    ...Object.fromEntries(elsewhere.map((path) => [path.replace(/\/$/, "/*"), ofPages(handlers?.call)])),
    "/v1/realtime": ofCalls(handlers?.realtime),
    "/msgcompat": ofPages(handlers?.messages),
    "/msgcompat/*": ofPages(handlers?.messages),
  };
  return {
    paths: Object.keys(routes),
    listen: (options) =>
      Bun.serve({
        ...options,
        reusePort: true,
        development: false,
        routes: routes as Bun.Serve.Routes<unknown, string>,
        fetch: guarded(rest),
        websocket: serverSockets as Bun.WebSocketHandler<unknown>,
      }),
  };
}

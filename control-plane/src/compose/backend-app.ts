import { type AnyElysia, Elysia } from "elysia";
import { type FailedPage, unexpectedAnswer } from "../app.ts";
import { notFoundResponse } from "../operations/error-response.ts";
import type { Log } from "../platform/log.ts";

/** What a process answers that is a backend: endpoints, then pages. */
export type BackendRoutes = {
  /** Adds the endpoints to an instance of the framework. */
  readonly addTo: (app: AnyElysia) => void;
  /** The web pages, asked when no feature has a route; null if no page matches either. */
  readonly page: (request: Request) => Promise<Response | null>;
  readonly failedPage: FailedPage;
};

/** The routes of a backend, behind the server of the program. */
export function openBackendApp(routes: BackendRoutes, log: Log) {
  const unexpected = unexpectedAnswer(log, routes.failedPage);
  const app: AnyElysia = new Elysia({
    name: "backend",
    strictPath: true,
    // The framework looks for the path after the host; by default it expects a host of at least four characters.
    handler: { standardHostname: false },
  });
  routes.addTo(app);
  app
    .onError(({ code, error, request }) => (code === "NOT_FOUND" ? notFoundResponse() : unexpected(error, request)))
    .all("*", async ({ request }) => (await routes.page(request)) ?? notFoundResponse(), { parse: "none" });
  const answer = (request: Request, server: Bun.Server<unknown>): Promise<Response> => {
    // Its handlers ask the server for the client's address.
    app.server = server;
    return app.handle(request);
  };
  return { app, answer };
}

import { Elysia } from "elysia";
import { internalErrorResponse, notFoundResponse } from "./operations/error-response.ts";
import type { Log } from "./platform/log.ts";

/**
 * Every route of the program, in order. Probes come first, so that they answer whatever else is wrong. The relay has no
 * middleware before it: each hook costs a call more than the relay itself does. What nothing matched is a JSON 404, and
 * what was thrown past a feature is a JSON 500 that names nothing but the request id.
 */
export function createApp(parts: readonly Elysia[], log: Log) {
  const app = new Elysia({ name: "app", strictPath: true });
  for (const routes of parts) {
    app.use(routes);
  }
  return app
    .onError(({ code, error, request }) => {
      if (code === "NOT_FOUND") {
        return notFoundResponse();
      }
      const requestId = Bun.randomUUIDv7();
      log.error("http.unexpected", { requestId, method: request.method, error });
      return internalErrorResponse(requestId);
    })
    .all("*", () => notFoundResponse());
}

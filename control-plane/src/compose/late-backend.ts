import type { SitePages } from "../pages/site-pages.ts";
import { Late } from "../platform/late.ts";
import type { BackendDeps } from "./backend-deps.ts";
import type { WorkServices } from "./work.ts";

/** A backend that can answer. */
export type OpenBackend = {
  readonly answer: (request: Request, server: Bun.Server<unknown>) => Promise<Response>;
  readonly failedPage: (request: Request, requestId: string) => Response | null;
  readonly stop: () => void;
};

/** The largest parts, which are loaded one after the other, so that calls have their turn in between. */
const parts = [
  () => import("elysia"),
  () => import("../accounts/accounts.ts"),
  () => import("../admin/lists/list-places.ts"),
  () => import("../gateway/feature.ts"),
  () => import("../payments/feature.ts"),
  () => import("../trace/feature.ts"),
  () => import("../organisations/feature.ts"),
];

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/**
 * The backend of a process, which is loaded when the first request for it arrives: its modules, schemas and routes are a
 * third of what is alive in a process, and one that only serves calls never needs them.
 */
export function lateBackend(deps: BackendDeps, services: WorkServices, site: SitePages | null): Late<OpenBackend> {
  return new Late(async () => {
    const startedAt = performance.now();
    for (const load of parts) {
      await load();
      await nextTurn();
    }
    const { buildBackend } = await import("./features.ts");
    const { openBackendApp } = await import("./backend-app.ts");
    await nextTurn();
    const { routes, stop } = buildBackend(deps, services, site);
    await nextTurn();
    const { answer } = openBackendApp(routes, deps.log);
    deps.log.info("backend.loaded", { ms: Math.round(performance.now() - startedAt) });
    return { answer, failedPage: routes.failedPage, stop };
  });
}

import type { Feature } from "../platform/feature.ts";
import { statusEndpoints } from "./routes.ts";
import { StatusBoard, type StatusDeps } from "./service.ts";

/** The public status page's data, and the incidents on it. */
export function statusFeature(deps: StatusDeps): Feature {
  return { name: "status", endpoints: statusEndpoints({ db: deps.db, board: new StatusBoard(deps) }) };
}

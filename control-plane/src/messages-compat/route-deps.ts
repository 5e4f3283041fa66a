import type { Log } from "../platform/log.ts";
import type { ServedCallSettings } from "../relay/served-call.ts";
import type { RelayService } from "../relay/service.ts";
import type { ClientAnswer } from "./model.ts";
import type { ModelMap } from "./model-map.ts";

/** What the routes need. */
export type RouteDeps = {
  readonly models: ModelMap;
  readonly relay: RelayService;
  readonly server: ServedCallSettings;
  readonly log: Log;
  /** The public address, where the pages about errors are. */
  readonly siteUrl: string;
};

/** A response with the id under which the call is recorded. */
export type IdentifiedResponse = ClientAnswer & { readonly requestId: string };

import type { EdgeSettings } from "../platform/client-address.ts";
import type { ClientPatience } from "../platform/client-patience.ts";
import type { Log } from "../platform/log.ts";
import type { AddressedCall } from "../relay/model.ts";
import type { RelayService } from "../relay/service.ts";
import type { ClientAnswer } from "./model.ts";
import type { ModelMap } from "./model-map.ts";

/** What the routes need. */
export type RouteDeps = {
  readonly models: ModelMap;
  readonly relay: RelayService;
  readonly edge: EdgeSettings;
  readonly patience: ClientPatience;
  readonly log: Log;
};

/** A request as received. */
export type Incoming = AddressedCall & {
  /** Called before a response that may take long begins. */
  readonly onBegin: () => void;
};

/** A response with the id under which the call is recorded. */
export type IdentifiedResponse = ClientAnswer & { readonly requestId: string };

import type { CaptureAllowance } from "../platform/answer-capture.ts";
import type { EdgeSettings } from "../platform/client-address.ts";
import type { ClientPatience } from "../platform/client-patience.ts";
import type { Log } from "../platform/log.ts";
import type { RelayService } from "../relay/service.ts";
import type { ConversionDeps } from "./conversion.ts";
import type { ClientAnswer } from "./model.ts";

/** What the routes need. */
export type RouteDeps = ConversionDeps & {
  readonly relay: RelayService;
  readonly captures: CaptureAllowance;
  readonly edge: EdgeSettings;
  readonly patience: ClientPatience;
  readonly log: Log;
};

/** A request as received. */
export type Incoming = {
  readonly request: Request;
  /** The path and query as in the request line. */
  readonly target: string;
  readonly clientIp: string;
  /** Called before a response that may take long begins. */
  readonly onBegin: () => void;
  /** Called when the end of the response is about to be sent, with the total number of bytes. */
  readonly onOver: (bytes: number) => void;
};

/** A response with the id under which the call is recorded. */
export type IdentifiedResponse = ClientAnswer & { readonly requestId: string };

/** The id in the format that clients of the Messages API expect. */
export function clientRequestId(requestId: string): string {
  return `req_${requestId.replaceAll("-", "")}`;
}

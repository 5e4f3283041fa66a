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

/** A request as it came in. */
export type Incoming = {
  readonly request: Request;
  /** Path and query as they stood on the request line. */
  readonly target: string;
  readonly clientIp: string;
  /** Called when an answer is asked for that can take its time. */
  readonly onBegin: () => void;
  /** Called when the end of the answer is about to go out, with the bytes of the whole. */
  readonly onOver: (bytes: number) => void;
};

/** An answer with the id under which the call is recorded. */
export type IdentifiedAnswer = ClientAnswer & { readonly requestId: string };

/** The id in the form in which clients of the Messages API expect one. */
export function clientRequestId(requestId: string): string {
  return `req_${requestId.replaceAll("-", "")}`;
}

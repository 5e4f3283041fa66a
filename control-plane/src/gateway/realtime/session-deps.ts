import type { ClientWebSocket } from "../../platform/websocket/model.ts";
import type { ChannelUse } from "../channels/channel-load.ts";
import type { ModelEntry, Principal } from "../model.ts";
import type { PipelineDeps } from "../pipeline-deps.ts";
import type { RealtimeLimits } from "./limits.ts";
import type { SessionBooks, SessionCall } from "./session-books.ts";
import type { SessionFunds } from "./session-funds.ts";

export type SessionDeps = Pick<PipelineDeps, "clock" | "limits" | "loads" | "log"> & {
  readonly state: SessionCall;
  readonly use: ChannelUse;
  readonly upstream: ClientWebSocket;
  readonly funds: SessionFunds;
  readonly books: SessionBooks;
  readonly sessionLimits: RealtimeLimits & { readonly stallTimeoutMs: number };
  /** The transcription model. @throws AppError when it is not available to the key, or has no price */
  readonly findTranscriber: (model: string, param: string) => ModelEntry;
  /** The current state of the key. @throws AppError when it may not be used any more, or not for this model */
  readonly recheckKey: () => Promise<Principal>;
  readonly onOver: () => void;
};

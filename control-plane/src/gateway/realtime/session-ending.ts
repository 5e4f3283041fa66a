import { AppError } from "../../platform/errors.ts";
import type { CallEnd } from "../model.ts";
import { closeCodes } from "./close-codes.ts";

/** Why a session ends, and what each side is sent. */
export type SessionEnding = Pick<CallEnd, "outcome" | "errorCode"> & {
  /** Sent to the client as an event before its connection is closed. */
  readonly error: AppError | null;
  readonly clientCode: number;
  readonly clientReason: string;
  readonly upstreamCode: number;
  readonly isChannelFault: boolean;
  /** The client ended the session. */
  readonly hasLeft?: boolean;
};

/** An end caused by either side, as reported to the client. */
export function failed(error: AppError, clientCode: number, isChannelFault = false): SessionEnding {
  const upstreamCode = closeCodes.normal;
  return {
    outcome: "failed",
    errorCode: error.code,
    error,
    clientCode,
    clientReason: error.code,
    upstreamCode,
    isChannelFault,
  };
}

/** The ending of a session for which neither side is the cause; null when this process is stopping. */
export function expired(why: string | null): SessionEnding {
  const error = why === null ? new AppError("shutting_down") : new AppError("session_ended", { message: why });
  const { goingAway, normal } = closeCodes;
  return {
    outcome: "completed",
    errorCode: null,
    error,
    clientCode: goingAway,
    clientReason: error.code,
    upstreamCode: normal,
    isChannelFault: false,
  };
}

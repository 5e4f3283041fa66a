import { type Frame, frameBytes } from "../../platform/websocket/model.ts";
import { keepPiece } from "../call-state.ts";
import type { CallState } from "../model.ts";

/** Keeps a frame that goes to the client for the trace, as a line. Sound is only counted: it would push out all else. */
export function keepFrame(state: CallState, frame: Frame, isSound: boolean): void {
  if (typeof frame !== "string" || isSound) {
    state.responseBytes += frameBytes(frame);
  } else {
    keepPiece(state, Buffer.from(`${frame}\n`));
  }
}

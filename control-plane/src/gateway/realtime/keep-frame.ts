import { type Frame, frameBytes } from "../../platform/websocket/model.ts";
import { keepPiece } from "../call-state.ts";
import type { CallState } from "../model.ts";

/** Keeps a frame for the client as a line of the trace. Audio is only counted: it would crowd out everything else. */
export function keepFrame(state: CallState, frame: Frame, isSound: boolean): void {
  if (typeof frame !== "string" || isSound) {
    state.capture.sentBytes += frameBytes(frame);
  } else {
    keepPiece(state, Buffer.from(`${frame}\n`));
  }
}

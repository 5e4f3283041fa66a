import { type ErrorCode, errorTable } from "@sluice/contracts/errors";
import { type Amount, plus } from "../../platform/amount.ts";
import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/errors.ts";
import type { ClientWebSocket, Frame, FrameSocket } from "../../platform/websocket/model.ts";
import type { ServerSocketOwner } from "../../platform/websocket/server-socket.ts";
import type { CallEnd, CallState } from "../model.ts";
import { closeCodes, isBroken, isOrderly, toSendableCode, toSendableReason } from "../realtime/close-codes.ts";
import { toErrorEvent } from "../realtime/error-event.ts";
import { FrameLane } from "../realtime/frame-lane.ts";
import { keepFrame } from "../realtime/keep-frame.ts";
import { PacedSender } from "../realtime/paced-sender.ts";
import { carriesSound, readServerEvent } from "../realtime/server-events.ts";

export type LinkedEnding = Pick<CallEnd, "outcome" | "errorCode"> & {
  readonly inputTokens: Amount;
  readonly outputTokens: Amount;
};

export type LinkedSessionDeps = {
  readonly state: CallState;
  readonly gateway: ClientWebSocket;
  readonly clock: Clock;
  readonly onOver: (ending: LinkedEnding) => void;
};

/** A session that another process's gateway serves and charges: frames pass through, and tokens are counted. */
export class LinkedSession implements ServerSocketOwner {
  readonly #deps: LinkedSessionDeps;
  readonly #toClient: FrameLane;
  readonly #gateway: PacedSender;
  readonly #running = new Set<string>();
  #toGateway: FrameLane | null = null;
  #client: { readonly socket: FrameSocket; readonly sender: PacedSender } | null = null;
  #drainTimer: ReturnType<typeof setTimeout> | null = null;
  #isOver = false;
  #inputTokens: Amount = 0;
  #outputTokens: Amount = 0;

  constructor(deps: LinkedSessionDeps) {
    this.#deps = deps;
    this.#toClient = new FrameLane((frame) => this.#fromGateway(frame), deps.gateway);
    this.#gateway = new PacedSender(deps.gateway, deps.clock);
  }

  onOpen(client: FrameSocket): void {
    const { gateway, clock } = this.#deps;
    this.#client = { socket: client, sender: new PacedSender(client, clock) };
    this.#toGateway = new FrameLane((frame) => this.#gateway.send(frame), client);
    gateway.listen({
      onFrame: (frame) => void this.#toClient.push(frame),
      onPong: () => undefined,
      onClose: (code, reason) => this.#toClient.finish(() => this.#onGatewayClosed(code, reason)),
    });
  }

  onFrame(frame: Frame): void {
    if (this.#toGateway?.push(frame) === false) {
      this.#stop(new AppError("request_too_large"), closeCodes.tooMuch);
    }
  }

  onPong(): void {
    // The server framework drops clients that do not respond to pings.
  }

  onClose(code: number): void {
    const isGone = isBroken(code);
    this.#deps.gateway.close(toSendableCode(code, closeCodes.goingAway), "");
    this.#end(isGone ? "aborted" : "completed", isGone ? "client_closed_request" : null);
  }

  /** Ends the session as soon as no response is in progress, after this many milliseconds at the latest. */
  beginDrain(timeoutMs: number): void {
    this.#drainTimer = setTimeout(() => this.stop(), this.#running.size === 0 ? 0 : timeoutMs);
  }

  stop(): void {
    this.#stop(new AppError("shutting_down"), closeCodes.goingAway);
  }

  #fromGateway(frame: Frame): Promise<void> | undefined {
    const client = this.#client;
    if (client === null || this.#isOver) {
      return undefined;
    }
    const { state, clock } = this.#deps;
    const text = typeof frame === "string" ? frame : frame.toString("utf8");
    this.#count(text);
    state.firstByteMs ??= Math.round(clock.tick() - state.call.startedTick);
    keepFrame(state, frame, carriesSound(text));
    const pending = client.sender.send(frame);
    if (this.#drainTimer !== null && this.#running.size === 0) {
      this.stop();
    }
    return pending;
  }

  #count(frame: string): void {
    const event = readServerEvent(frame);
    if (event?.kind === "response_begun") {
      this.#running.add(event.id);
    } else if (event?.kind === "response_ended") {
      this.#running.delete(event.id);
    }
    if ((event?.kind === "response_ended" || event?.kind === "transcribed") && event.units !== null) {
      this.#inputTokens = plus(this.#inputTokens, event.units.inputTokens);
      this.#outputTokens = plus(this.#outputTokens, event.units.outputTokens);
    }
  }

  /** The gateway ends a session with an error code as the close reason. */
  #onGatewayClosed(code: number, reason: string): void {
    const reportedCode: ErrorCode | null = reason in errorTable ? (reason as ErrorCode) : null;
    const error = isBroken(code) ? new AppError("temporarily_unavailable") : null;
    this.#end(isOrderly(code) ? "completed" : "failed", isOrderly(code) ? null : (reportedCode ?? "upstream_error"));
    this.#deps.gateway.terminate();
    this.#dismiss(error, toSendableCode(code, closeCodes.internal), toSendableReason(reason));
  }

  #stop(error: AppError, code: number): void {
    if (this.#isOver) {
      return;
    }
    const isOurs = code !== closeCodes.goingAway;
    this.#end(isOurs ? "failed" : "completed", isOurs ? error.code : null);
    this.#deps.gateway.close(closeCodes.goingAway, "");
    this.#dismiss(error, code, error.code);
  }

  /**
   * The end is recorded first, because closing the client's connection triggers the same event as a client that leaves.
   */
  #dismiss(error: AppError | null, code: number, reason: string): void {
    const client = this.#client?.socket;
    if (error !== null) {
      client?.send(toErrorEvent(error));
    }
    client?.close(code, reason);
  }

  #end(outcome: CallEnd["outcome"], errorCode: ErrorCode | null): void {
    if (this.#isOver) {
      return;
    }
    this.#isOver = true;
    if (this.#drainTimer !== null) {
      clearTimeout(this.#drainTimer);
    }
    this.#toClient.close();
    this.#toGateway?.close();
    this.#deps.onOver({
      outcome,
      errorCode,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
    });
  }
}

import type { Amount } from "../../platform/amount.ts";
import { AppError, toAppError } from "../../platform/errors.ts";
import { abnormalClosure, type Frame, type FrameListener, type FrameSocket } from "../../platform/websocket/model.ts";
import type { ServerSocketOwner } from "../../platform/websocket/server-socket.ts";
import { toReport } from "../call-state.ts";
import type { Hold } from "../model.ts";
import { judgeClientEvent } from "./client-events.ts";
import { closeCodes, isBroken, isOrderly, toProviderClose, toSendableCode, toSendableReason } from "./close-codes.ts";
import { toErrorEvent } from "./error-event.ts";
import { FrameLane } from "./frame-lane.ts";
import { keepFrame } from "./keep-frame.ts";
import { PacedSender } from "./paced-sender.ts";
import {
  cleanError,
  type Piece,
  readPiece,
  readServerEvent,
  readTranscriptPiece,
  type ServerEvent,
} from "./server-events.ts";
import type { SessionDeps } from "./session-deps.ts";
import { expired, failed, type SessionEnding } from "./session-ending.ts";

/**
 * One realtime session: two pumps between the client and the provider. The client's frames are forwarded unchanged, or
 * not at all; of the provider's events, the few that cost something are held back until they are charged.
 */
export class RealtimeSession implements ServerSocketOwner {
  readonly #deps: SessionDeps;
  readonly #toClient: FrameLane;
  readonly #upstream: PacedSender;
  #toUpstream: FrameLane | null = null;
  #client: { readonly socket: FrameSocket; readonly sender: PacedSender } | null = null;
  #ending: SessionEnding | null = null;
  /** Responses that the client requested and that have not begun. */
  #asked = 0;
  #isDraining = false;
  #drainTick = 0;
  #lastFrameTick: number;
  #lastSignTick: number;
  #lastPingTick: number;
  #lastCheckTick: number;
  /** Events being charged and delivered; the books no longer count a response whose last event is among them. */
  #onTheirWay = 0;
  /** The event that is being charged; the books are not closed before that is done. */
  #charging: Promise<void> = Promise.resolve();
  #closing: Promise<void> = Promise.resolve();

  constructor(deps: SessionDeps) {
    const { upstream, clock } = deps;
    this.#deps = deps;
    this.#toClient = new FrameLane((frame) => this.#fromUpstream(frame), upstream);
    this.#upstream = new PacedSender(upstream, clock);
    const tick = clock.tick();
    this.#lastFrameTick = tick;
    this.#lastSignTick = tick;
    this.#lastPingTick = tick;
    this.#lastCheckTick = tick;
  }

  onOpen(client: FrameSocket): void {
    const { upstream, clock } = this.#deps;
    this.#client = { socket: client, sender: new PacedSender(client, clock) };
    this.#toUpstream = new FrameLane((frame) => this.#fromClient(frame), client);
    upstream.listen(this.#upstreamListener());
  }

  onFrame(frame: Frame): void {
    if (this.#toUpstream?.push(frame) === false) {
      this.#stop(failed(new AppError("request_too_large"), closeCodes.tooMuch));
    }
  }

  onPong(): void {
    // The server framework drops clients that do not respond to pings.
  }

  /** The client is gone; also called when it left before its connection was open. */
  onClose(code: number, reason: string): void {
    const isGone = isBroken(code);
    this.#end({
      outcome: isGone ? "aborted" : "completed",
      errorCode: isGone ? "client_closed_request" : null,
      error: null,
      clientCode: code,
      clientReason: reason,
      upstreamCode: toSendableCode(code, closeCodes.goingAway),
      isChannelFault: false,
      hasLeft: true,
    });
  }

  /** Called every second: ends whatever has exceeded a time limit. */
  checkTimeouts(): void {
    const { clock, sessionLimits, state } = this.#deps;
    const tick = clock.tick();
    const { totalTimeoutMs, idleTimeoutMs, recheckMs, drainTimeoutMs, pingMs, stallTimeoutMs } = sessionLimits;
    if (tick - state.call.startedTick > totalTimeoutMs) {
      this.#stop(expired("The session has reached its maximum duration."));
    } else if (tick - this.#lastFrameTick > idleTimeoutMs) {
      this.#stop(expired("The session was idle for too long."));
    } else if (this.#isDraining && (this.#isAtRest || tick - this.#drainTick > drainTimeoutMs)) {
      this.#stop(expired(null));
    } else if ((this.#client?.sender.stalledMs() ?? 0) > stallTimeoutMs) {
      this.#client?.socket.terminate();
      this.onClose(abnormalClosure, "");
    } else if (this.#upstream.stalledMs() > stallTimeoutMs) {
      this.#stop(failed(new AppError("upstream_timeout"), closeCodes.internal, true));
    } else if (tick - this.#lastPingTick > pingMs) {
      this.#askForSign(tick);
    }
    if (this.#ending === null && tick - this.#lastCheckTick > recheckMs) {
      this.#lastCheckTick = tick;
      void this.#recheckKey();
    }
  }

  /** Nothing that the client has requested is still to come. */
  get #isAtRest(): boolean {
    return this.#deps.books.running === 0 && this.#onTheirWay === 0;
  }

  /** No new response may begin: the session ends as soon as none is in progress. */
  beginDrain(): void {
    this.#isDraining = true;
    this.#drainTick = this.#deps.clock.tick();
    this.checkTimeouts();
  }

  /** Ends the session whatever is in progress. What was delivered is recorded when the promise resolves. */
  stop(): Promise<void> {
    this.#stop(expired(null));
    return this.#closing;
  }

  #upstreamListener(): FrameListener {
    return {
      onFrame: (frame) => {
        this.#lastSignTick = this.#deps.clock.tick();
        if (!this.#toClient.push(frame)) {
          this.#stop(failed(new AppError("upstream_error"), closeCodes.internal, true));
        }
      },
      onPong: () => {
        this.#lastSignTick = this.#deps.clock.tick();
      },
      // Whatever arrived before the close is charged and delivered first.
      onClose: (code, reason) => this.#toClient.finish(() => this.#onUpstreamClosed(code, reason)),
    };
  }

  #onUpstreamClosed(code: number, reason: string): void {
    const error = isBroken(code) ? new AppError("stream_interrupted") : null;
    const providerClose = toProviderClose(code, reason);
    this.#stop({
      outcome: isOrderly(code) ? "completed" : "failed",
      errorCode: isOrderly(code) ? null : (error?.code ?? "upstream_error"),
      error,
      clientCode: providerClose.code,
      clientReason: toSendableReason(cleanError(providerClose.reason, this.#deps.use.credential?.secret ?? null)),
      upstreamCode: closeCodes.normal,
      isChannelFault: isBroken(code),
    });
  }

  #fromClient(frame: Frame): Promise<void> | undefined {
    const { books, clock, limits, state, findTranscriber } = this.#deps;
    this.#lastFrameTick = clock.tick();
    const refusal = judgeClientEvent(frame, state.model.name, {
      onTranscriber: (name, param) => books.setTranscriber(findTranscriber(name, param), param),
      onResponse: () => {
        limits.beginResponse(state.principal);
        this.#asked += 1;
      },
    });
    if (refusal !== null) {
      return this.#deliver(toErrorEvent(refusal.error, refusal.eventId));
    }
    books.onClientFrame(frame);
    return this.#upstream.send(frame);
  }

  #fromUpstream(frame: Frame): Promise<void> | undefined {
    const { books, clock } = this.#deps;
    this.#lastFrameTick = clock.tick();
    // Clients accept an event as bytes or as text, and so it costs the same.
    const text = typeof frame === "string" ? frame : frame.toString("utf8");
    const event = readServerEvent(text);
    if (event !== null) {
      return this.#onEvent(frame, event);
    }
    const piece = readPiece(text);
    if (piece !== null && !books.isKnown(piece.responseId)) {
      return this.#onUnannounced(frame, piece);
    }
    if (piece !== null) {
      books.onPiece(piece);
    } else {
      books.onTranscript(readTranscriptPiece(text));
    }
    return this.#deliver(frame, piece?.kind === "audio");
  }

  /** Some providers send parts of a response before they announce it. */
  async #onUnannounced(frame: Frame, piece: Piece): Promise<void> {
    try {
      this.#charging = this.#beginResponse(piece.responseId);
      await this.#charging;
      this.#deps.books.onPiece(piece);
      await this.#deliver(frame, piece.kind === "audio");
    } catch (thrown) {
      this.#stopWithError(thrown);
    }
  }

  async #onEvent(frame: Frame, event: ServerEvent): Promise<void> {
    this.#onTheirWay += 1;
    try {
      this.#charging = this.#charge(event);
      await this.#charging;
      await this.#deliver(event.kind === "error" ? this.#toClientError(String(frame), event) : frame);
      if (this.#ending === null) {
        const { books, funds } = this.#deps;
        await funds.keep(Math.max(1, books.running));
      }
    } catch (thrown) {
      this.#stopWithError(thrown);
    }
    this.#onTheirWay -= 1;
    if (this.#isDraining) {
      this.checkTimeouts();
    }
  }

  /** The client has not seen any part of the event. The event is either charged against a hold or dropped. */
  async #charge(event: ServerEvent): Promise<void> {
    const { funds, limits, state } = this.#deps;
    this.#noteAsked(event);
    if (event.kind === "response_begun") {
      await this.#beginResponse(event.id);
    }
    const settle = this.#settlement(event);
    if (settle === null) {
      return;
    }
    const hold = funds.take();
    if (hold === null) {
      throw new AppError("insufficient_quota");
    }
    limits.use(state.principal, await settle(hold));
  }

  /** Each running response has its own hold. */
  async #beginResponse(id: string): Promise<void> {
    const { books, funds } = this.#deps;
    if (!books.begin(id)) {
      throw new AppError("rate_limit_exceeded", { message: "Too many responses are running in this session." });
    }
    await funds.keep(Math.max(1, books.running));
  }

  /** A response that begins by itself also counts as a request of the key, but can't be refused any more. */
  #noteAsked({ kind }: ServerEvent): void {
    const { limits, state } = this.#deps;
    if (kind === "response_begun" && this.#asked === 0) {
      limits.noteResponse(state.principal);
    } else if (kind === "response_begun" || kind === "error") {
      this.#asked = Math.max(0, this.#asked - 1);
    }
  }

  /** How to charge an event; null for one that costs nothing. */
  #settlement(event: ServerEvent): ((hold: Hold) => Promise<Amount>) | null {
    const { books } = this.#deps;
    if (event.kind === "response_ended" && !books.hasEnded(event.id)) {
      return (hold) => books.end(event.id, event, hold);
    }
    if (event.kind === "transcribed" && (event.units !== null || event.textBytes > 0)) {
      return (hold) => books.transcribed(event, hold);
    }
    return null;
  }

  /** The client may know what was wrong with its own frames; problems between us and the provider are ours. */
  #toClientError(frame: string, event: Extract<ServerEvent, { kind: "error" }>): string {
    return event.isRequestFault
      ? cleanError(frame, this.#deps.use.credential?.secret ?? null)
      : toErrorEvent(new AppError("upstream_error"), event.eventId);
  }

  #stopWithError(thrown: unknown): void {
    const error = toAppError(thrown);
    if (error.code === "internal_error") {
      this.#deps.log.error("realtime.failed", { requestId: this.#deps.state.call.requestId, error: thrown });
    }
    const code =
      error.code === "insufficient_quota" || error.code === "spend_limit_reached"
        ? closeCodes.quotaGone
        : error.status === 503
          ? closeCodes.tryAgainLater
          : closeCodes.internal;
    this.#stop(failed(error, code));
  }

  #deliver(frame: Frame, isSound = false): Promise<void> | undefined {
    const client = this.#client;
    if (client === null || this.#ending !== null) {
      return undefined;
    }
    const { state, clock } = this.#deps;
    state.firstByteMs ??= Math.round(clock.tick() - state.call.startedTick);
    keepFrame(state, frame, isSound);
    return client.sender.send(frame);
  }

  /** A provider that we are not reading, because the client is slow, can't show a sign of life either. */
  #askForSign(tick: number): void {
    if ((this.#client?.sender.stalledMs() ?? 0) > 0) {
      this.#lastSignTick = tick;
    } else if (this.#lastSignTick < this.#lastPingTick) {
      this.#stop(failed(new AppError("upstream_timeout"), closeCodes.internal, true));
      return;
    }
    this.#lastPingTick = tick;
    this.#deps.upstream.ping();
  }

  async #recheckKey(): Promise<void> {
    try {
      // Other calls count by the key's current limits, and so does this session.
      this.#deps.state.principal = await this.#deps.recheckKey();
    } catch (thrown) {
      const error = toAppError(thrown);
      // A failure to reach the database says nothing about the key.
      if (error.code !== "temporarily_unavailable") {
        this.#stop(failed(error, closeCodes.keyInvalid));
      }
    }
  }

  /** Reports the reason to the client, closes both connections, and closes the books. */
  #stop(ending: SessionEnding): void {
    if (this.#ending !== null) {
      return;
    }
    // This comes first, because closing the client's connection triggers the same event as a client that leaves.
    this.#end(ending);
    const client = this.#client?.socket;
    if (ending.error !== null) {
      client?.send(toErrorEvent(ending.error));
    }
    client?.close(ending.clientCode, ending.clientReason);
  }

  #end(ending: SessionEnding): void {
    if (this.#ending !== null) {
      return;
    }
    this.#ending = ending;
    this.#toClient.close();
    this.#toUpstream?.close();
    this.#deps.upstream.close(ending.upstreamCode, "");
    this.#closing = this.#closeBooks(ending);
  }

  async #closeBooks(ending: SessionEnding): Promise<void> {
    const { state, books, funds, loads, limits, use, clock, log } = this.#deps;
    await this.#charging.catch(() => undefined);
    if (ending.hasLeft === true && this.#asked > 0) {
      limits.noteUnpaid(state.principal);
    }
    try {
      await books.close(() => funds.take(), {
        outcome: ending.outcome === "failed" ? "failed" : "aborted",
        errorCode: ending.errorCode,
        owesInput: ending.hasLeft === true,
      });
    } catch (error) {
      log.error("realtime.remainder_not_recorded", { requestId: state.call.requestId, error });
    }
    funds.close();
    loads.end(use, ending.isChannelFault ? "suspected" : "none");
    limits.end(state.principal, 0n);
    const { outcome, errorCode } = ending;
    const durationMs = Math.round(clock.tick() - state.call.startedTick);
    state.call.onReport(toReport(state, { outcome, errorCode, httpStatus: 101 }, books.totals, durationMs));
    this.#deps.onOver();
  }
}

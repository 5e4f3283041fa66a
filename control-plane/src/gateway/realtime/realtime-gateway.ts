import type { ChannelId } from "@sluice/contracts/ids";
import { costOf } from "../../models/cost.ts";
import { noUnits } from "../../models/units.ts";
import { type Amount, plus } from "../../platform/amount.ts";
import { AppError, toAppError } from "../../platform/errors.ts";
import { readApiKey } from "../admit/authenticate-key.ts";
import { checkKeyState, checkModelAccess, isPriced, refuseEnded } from "../admit/check-access.ts";
import { readLabels } from "../admit/read-labels.ts";
import { boundCost, boundUnits, plausibleUnits, reserveQuota } from "../admit/reserve-quota.ts";
import { CallEnder } from "../call-ender.ts";
import { keepPiece, newCallState, toBegunReport } from "../call-state.ts";
import { hasPassed, hopHeader } from "../dispatch/compose-request.ts";
import type { CallState, GatewayCall, ModelEntry, ParsedRequest, Principal } from "../model.ts";
import { transcribed } from "../operations/table.ts";
import type { PipelineDeps } from "../pipeline-deps.ts";
import type { RealtimeOpening, RealtimePort } from "../port.ts";
import { writeError } from "../respond/write-error.ts";
import type { UsageLimits } from "../usage-count/judge-usage.ts";
import { type ConnectDeps, type ConnectedChannel, connectChannel } from "./connect-channel.ts";
import { type Handshake, readCredentials, readHandshake } from "./handshake.ts";
import { RealtimeSession } from "./session.ts";
import { SessionBooks, type SessionCall } from "./session-books.ts";
import { SessionFunds } from "./session-funds.ts";

export type RealtimeDeps = PipelineDeps & ConnectDeps;

/** The status with which a connection becomes a websocket. */
const switchedStatus = 101;

/** An admitted session with what was set aside for its first response. */
type AdmittedSession = SessionCall & { readonly funds: SessionFunds };

/**
 * Sessions over websockets: admit, then dispatch like any call, and only then accept the client's connection. Whatever
 * prevents a session is reported as a plain HTTP response.
 */
export class RealtimeGateway implements RealtimePort {
  readonly #deps: RealtimeDeps;
  readonly #ender: CallEnder;
  readonly #sessions = new Set<RealtimeSession>();
  #isDraining = false;

  constructor(deps: RealtimeDeps) {
    this.#deps = deps;
    this.#ender = new CallEnder(deps);
  }

  /** Running sessions. */
  get size(): number {
    return this.#sessions.size;
  }

  async open(call: GatewayCall): Promise<RealtimeOpening> {
    const state = newCallState(call, this.#deps.captures);
    state.isStream = true;
    try {
      const handshake = readHandshake(call);
      const principal = await this.#authenticate(state);
      const admitted = await this.#admit(state, principal, handshake.model);
      return await this.#begin(admitted, handshake);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === "internal_error" || error.status >= 502) {
        this.#deps.log.warn("call.failed", { requestId: call.requestId, code: error.code, error: thrown });
      }
      const answer = writeError(error);
      keepPiece(state, answer.body as Uint8Array);
      this.#ender.refuse(state, error);
      return { kind: "refused", answer };
    }
  }

  /** Ends whatever has exceeded a time limit; called every second. */
  endOverdue(): void {
    for (const session of [...this.#sessions]) {
      session.checkTimeouts();
    }
  }

  /** Accepts no more sessions; running ones end as soon as no response is in progress. */
  beginDrain(): void {
    this.#isDraining = true;
    for (const session of [...this.#sessions]) {
      session.beginDrain();
    }
  }

  /** Ends all sessions. Their rows are recorded when the promise resolves. */
  async close(): Promise<void> {
    this.#isDraining = true;
    const over = [...this.#sessions].map((session) => session.stop());
    await Promise.all(over);
  }

  async #authenticate(state: CallState): Promise<Principal> {
    const { call } = state;
    if (hasPassed(call.headers.get(hopHeader), this.#deps.hopMark)) {
      throw new AppError("loop_detected");
    }
    const principal = await this.#findPrincipal(call, readApiKey(withCredentials(call)));
    state.principal = principal;
    return principal;
  }

  /** @throws AppError when the key may not be used, or can't be looked up */
  async #findPrincipal(call: GatewayCall, key: string): Promise<Principal> {
    const { directory, digestKey, clock } = this.#deps;
    const principal = await directory.find(digestKey(key));
    if (principal === null) {
      throw new AppError("invalid_api_key");
    }
    checkKeyState(principal, call.clientIp, clock.now());
    return principal;
  }

  async #admit(state: CallState, principal: Principal, modelName: string): Promise<AdmittedSession> {
    const { catalog, clock, leases, limits, usage } = this.#deps;
    limits.begin(principal);
    state.isLimited = true;
    if (this.#isDraining) {
      throw new AppError("shutting_down", { retryAfterSeconds: 2 });
    }
    if (!usage.isAccepting()) {
      throw new AppError("storage_unavailable", { retryAfterSeconds: 5 });
    }
    const model = checkModelAccess(principal, modelName, catalog().models, clock.now());
    const request = sessionRequest(model);
    const cost = this.#boundCost(request, model);
    state.model = model;
    state.request = request;
    state.labels = readLabels(state.call.headers, request, principal);
    state.hold = await reserveQuota(leases, principal, cost);
    return Object.assign(state, { principal, request, model, funds: new SessionFunds(leases, principal, cost) });
  }

  /** The most expensive response; if audio is sold by time, at least the longest session's worth of speech. */
  #boundCost(request: ParsedRequest, model: ModelEntry): Amount {
    const { totalTimeoutMs } = this.#deps.realtimeLimits;
    const spoken = costOf({ ...noUnits, audioMs: totalTimeoutMs }, model.price, 0);
    return plus(boundCost(boundUnits(request, model), model), spoken);
  }

  /** The limits of what a response, or a transcription, can have used. */
  #usageLimits(request: ParsedRequest, model: ModelEntry): UsageLimits {
    const { totalTimeoutMs } = this.#deps.realtimeLimits;
    const held = { ...boundUnits(request, model), audioMs: totalTimeoutMs };
    return { held, most: plausibleUnits(request, model, held) };
  }

  /** The transcription model that a client names; billed like any other, and served by the session's channel. */
  #findTranscriber(principal: Principal, channelId: ChannelId, name: string, param: string): ModelEntry {
    const { models, abilities } = this.#deps.catalog();
    const { allowedModels, groupName } = principal;
    const entry = models.get(name);
    const serving = abilities.get(groupName)?.get(name) ?? [];
    const isServed = serving.some(({ channel }) => channel.id === channelId);
    if (entry === undefined || !isServed || allowedModels?.has(name) === false) {
      throw new AppError("model_not_found", { message: "This model can't transcribe audio in this session.", param });
    }
    refuseEnded(entry, this.#deps.clock.now(), param);
    if (!isPriced(entry.price, transcribed)) {
      throw new AppError("unpriced_option", { message: "This model has no price for audio.", param });
    }
    return entry;
  }

  async #begin(state: AdmittedSession, handshake: Handshake): Promise<RealtimeOpening> {
    const connected = await connectChannel(this.#deps, state, handshake);
    const session = this.#openSession(state, connected);
    this.#sessions.add(session);
    const headers: Record<string, string> = {};
    if (handshake.subprotocol !== null) {
      headers["sec-websocket-protocol"] = handshake.subprotocol;
    }
    return { kind: "open", session, headers, report: toBegunReport(state, switchedStatus) };
  }

  #openSession(state: AdmittedSession, { use, upstream }: ConnectedChannel): RealtimeSession {
    const { clock, limits, loads, log, realtimeLimits, streamStallTimeoutMs } = this.#deps;
    const { funds, hold, call } = state;
    // From here on the hold belongs to the session's funds.
    state.hold = null;
    if (hold !== null) {
      funds.add(hold);
    }
    const key = readApiKey(withCredentials(call));
    const session: RealtimeSession = new RealtimeSession({
      clock,
      limits,
      loads,
      log,
      state,
      use,
      upstream,
      funds,
      books: new SessionBooks(state, { ender: this.#ender, clock }, this.#usageLimits(state.request, state.model)),
      sessionLimits: { ...realtimeLimits, stallTimeoutMs: streamStallTimeoutMs },
      findTranscriber: (name, param) => this.#findTranscriber(state.principal, use.channel.id, name, param),
      recheckKey: async () => {
        const principal = await this.#findPrincipal(call, key);
        checkModelAccess(principal, state.model.name, this.#deps.catalog().models, this.#deps.clock.now());
        return principal;
      },
      onOver: () => this.#sessions.delete(session),
    });
    return session;
  }
}

/** A session's request, for its bound: whatever was said before, a response reads at most the model's context. */
function sessionRequest(model: ModelEntry): ParsedRequest {
  return {
    model: model.name,
    isStream: true,
    wantsUsage: true,
    bounds: {
      inputTokensMax: null,
      isOneContext: true,
      inputImages: 0,
      inputPages: 0,
      fileLetters: 0,
      outputTokensMax: null,
      choices: 1,
      outputImages: 0,
      audioMs: 0,
      characters: 0,
    },
    inputBytes: 0,
    body: new Uint8Array(),
    plainBody: null,
    contentType: null,
    pictureOption: null,
    dropped: null,
    modelPlace: null,
    cacheKey: null,
  };
}

/** What the API key of a session is read from. */
function withCredentials({ path, query, headers }: GatewayCall): Pick<GatewayCall, "path" | "query" | "headers"> {
  return { path, query, headers: readCredentials(headers) };
}

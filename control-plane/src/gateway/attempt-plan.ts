import type { ChannelId, CredentialId, GatewayUserId } from "@sluice/contracts/ids";
import type { Dialect } from "@sluice/contracts/upstreams";
import type { AbortNotice } from "@sluice/http-client/model";
import type { Clock } from "../platform/clock.ts";
import type { AppError } from "../platform/errors.ts";
import type { Affinities, Place } from "./channels/affinities.ts";
import type { ChannelLoads } from "./channels/channel-load.ts";
import { concernsCredential } from "./channels/credential-faults.ts";
import type { Ability, Channel, ChannelCredential } from "./channels/model.ts";
import { chooseChannel } from "./dispatch/choose-channel.ts";
import { attemptMsMax, backoffBeforeRepeat, mayRetry, type Progress, type RetryRule } from "./dispatch/retry-policy.ts";
import type { AttemptFailure, FailedAttempt } from "./model.ts";

/** How the channels of a model have failed. */
export type ModelFailure = {
  /** The last failed attempt; null if no channel was open. */
  readonly last: FailedAttempt | null;
  /** The error that the client would get. */
  readonly error: AppError;
  /** How long they were tried. */
  readonly elapsedMs: number;
};

/** The other models that may answer a call. */
export interface Fallbacks {
  /** Whether another model is left to try. */
  readonly hasNext: boolean;
  /** Why the model that was asked for has not answered; null while it may. */
  readonly firstError: AppError | null;
  /** Turns the call to the next model; null if there is none for it, and the call is again one of the model asked for. */
  next(failure: ModelFailure): Promise<Choice | null>;
}

/** The channels that a call may use, and the rule for moving on to the next one. */
export type Choice = {
  /** Sorted by priority. */
  readonly abilities: readonly Ability[];
  readonly rule: RetryRule;
  /** The dialect of the client: channels that speak it go first. */
  readonly dialect: Dialect;
  /** The conversation, which stays where it was answered while that is open; null if it has no name. */
  readonly conversation: string | null;
  /** Absent if no other model may answer. */
  readonly fallbacks?: Fallbacks;
};

export type PlanDeps = {
  readonly loads: Pick<ChannelLoads, "isOpen" | "pauseMs" | "chooseCredential">;
  readonly clock: Pick<Clock, "tick">;
  readonly random: () => number;
  readonly affinities: Affinities;
};

export type PlannedAttempt = {
  readonly ability: Ability;
  /** Null if the channel needs none. */
  readonly credential: ChannelCredential | null;
  readonly silenceMsMax: number;
  /** When it was planned. */
  readonly tick: number;
};

const noChannels: ReadonlySet<ChannelId> = new Set();
const noCredentials: ReadonlySet<CredentialId> = new Set();
const noPast = { tried: noCredentials, preferred: null };
const unbegun: Progress = { attempts: 0, elapsedMs: 0 };

/**
 * Where a call is tried: at each channel once, and at the last one that is left a second time. A channel whose credential
 * failed may be tried with another one.
 */
export class AttemptPlan {
  readonly #deps: PlanDeps;
  readonly choice: Choice;
  readonly #customer: GatewayUserId;
  readonly #startedTick: number;
  /** The channels that failed. */
  #tried: ReadonlySet<ChannelId> = noChannels;
  /** The credentials that failed. */
  #shown: ReadonlySet<CredentialId> = noCredentials;
  /** Where the conversation was answered last. */
  readonly #kept: Place | null;
  #attempts = 0;
  #isRepeated = false;
  #latest: PlannedAttempt | null = null;
  /** For how long channels were silent beyond the limit of the call, because of settings of their own. */
  #grantedMs = 0;

  /** @param startedTick if the time was just read */
  constructor(deps: PlanDeps, choice: Choice, customer: GatewayUserId, startedTick = deps.clock.tick()) {
    this.#deps = deps;
    this.choice = choice;
    this.#customer = customer;
    this.#startedTick = startedTick;
    this.#kept = choice.conversation === null ? null : deps.affinities.find(choice.conversation);
  }

  /** The next attempt at a channel that was not tried yet; null if none is open. */
  next(): PlannedAttempt | null {
    const { abilities } = this.choice;
    const first = abilities[0];
    const tick = this.#attempts === 0 ? this.#startedTick : this.#deps.clock.tick();
    if (abilities.length === 1 && first !== undefined) {
      return this.#isNext(first.channel, tick) ? this.#begin(first, tick) : null;
    }
    const ability = this.#choose(tick);
    return ability === null ? null : this.#begin(ability, tick);
  }

  #choose(tick: number): Ability | null {
    const { abilities, dialect } = this.choice;
    const speaks = ({ endpoints }: Channel) => endpoints.has(dialect);
    const isNext = (channel: Channel) => this.#isNext(channel, tick);
    const preference = { speaks, preferred: this.#kept?.channelId };
    return chooseChannel(abilities, isNext, preference, this.#deps.random());
  }

  /**
   * The second attempt at the last channel, after a short while, if none else is left and the failure may pass; null
   * if it is not tried again.
   */
  async repeat(last: FailedAttempt | null, signal: AbortNotice): Promise<PlannedAttempt | null> {
    const { loads, random } = this.#deps;
    if (last === null || this.#latest === null || this.#isRepeated) {
      return null;
    }
    const { ability } = this.#latest;
    const backoffMs = backoffBeforeRepeat(last.failure, loads.pauseMs(ability.channel, this.#customer), random());
    if (backoffMs === null) {
      return null;
    }
    await pause(backoffMs, signal);
    if (signal.aborted || !loads.isOpen(ability.channel, this.#customer)) {
      return null;
    }
    this.#isRepeated = true;
    this.#shown = noCredentials;
    return this.#begin(ability, this.#deps.clock.tick());
  }

  /** The latest attempt was answered. */
  noteAnswer(): void {
    const { conversation } = this.choice;
    if (conversation !== null && this.#latest !== null) {
      const { ability, credential } = this.#latest;
      const place = { channelId: ability.channel.id, credentialId: credential?.id ?? null };
      this.#deps.affinities.keep(conversation, place);
    }
  }

  /** Whether to try further after this failure. */
  mayGoOn(failure: AttemptFailure): boolean {
    if (this.#latest !== null) {
      this.#noteFailure(this.#latest, failure);
    }
    return mayRetry(failure, this.#progress, this.choice.rule);
  }

  /** Sets are only made for what has failed: most calls have one attempt. */
  #noteFailure(
    { ability: { channel }, credential, silenceMsMax, tick }: PlannedAttempt,
    failure: AttemptFailure,
  ): void {
    if (channel.firstByteTimeoutMs !== null) {
      const tookMs = this.#deps.clock.tick() - tick;
      // It is not taken from the other channels.
      this.#grantedMs += Math.max(0, tookMs - silenceMsMax);
    }
    if (credential !== null) {
      this.#shown = new Set(this.#shown).add(credential.id);
    }
    const tried = new Set(this.#tried).add(channel.id);
    if (concernsCredential(failure) && channel.credentials.length > 1) {
      tried.delete(channel.id);
    }
    this.#tried = tried;
  }

  /** How long channels were tried, within the limit of the call. */
  get elapsedMs(): number {
    return this.#deps.clock.tick() - this.#startedTick - this.#grantedMs;
  }

  get #progress(): Progress {
    return this.#attempts === 0 ? unbegun : { attempts: this.#attempts, elapsedMs: this.elapsedMs };
  }

  #begin(ability: Ability, tick: number): PlannedAttempt {
    const { channel } = ability;
    const silenceMsMax = attemptMsMax(this.#progress, this.#hasOther(channel, tick), this.choice.rule);
    const kept = this.#kept;
    // Not `?.`: the compiler gives up every version of a function that has compared undefined with a bigint.
    const preferred = kept !== null && kept.channelId === channel.id ? kept.credentialId : null;
    const { loads, random } = this.#deps;
    const past = this.#shown === noCredentials && preferred === null ? noPast : { tried: this.#shown, preferred };
    const credential = loads.chooseCredential(channel, this.#customer, past, random);
    this.#latest = { ability, credential, silenceMsMax, tick };
    this.#attempts += 1;
    return this.#latest;
  }

  #isNext(channel: Channel, tick: number): boolean {
    return !this.#tried.has(channel.id) && this.#deps.loads.isOpen(channel, this.#customer, this.#shown, tick);
  }

  /** Whether there is another channel to try, or another model. */
  #hasOther(chosen: Channel, tick: number): boolean {
    const { abilities, fallbacks } = this.choice;
    if (fallbacks?.hasNext === true) {
      return true;
    }
    return abilities.length > 1 && abilities.some(({ channel }) => channel !== chosen && this.#isNext(channel, tick));
  }
}

/** Waits for so long, or until nobody waits for the call any more. */
function pause(ms: number, signal: AbortNotice): Promise<void> {
  if (signal.aborted) {
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}

import type { CredentialId, GatewayUserId } from "@sluice/contracts/ids";
import { RateBucket } from "../../platform/rate-bucket.ts";
import type { ChannelCredential, CredentialRefusal } from "./model.ts";
import { type Pause, Pauses } from "./pauses.ts";

/** How long a refused credential rests before a call tests it, at first and at most; the rest doubles each time. */
const restMsMin = 15_000;
const restMsMax = 300_000;

type Refusal = { untilTick: number; restMs: number; isTested: boolean };

type CredentialLoad = {
  /** The id of the credential as rows have it. */
  readonly idText: string;
  inFlight: number;
  requests: RateBucket | null;
  readonly pauses: Pauses;
  /** Set while the provider refuses it. */
  refusal: Refusal | null;
  /** As it was in the latest catalog. */
  latest: ChannelCredential;
};

/** One attempt with a credential. */
export type CredentialUse = {
  readonly credential: ChannelCredential;
  readonly load: CredentialLoad;
  readonly isPauseProbe: boolean;
  /** It tests whether the provider accepts the credential again. */
  isTest: boolean;
};

/** Keeps what this replica learns about credentials where admins and other replicas see it. */
export type CredentialMarks = {
  onRefused(id: CredentialId, reason: CredentialRefusal): void;
  onAccepted(id: CredentialId): void;
};

/**
 * What this replica knows about the state of each credential: its limits, its pauses, and whether the provider refuses
 * it. A refused one rests and is then tested by a single call at a time.
 */
export class CredentialLoads {
  readonly #loads = new Map<CredentialId, CredentialLoad>();
  /** The same by the credentials of the catalog, which are found sooner than their numbers. */
  readonly #latest = new WeakMap<ChannelCredential, CredentialLoad>();
  readonly #marks: CredentialMarks;
  #replicas = 1;

  constructor(marks: CredentialMarks) {
    this.#marks = marks;
  }

  setReplicas(count: number): void {
    this.#replicas = count;
  }

  isOpen(credential: ChannelCredential, customer: GatewayUserId, tick: number): boolean {
    return this.blockOf(credential, customer, tick) === null;
  }

  /** What keeps the customer's calls from using the credential now, and until when; null if nothing does. */
  blockOf(credential: ChannelCredential, customer: GatewayUserId, tick: number): Pause | null {
    const { refusal, pauses, requests, inFlight } = this.#load(credential, tick);
    if (refusal !== null && (refusal.isTested || tick < refusal.untilTick)) {
      return { untilTick: Math.max(tick, refusal.untilTick), isLimit: false };
    }
    const pause = pauses.of(customer, tick);
    if (pause !== null) {
      return pause;
    }
    if (credential.concurrencyMax !== null && inFlight >= this.#share(credential.concurrencyMax)) {
      return { untilTick: tick, isLimit: true };
    }
    return requests === null || requests.has(1, tick)
      ? null
      : { untilTick: tick + requests.secondsUntil(1, tick) * 1000, isLimit: true };
  }

  begin(credential: ChannelCredential, customer: GatewayUserId, tick: number): CredentialUse {
    const load = this.#load(credential, tick);
    load.inFlight += 1;
    load.requests?.take(1, tick);
    const isTest = load.refusal !== null && !load.refusal.isTested;
    if (load.refusal !== null) {
      load.refusal.isTested = true;
    }
    return { credential, load, isPauseProbe: load.pauses.begin(customer, tick), isTest };
  }

  /** A response has begun, so the provider accepts the credential. */
  answered({ credential, load, isPauseProbe, isTest }: CredentialUse, tick: number): void {
    if (isPauseProbe) {
      load.pauses.lift(tick);
    }
    if (isTest && load.refusal !== null) {
      load.refusal = null;
      this.#marks.onAccepted(credential.id);
    }
  }

  leave(use: CredentialUse): void {
    const { load } = use;
    load.inFlight -= 1;
    if (use.isTest) {
      use.isTest = false;
      if (load.refusal !== null) {
        load.refusal.isTested = false;
      }
    }
  }

  /** The provider refuses the credential for every call. */
  refuse({ credential, load }: CredentialUse, reason: CredentialRefusal, tick: number): void {
    const { refusal } = load;
    if (refusal === null) {
      this.#marks.onRefused(credential.id, reason);
    } else if (tick < refusal.untilTick) {
      // A call that began before.
      return;
    }
    const restMs = Math.min(restMsMax, refusal === null ? restMsMin : refusal.restMs * 2);
    load.refusal = { untilTick: tick + restMs, restMs, isTested: false };
  }

  #share(limit: number): number {
    return Math.max(1, Math.floor(limit / this.#replicas));
  }

  #load(credential: ChannelCredential, tick: number): CredentialLoad {
    let load = this.#latest.get(credential);
    if (load === undefined) {
      load = this.#loads.get(credential.id) ?? this.#newLoad(credential, tick);
      this.#latest.set(credential, load);
    }
    load.requests = RateBucket.adjusted(load.requests, credential.requestsPerMinute, 1 / this.#replicas);
    if (load.latest !== credential) {
      followRow(load, credential, tick);
    }
    return load;
  }

  #newLoad(credential: ChannelCredential, tick: number): CredentialLoad {
    const refusal = credential.refusedAtMs === null ? null : newRefusal(tick);
    const idText = String(credential.id);
    const load = { idText, inFlight: 0, requests: null, pauses: new Pauses(), refusal, latest: credential };
    this.#loads.set(credential.id, load);
    return load;
  }
}

/** Another replica may have found out, or an admin may have entered a new secret. */
function followRow(load: CredentialLoad, credential: ChannelCredential, tick: number): void {
  const { secret, refusedAtMs } = load.latest;
  load.latest = credential;
  if (credential.secret !== secret || (credential.refusedAtMs === null && refusedAtMs !== null)) {
    load.refusal = null;
  } else if (credential.refusedAtMs !== null && credential.refusedAtMs !== refusedAtMs) {
    load.refusal ??= newRefusal(tick);
  }
}

function newRefusal(tick: number): Refusal {
  return { untilTick: tick + restMsMin, restMs: restMsMin, isTested: false };
}

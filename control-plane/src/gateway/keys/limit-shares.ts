import type { Clock } from "../../platform/clock.ts";

/**
 * The parts of a limit that this replica enforces: of what may be used in a minute, and of calls at a time, as the two ends of
 * its part beside those of the others, with the number of calls that are open elsewhere.
 */
export type Share = {
  readonly rate: number;
  readonly callsFrom: number;
  readonly callsTo: number;
  readonly openElsewhere: number;
};

/** What is used of one limit here, as far as its division among replicas depends on it. */
export type LimitUse = {
  readonly name: string;
  share: Share;
  /** Calls since the last report, also refused ones. */
  attempts: number;
  wasRefused: boolean;
  /** How many of them were too many at a time. */
  callsRefused: number;
  /** Calls in a second, lately. */
  pace: number;
  callsMax: number | null;
  /** Until when others are told of the use, because this share may be too small. */
  toldUntilTick: number;
  /** The pace and the calls at a time that others were told last, and when. */
  toldPace: number;
  toldCalls: number;
  toldTick: number;
};

/** What of a count this needs besides. */
type Count = LimitUse & {
  readonly inFlight: number;
  readonly requests: { isLow(tick: number): boolean } | null;
  readonly tokens: { isLow(tick: number): boolean } | null;
};

/** What a replica says of one limit: its name, calls in a second, calls at a time that it wants, and has. */
type Told = readonly [name: string, pace: number, wanted: number, open: number];
type Report = { readonly from: string; readonly use: readonly Told[] };

type Demand = { readonly pace: number; readonly wanted: number; readonly open: number; readonly tick: number };
/** A limit that at least one replica may have too small a share of. */
type Contest = { readonly sinceTick: number; readonly demands: Map<string, Demand> };

/** The part of a limit by the minute that is divided evenly, so that a client which turns to another replica is let in. */
const evenPart = 0.05;
/** How long everybody who uses a limit has to say so before it is divided by use. */
const graceMs = 2_000;
/** How long a replica announces a limit after its share was last too small. */
const toldMs = 60_000;
/** How long it announces one that others announce, after it was last used here. */
const alsoToldMs = 10_000;
const repeatMs = 4_000;
/** A replica that has not repeated what it said counts as one that does not use the limit. */
const expiryMs = 12_000;
/** A change of the pace or of the calls by this factor is told immediately. */
const paceFactor = 1.25;
const callsFactor = 1.05;
const newestWeight = 0.4;
/** Fewer calls in a second are none. */
const paceMin = 0.01;
/** A notification of Postgres holds less than 8,000 bytes. */
const reportBytesMax = 7_500;
const contestsMax = 50_000;
const endedAt = Number.NEGATIVE_INFINITY;

/**
 * How many calls at a time a share allows. The ends of shares are rounded, not the shares, so that these are the limit in sum.
 * One is always allowed, because nobody would hear of the demand otherwise.
 */
export function callsOf(callsMax: number, { callsFrom, callsTo, openElsewhere }: Share): number {
  return Math.max(1, Math.min(wholePart(callsMax, callsTo) - wholePart(callsMax, callsFrom), callsMax - openElsewhere));
}

function wholePart(callsMax: number, end: number): number {
  return Math.floor(callsMax * end + 1e-9);
}

/**
 * Divides limits among live replicas by what is used of them where. A replica whose share may be too small tells all of
 * its use, at most once a second; a notification reaches all replicas in the same order, itself included, so that all
 * divide a limit alike at about the same moment. A limit that nobody announces is divided evenly.
 */
export class LimitShares {
  readonly #from: string;
  readonly #clock: Clock;
  readonly #counts = new Map<string, Count>();
  /** The counts that were used since the last report, or that others are told of. */
  readonly #active = new Set<Count>();
  readonly #contests = new Map<string, Contest>();
  #replicas = 1;
  #evenly: Share = { rate: 1, callsFrom: 0, callsTo: 1, openElsewhere: 0 };
  #hasSaidHello = false;

  /** @param from what other replicas know this one by */
  constructor(from: string, clock: Clock) {
    this.#from = from;
    this.#clock = clock;
  }

  /** The share of a limit that nobody announces. */
  get evenly(): number {
    return this.#evenly.rate;
  }

  setReplicas(live: number): void {
    const replicas = Math.max(1, live);
    if (replicas === this.#replicas) {
      return;
    }
    this.#replicas = replicas;
    this.#evenly = { rate: 1 / replicas, callsFrom: 0, callsTo: 1 / replicas, openElsewhere: 0 };
    for (const count of this.#counts.values()) {
      this.#divide(count);
    }
  }

  /** What a new count begins with. */
  use(name: string): LimitUse {
    const share = this.#shareOf(name);
    const told = { toldUntilTick: endedAt, toldPace: 0, toldCalls: 0, toldTick: endedAt };
    return { name, share, attempts: 0, wasRefused: false, callsRefused: 0, pace: 0, callsMax: null, ...told };
  }

  add(count: Count): void {
    this.#counts.set(count.name, count);
  }

  remove(count: Count): void {
    this.#counts.delete(count.name);
    this.#active.delete(count);
  }

  /** A call wants to be let in. */
  note(count: Count): void {
    if (count.attempts === 0) {
      this.#active.add(count);
    }
    count.attempts += 1;
  }

  /**
   * To be called every second.
   * @param isConnected whether the reports of others arrive; while they do not, shares stay as they are
   * @returns what to tell all replicas, or null for nothing
   */
  report(isConnected: boolean): string | null {
    const tick = this.#clock.tick();
    if (this.#replicas === 1) {
      this.#forgetUse();
      return null;
    }
    if (isConnected) {
      this.#expire(tick);
    }
    const use: Told[] = [];
    let bytes = 100;
    for (const count of [...this.#active]) {
      const told = this.#measure(count, tick, isConnected && bytes < reportBytesMax);
      if (told !== null) {
        use.push(told);
        // The next report begins with the others.
        this.#active.delete(count);
        this.#active.add(count);
        bytes += Buffer.byteLength(JSON.stringify(told)) + 1;
      }
    }
    if (!isConnected || (use.length === 0 && this.#hasSaidHello)) {
      return null;
    }
    this.#hasSaidHello = true;
    const report: Report = { from: this.#from, use };
    return JSON.stringify(report);
  }

  /** A report of any replica, this one included. */
  hear(text: string): void {
    const { from, use } = JSON.parse(text) as Report;
    const tick = this.#clock.tick();
    if (use.length === 0 && from !== this.#from) {
      // It has just begun to listen, and knows nothing.
      for (const count of this.#active) {
        count.toldTick = endedAt;
      }
    }
    for (const [name, pace, wanted, open] of use) {
      let contest = this.#contests.get(name);
      if (contest === undefined && this.#contests.size < contestsMax) {
        contest = { sinceTick: tick, demands: new Map() };
        this.#contests.set(name, contest);
      }
      contest?.demands.set(from, { pace, wanted, open, tick });
      this.#divideNamed(name);
    }
  }

  #forgetUse(): void {
    for (const count of this.#active) {
      count.attempts = 0;
      count.callsRefused = 0;
      count.wasRefused = false;
    }
    this.#active.clear();
    this.#contests.clear();
  }

  /** Updates what is known of the use; returns what is to be told of it, if anything is. */
  #measure(count: Count, tick: number, isRoom: boolean): Told | null {
    const wasUsed = count.attempts > 0 || count.inFlight > 0;
    if (isShort(count, tick)) {
      count.toldUntilTick = tick + toldMs;
    } else if (wasUsed && this.#contests.has(count.name)) {
      count.toldUntilTick = Math.max(count.toldUntilTick, tick + alsoToldMs);
    }
    const isTold = tick < count.toldUntilTick && hasLimits(count);
    if (!isRoom && isTold) {
      // It is told with the next report, and its calls count until then.
      return null;
    }
    count.pace += newestWeight * (count.attempts - count.pace);
    count.attempts = 0;
    count.wasRefused = false;
    const wanted = count.inFlight + Math.min(count.callsRefused, count.callsMax ?? 0);
    count.callsRefused = 0;
    if (!isTold) {
      if (count.pace < paceMin && count.inFlight === 0) {
        this.#active.delete(count);
        count.pace = 0;
      }
      return null;
    }
    const pace = Math.round(count.pace * 100) / 100;
    const isSame = isNear(pace, count.toldPace, paceFactor) && isNear(wanted, count.toldCalls, callsFactor);
    if (isSame && tick - count.toldTick < repeatMs) {
      return null;
    }
    count.toldPace = pace;
    count.toldTick = tick;
    count.toldCalls = wanted;
    return [count.name, pace, wanted, count.inFlight];
  }

  /** Forgets what was not repeated, and divides at the end of the grace. */
  #expire(tick: number): void {
    for (const [name, { sinceTick, demands }] of this.#contests) {
      const before = demands.size;
      for (const [from, demand] of demands) {
        if (tick - demand.tick > expiryMs) {
          demands.delete(from);
        }
      }
      if (demands.size === 0) {
        this.#contests.delete(name);
      }
      if (demands.size !== before || tick - sinceTick < 2 * graceMs) {
        this.#divideNamed(name);
      }
    }
  }

  #divideNamed(name: string): void {
    const count = this.#counts.get(name);
    if (count !== undefined) {
      this.#divide(count);
    }
  }

  #divide(count: Count): void {
    count.share = this.#shareOf(count.name);
  }

  #shareOf(name: string): Share {
    const contest = this.#contests.get(name);
    if (contest === undefined || this.#replicas === 1 || this.#clock.tick() - contest.sinceTick < graceMs) {
      return this.#evenly;
    }
    let [pace, wanted, open] = [0, 0, 0];
    for (const demand of contest.demands.values()) {
      pace += demand.pace;
      wanted += demand.wanted;
      open += demand.open;
    }
    const own = contest.demands.get(this.#from);
    const byPace = own === undefined ? 0 : pace === 0 ? 1 / contest.demands.size : own.pace / pace;
    return {
      rate: evenPart * this.#evenly.rate + (1 - evenPart) * byPace,
      ...this.#callsOf(contest, wanted > 0 ? "wanted" : pace > 0 ? "pace" : null),
      openElsewhere: open - (own?.open ?? 0),
    };
  }

  /** The ends of this replica's part among all that have said so, in the order of their names. */
  #callsOf({ demands }: Contest, by: "wanted" | "pace" | null): Pick<Share, "callsFrom" | "callsTo"> {
    let [before, own, all] = [0, 0, 0];
    for (const [from, demand] of demands) {
      const weight = by === null ? 1 : demand[by];
      all += weight;
      before += from < this.#from ? weight : 0;
      own += from === this.#from ? weight : 0;
    }
    return { callsFrom: before / all, callsTo: (before + own) / all };
  }
}

function isNear(value: number, told: number, factor: number): boolean {
  return value <= told * factor && value >= told / factor;
}

/** Whether the share may be too small: something was refused, or more than half of it is used. */
function isShort(count: Count, tick: number): boolean {
  const { callsMax, inFlight, requests, tokens, share } = count;
  return (
    count.wasRefused ||
    requests?.isLow(tick) === true ||
    tokens?.isLow(tick) === true ||
    (callsMax !== null && inFlight * 2 > callsOf(callsMax, share))
  );
}

function hasLimits({ requests, tokens, callsMax }: Count): boolean {
  return requests !== null || tokens !== null || callsMax !== null;
}

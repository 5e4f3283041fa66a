/** Keeps the records of all requests, counts requests in flight, and lets tests wait for events. */
import type { TransmitOutcome } from "../http/transmit.ts";
import type { IncomingRequest } from "../script/incoming-request.ts";
import { type ConnectionFacts, nowMs, RequestRecord } from "./request-record.ts";

export type RequestTotals = {
  readonly requests: number;
  readonly completed: number;
  readonly cut: number;
  readonly cancelled: number;
  readonly inFlight: number;
  readonly inFlightMax: number;
  /** The highest number of concurrent requests by the credential they carried. */
  readonly inFlightMaxByCredential: Readonly<Record<string, number>>;
};

type Waiter = { readonly check: () => boolean };
type Gauge = { now: number; max: number };

const timeoutMsDefault = 60_000;

export class RequestLog {
  readonly #isKept: boolean;
  #records: RequestRecord[] = [];
  #waiters: Waiter[] = [];
  #ends = { completed: 0, cut: 0, cancelled: 0 };
  #requestCount = 0;
  #overall: Gauge = { now: 0, max: 0 };
  #byCredential = new Map<string, Gauge>();

  /** With `isKept` false only the totals are kept, which is what a load test of millions of requests needs. */
  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  get records(): readonly RequestRecord[] {
    return this.#records;
  }

  get totals(): RequestTotals {
    return {
      requests: this.#requestCount,
      ...this.#ends,
      inFlight: this.#overall.now,
      inFlightMax: this.#overall.max,
      inFlightMaxByCredential: Object.fromEntries([...this.#byCredential].map(([name, gauge]) => [name, gauge.max])),
    };
  }

  open(request: IncomingRequest, from: ConnectionFacts): RequestRecord {
    const record = new RequestRecord(this.#requestCount, request, from);
    this.#requestCount += 1;
    if (this.#isKept) {
      this.#records.push(record);
    }
    raise(this.#overall);
    raise(this.#gaugeOf(record));
    this.#notify();
    return record;
  }

  noteWritten(record: RequestRecord, bytes: number, chunks: number): void {
    record.firstWriteAtMs ??= nowMs();
    record.lastWriteAtMs = nowMs();
    record.bytesWritten = bytes;
    record.chunksWritten += chunks;
    this.#notify();
  }

  noteHeld(record: RequestRecord, release: () => void): void {
    record.hold(release);
    this.#notify();
  }

  /** Closes a record once; later reports have no effect. */
  close(record: RequestRecord, outcome: TransmitOutcome): void {
    if (record.outcome === "open") {
      record.outcome = outcome;
      record.endedAtMs = nowMs();
      if (!this.#isKept || this.#records[record.index] === record) {
        this.#ends[outcome] += 1;
      }
      this.#overall.now -= 1;
      this.#gaugeOf(record).now -= 1;
      this.#notify();
    }
  }

  /** Forgets everything that is finished; responses in progress stay counted as in flight, but not listed. */
  reset(): void {
    this.#records = [];
    this.#requestCount = 0;
    this.#ends = { completed: 0, cut: 0, cancelled: 0 };
    this.#overall.max = this.#overall.now;
    this.#byCredential = new Map([...this.#byCredential].filter(([, gauge]) => gauge.now > 0));
  }

  /**
   * The record with this index (from 0) as soon as `isReady` is true for it.
   * @throws Error when that does not happen in time, or `isHopeless` says that it no longer can
   */
  async waitFor(index: number, wanted: WaitCondition, timeoutMs = timeoutMsDefault): Promise<RequestRecord> {
    await this.#waitUntil(
      () => {
        const record = this.#records[index];
        return record !== undefined && (wanted.isReady(record) || wanted.isHopeless?.(record) === true);
      },
      timeoutMs,
      () => `request ${index} is ${wanted.name}: ${this.#describe(index)}`,
    );
    const record = this.#records[index];
    if (record === undefined || !wanted.isReady(record)) {
      throw new Error(`the sandbox will never see that request ${index} is ${wanted.name}: ${this.#describe(index)}`);
    }
    return record;
  }

  /**
   * Resolves when no response is in progress.
   * @throws Error when that does not happen in time
   */
  async waitForIdle(timeoutMs = timeoutMsDefault): Promise<void> {
    const isIdle = (): boolean => this.#overall.now === 0;
    await this.#waitUntil(isIdle, timeoutMs, () => `all answers are over: ${this.#overall.now} are on their way`);
  }

  #waitUntil(check: () => boolean, timeoutMs: number, describe: () => string): Promise<void> {
    if (check()) {
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
      };
      const timer = setTimeout(() => {
        leave();
        reject(new Error(`the sandbox did not see within ${timeoutMs} ms that ${describe()}`));
      }, timeoutMs);
      const waiter: Waiter = {
        check: () => {
          const isDone = check();
          if (isDone) {
            leave();
            resolve();
          }
          return isDone;
        },
      };
      this.#waiters.push(waiter);
    });
  }

  #notify(): void {
    for (const waiter of this.#waiters) {
      waiter.check();
    }
  }

  #describe(index: number): string {
    const record = this.#records[index];
    return record === undefined
      ? `there were ${this.#requestCount} requests`
      : `its state is '${record.outcome}' after ${record.chunksWritten} chunks and ${record.bytesWritten} bytes`;
  }

  #gaugeOf(record: RequestRecord): Gauge {
    const name = record.credential ?? "";
    let gauge = this.#byCredential.get(name);
    if (gauge === undefined) {
      gauge = { now: 0, max: 0 };
      this.#byCredential.set(name, gauge);
    }
    return gauge;
  }
}

export type WaitCondition = {
  /** Completes the sentence "request 3 is ...". */
  readonly name: string;
  readonly isReady: (record: RequestRecord) => boolean;
  readonly isHopeless?: (record: RequestRecord) => boolean;
};

function raise(gauge: Gauge): void {
  gauge.now += 1;
  gauge.max = Math.max(gauge.max, gauge.now);
}

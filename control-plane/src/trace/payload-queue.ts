import type { Clock } from "../platform/clock.ts";
import type { SealingKey } from "../platform/crypto/sealing-key.ts";
import type { Log } from "../platform/log.ts";
import { ByteAllowance } from "./byte-allowance.ts";
import type { Payload } from "./model.ts";
import { blobLength, compressBlob, compressBlobAside, type PayloadBlob, packPayload } from "./payload-sealing.ts";
import { PayloadWriter, type PayloadWriterDeps } from "./payload-writer.ts";

/**
 * Why a payload is not stored: too many wait (`queue_full`; `database_away` if an outage is the reason), this process
 * lacks the day's key, the database refused the row, the process ended, or (a bug) it could not be encrypted.
 */
export type PayloadDropReason = "queue_full" | "database_away" | "no_key" | "write_refused" | "closed" | "seal_failed";

export type PayloadObserver = {
  readonly onStored: (count: number) => void;
  readonly onDropped: (reason: PayloadDropReason, count: number) => void;
};

export type PayloadLimits = {
  /** The limit for the request and the response, each; longer bodies are truncated and marked. */
  readonly bodyBytesMax: number;
  readonly queueBytesMax: number;
  readonly queueCountMax: number;
};

export type PayloadQueueDeps = Pick<PayloadWriterDeps, "write" | "isOutage"> & {
  readonly findKey: (day: string) => SealingKey | null;
  readonly limits: PayloadLimits;
  readonly observer: PayloadObserver;
  readonly clock: Clock;
  readonly log: Log;
};

/** The overhead of an entry in the queue besides its bytes; measured on the heap, rounded up. */
const entryBytes = 512;

/**
 * Longer blobs are compressed on another thread; for shorter ones, the transfer would cost more than it saves (0.15
 * ms).
 */
const sealedHereBytesMax = 64 * 1024;

/**
 * Blobs of at least this length are always compressed: that saves the database more work than it costs us. Shorter ones
 * cost us four times the rest of the encryption and save only disk, so they are compressed as long as there are few: up
 * to this many bytes a second, which takes a tenth of a percent of a core.
 */
const compressedBytesMin = 4 * 1024;
const compressedSmallBytesPerSecond = 256 * 1024;
/** Below this length a compressed frame is no shorter than its content. */
const compressibleBytesMin = 256;

type Offered = { readonly key: SealingKey; readonly payload: Payload; readonly bytes: number };

/**
 * Takes the bodies of finished calls, encrypts them after the call is over, and has them written in batches. The caller
 * never waits: what does not fit into the limits is dropped and counted. Bodies are kept for one tick of the event
 * loop, because they may be views of buffers many times their size; what waits for the database is encrypted.
 */
export class PayloadQueue {
  readonly #deps: PayloadQueueDeps;
  readonly #writer: PayloadWriter;
  readonly #scratch = new Uint8Array(sealedHereBytesMax);
  readonly #smallAllowance: ByteAllowance;
  readonly #underway = new Set<Promise<void>>();
  #underwayBytes = 0;
  #offered: Offered[] = [];
  #offeredBytes = 0;
  #isClosed = false;

  constructor(deps: PayloadQueueDeps) {
    this.#deps = deps;
    this.#smallAllowance = new ByteAllowance(compressedSmallBytesPerSecond, deps.clock);
    this.#writer = new PayloadWriter({
      write: deps.write,
      isOutage: deps.isOutage,
      entryBytes,
      clock: deps.clock,
      log: deps.log,
      onStored: deps.observer.onStored,
      onDropped: deps.observer.onDropped,
    });
  }

  /** The size of the queue in bytes, overhead included; for a gauge. */
  get queuedBytes(): number {
    return this.#offeredBytes + this.#underwayBytes + this.#writer.queuedBytes;
  }

  get queuedCount(): number {
    return this.#offered.length + this.#underway.size + this.#writer.queuedCount;
  }

  /**
   * Queues a payload for storing. Its bodies must not be changed afterwards. Never throws, never waits; the call's
   * response is sent before the work begins.
   * @returns "stored" when it is in the queue. It may still be dropped there, when the database refuses it or the
   * process ends while the database is unreachable; that is counted.
   */
  offer(payload: Payload): "stored" | "dropped" {
    const key = this.#deps.findKey(payload.day);
    const bytes = blobLength(payload, this.#deps.limits.bodyBytesMax) + entryBytes;
    const reason = this.#refusal(bytes);
    if (reason !== null || key === null) {
      this.#deps.observer.onDropped(reason ?? "no_key", 1);
      return "dropped";
    }
    if (this.#offered.length === 0) {
      setImmediate(this.#sealOffered);
    }
    this.#offered.push({ key, payload, bytes });
    this.#offeredBytes += bytes;
    return "stored";
  }

  /** Accepts no more payloads, and writes the queue for at most `timeoutMs`; the rest is dropped and counted. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosed = true;
    this.#sealOffered();
    await Promise.all(this.#underway);
    await this.#writer.close(timeoutMs);
  }

  #refusal(bytes: number): PayloadDropReason | null {
    const { queueBytesMax, queueCountMax } = this.#deps.limits;
    if (this.#isClosed) {
      return "closed";
    }
    if (this.queuedBytes + bytes <= queueBytesMax && this.queuedCount < queueCountMax) {
      return null;
    }
    return this.#writer.isDatabaseAway ? "database_away" : "queue_full";
  }

  /**
   * Everything from one tick of the event loop is processed at once: each payload came with a call that took ten times
   * as long.
   */
  readonly #sealOffered = (): void => {
    const offered = this.#offered;
    this.#offered = [];
    this.#offeredBytes = 0;
    for (const { key, payload, bytes } of offered) {
      try {
        if (bytes <= this.#scratch.length) {
          this.#sealHere(key, payload);
        } else {
          this.#sealAside(key, payload, bytes);
        }
      } catch (error) {
        this.#noteFailure(payload, error);
      }
    }
  };

  #sealHere(key: SealingKey, payload: Payload): void {
    const blob = packPayload(payload, this.#deps.limits.bodyBytesMax, this.#scratch);
    const length = blob.bytes.length;
    const isCompressed =
      length >= compressedBytesMin || (length >= compressibleBytesMin && this.#smallAllowance.take(length));
    this.#writer.add(key, payload, isCompressed ? { ...blob, bytes: compressBlob(blob.bytes) } : blob);
  }

  #sealAside(key: SealingKey, payload: Payload, bytes: number): void {
    const blob = packPayload(payload, this.#deps.limits.bodyBytesMax);
    // From here on only the identity of the call is needed, and the bodies can be freed.
    const bare = { ...payload, request: null, response: [] };
    this.#underwayBytes += bytes;
    const sealing = this.#finishAside(key, bare, blob).finally(() => {
      this.#underwayBytes -= bytes;
      this.#underway.delete(sealing);
    });
    this.#underway.add(sealing);
  }

  async #finishAside(key: SealingKey, payload: Payload, blob: PayloadBlob<Uint8Array<ArrayBuffer>>): Promise<void> {
    try {
      this.#writer.add(key, payload, { ...blob, bytes: await compressBlobAside(blob.bytes) });
    } catch (error) {
      this.#noteFailure(payload, error);
    }
  }

  #noteFailure(payload: Payload, error: unknown): void {
    this.#deps.log.error("trace.payload_not_sealed", { requestId: payload.requestId, error });
    this.#deps.observer.onDropped("seal_failed", 1);
  }
}

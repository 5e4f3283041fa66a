import type { KeptAnswer, SettledUsage } from "./model.ts";

/** The memory that the recordings of a process use, and its limit. */
export type RecordingRoom = { bytes: number; readonly bytesMax: () => number };

/** A recorded response, without the times that the cache adds. */
export type RecordedAnswer = Pick<KeptAnswer, "headers" | "body" | "isStream" | "units">;

export type RecordingDeps = {
  readonly room: RecordingRoom;
  readonly answerBytesMax: number;
  /** The model that the client asked for: what another one answers is not kept. */
  readonly model: string;
  readonly keep: (answer: RecordedAnswer) => void;
};

/** What is known of a response once its call is settled. */
type SettledAnswer = Pick<RecordedAnswer, "headers" | "isStream"> & {
  readonly model: string;
  readonly measured: SettledUsage;
};

/** Collects the response of one call while it goes out, to keep it if it turns out to be whole and counted. */
export class Recording {
  readonly #deps: RecordingDeps;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #isGivenUp = false;
  #settled: SettledAnswer | null = null;

  constructor(deps: RecordingDeps) {
    this.#deps = deps;
  }

  add(piece: Uint8Array): void {
    const { room, answerBytesMax } = this.#deps;
    if (this.#isGivenUp) {
      return;
    }
    const bytes = this.#bytes + piece.byteLength;
    if (bytes > answerBytesMax || room.bytes + piece.byteLength > room.bytesMax()) {
      this.drop();
      return;
    }
    // A copy: a piece may be a small part of a large packet.
    this.#pieces.push(Buffer.from(piece));
    this.#bytes = bytes;
    room.bytes += piece.byteLength;
  }

  /** The call succeeded and is settled; the end of a stream is still to come. */
  settle(answer: SettledAnswer): void {
    this.#settled = answer;
  }

  /** All of the response was sent. */
  finish(): void {
    const { keep, model } = this.#deps;
    const settled = this.#settled;
    if (!this.#isGivenUp && settled !== null && settled.model === model && isCounted(settled.measured)) {
      const { headers, isStream, measured } = settled;
      keep({ headers, isStream, body: Buffer.concat(this.#pieces), units: measured.units });
    }
    this.drop();
  }

  /** The response will not be kept. */
  drop(): void {
    this.#isGivenUp = true;
    this.#pieces = [];
    this.#deps.room.bytes -= this.#bytes;
    this.#bytes = 0;
  }
}

/** Our own count is an estimate, and a search is more than an answer. */
function isCounted({ usageSource, isImplausible, units }: SettledUsage): boolean {
  return usageSource === "provider" && !isImplausible && units.searches === 0;
}

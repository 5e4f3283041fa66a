import { type Bytes, viewOf } from "@sluice/http-client/packet-part";
import { type ReadObject, readCutObject, readJsonObject } from "./read-json.ts";
import { isRepeatable, RepeatedFields } from "./repeated-fields.ts";

/** Smaller bodies are parsed whole each time. */
const bodyBytesMin = 4_096;
/** What all callers' values may take together; those of callers who were idle for longest are forgotten. */
const ownBytesMax = 32 * 1024 * 1024;
const callersMax = 4_096;
/** After so long without a body, the values of a caller are forgotten, because they are customers' texts. */
const idleMsMax = 600_000;

type Entry = {
  readonly repeated: RepeatedFields;
  /** When `forgetIdle` was last called before its last body. */
  readonly usedTick: number;
};

/** Reads the bodies of callers who repeat long values. */
export class RepeatedByCaller<Caller> {
  readonly #names: readonly string[];
  readonly #bytesMax: number;
  /** Those whose last body is longest ago come first. */
  readonly #callers = new Map<Caller, Entry>();
  #bytes = 0;
  #tick = 0;

  /** @param names of top-level fields that may be long and the same in many bodies */
  constructor(names: readonly string[], bytesMax = ownBytesMax) {
    this.#names = names;
    this.#bytesMax = bytesMax;
  }

  /** The memory that the values take. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * How to read a body of this length: as `readJsonObject` does, but a value may be the same object as in an earlier body,
   * so that it must not be changed.
   */
  readerFor(caller: Caller, length: number): (bytes: Bytes) => ReadObject {
    return length < bodyBytesMin ? readJsonObject : (bytes) => this.#read(caller, viewOf(bytes));
  }

  /** To be called every few seconds. @param tick monotonic, in milliseconds */
  forgetIdle(tick: number): void {
    this.#tick = tick;
    for (const [caller, entry] of this.#callers) {
      if (tick - entry.usedTick <= idleMsMax) {
        return;
      }
      this.#forget(caller, entry);
    }
  }

  #read(caller: Caller, bytes: Buffer): ReadObject {
    const known = this.#callers.get(caller)?.repeated ?? null;
    const read = (known === null ? null : readCutObject(bytes, known)) ?? readJsonObject(bytes);
    if (this.#names.some((name) => isRepeatable(read.fields[name]))) {
      const repeated = known ?? new RepeatedFields(this.#names);
      const before = repeated.size;
      repeated.learn(bytes, read.fields);
      this.#keep(caller, repeated, repeated.size - before);
    }
    return read;
  }

  /** Moves a caller to the end, and makes room for it. */
  #keep(caller: Caller, repeated: RepeatedFields, moreBytes: number): void {
    this.#bytes += moreBytes;
    this.#callers.delete(caller);
    this.#callers.set(caller, { repeated, usedTick: this.#tick });
    for (const [idle, entry] of this.#callers) {
      if (this.#bytes <= this.#bytesMax && this.#callers.size <= callersMax) {
        return;
      }
      this.#forget(idle, entry);
    }
  }

  #forget(caller: Caller, { repeated }: Entry): void {
    this.#callers.delete(caller);
    this.#bytes -= repeated.size;
  }
}

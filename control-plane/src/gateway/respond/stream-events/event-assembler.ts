import { completeEventsEnd } from "./event-scan.ts";

/** The longest end of an event is LF CRLF. */
const seamBytes = 2;
const nothing = Buffer.alloc(0);

/**
 * Cuts packets at the ends of events: an event that spans packets comes out whole. The work grows with the bytes, not
 * with the number of packets of an event.
 */
export class EventAssembler {
  #waiting: Buffer[] = [];
  #length = 0;
  /** The last bytes of the pending event. */
  #seam: Buffer = nothing;

  /** Bytes of an incomplete event. */
  get waitingBytes(): number {
    return this.#length;
  }

  /** Adds a packet; returns all events that are now complete as one piece, or null. */
  push(packet: Buffer): Buffer | null {
    const end = completeEventsEnd(packet) || this.#seamEnd(packet);
    if (end === 0) {
      this.#keep(packet);
      return null;
    }
    if (this.#length === 0 && end === packet.length) {
      return packet;
    }
    const head = packet.subarray(0, end);
    const events = this.#length === 0 ? head : Buffer.concat([...this.#waiting, head]);
    this.#clear();
    if (end < packet.length) {
      this.#keep(packet.subarray(end));
    }
    return events;
  }

  /** Returns and clears the pending bytes. */
  takeRest(): Buffer {
    const rest = Buffer.concat(this.#waiting);
    this.#clear();
    return rest;
  }

  /** Where in the packet an event ends whose end mark began in earlier packets. */
  #seamEnd(packet: Buffer): number {
    if (this.#length === 0) {
      return 0;
    }
    const end = completeEventsEnd(Buffer.concat([this.#seam, packet.subarray(0, seamBytes)]));
    return Math.max(0, end - this.#seam.length);
  }

  #keep(packet: Buffer): void {
    this.#waiting.push(packet);
    this.#length += packet.length;
    this.#seam =
      packet.length >= seamBytes
        ? packet.subarray(-seamBytes)
        : Buffer.concat([this.#seam, packet]).subarray(-seamBytes);
  }

  #clear(): void {
    this.#waiting = [];
    this.#length = 0;
    this.#seam = nothing;
  }
}

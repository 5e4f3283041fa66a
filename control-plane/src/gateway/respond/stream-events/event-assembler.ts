import { completeEventsEnd } from "./event-scan.ts";

/** The longest end of an event is LF CRLF. */
const seamBytes = 2;

/**
 * Cuts packets at the ends of events: what begins in one packet and ends in a later one comes out whole. The work grows
 * with the bytes, not with the number of packets of an event.
 */
export class EventAssembler {
  #waiting: Buffer[] = [];
  #length = 0;
  /** The last bytes of what waits. */
  #seam: Buffer = Buffer.alloc(0);

  /** Bytes of an incomplete event. */
  get waitingBytes(): number {
    return this.#length;
  }

  /** Takes a packet; returns the events that are complete now as one piece, or null. */
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

  /** What waits for its end; afterwards nothing waits. */
  takeRest(): Buffer {
    const rest = Buffer.concat(this.#waiting);
    this.#clear();
    return rest;
  }

  /** Where in the packet an event ends whose end began in the packets before. */
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
    this.#seam = Buffer.alloc(0);
  }
}

import { asBuffer } from "./as-buffer.ts";

/**
 * The bytes of a packet from `start` to `end`, which must not change any more. A view of them takes the runtime half as long
 * as parsing 2 KB of JSON, so it is made only for who needs one.
 */
export class PacketPart {
  readonly packet: Buffer<ArrayBuffer>;
  readonly start: number;
  readonly end: number;
  #view: Buffer<ArrayBuffer> | null = null;

  constructor(packet: Buffer<ArrayBuffer>, start: number, end: number) {
    this.packet = packet;
    this.start = start;
    this.end = end;
  }

  get byteLength(): number {
    return this.end - this.start;
  }

  get view(): Buffer<ArrayBuffer> {
    const { packet, start, end } = this;
    this.#view ??= end - start === packet.length ? packet : packet.subarray(start, end);
    return this.#view;
  }
}

/** Bytes as they are, or where they lie in their packet. */
export type Bytes = Uint8Array | PacketPart;

export function viewOf(bytes: Bytes): Buffer<ArrayBuffer> {
  if (bytes instanceof PacketPart) {
    return bytes.view;
  }
  return asBuffer(bytes) as Buffer<ArrayBuffer>;
}

export function partOf(bytes: Bytes): PacketPart {
  return bytes instanceof PacketPart ? bytes : new PacketPart(viewOf(bytes), 0, bytes.byteLength);
}

/** Copies the first bytes into a target, from `at` on. */
export function copyBytes(bytes: Bytes, target: Uint8Array, at: number, length = bytes.byteLength): void {
  if (bytes instanceof PacketPart) {
    bytes.packet.copy(target, at, bytes.start, bytes.start + length);
  } else {
    target.set(length === bytes.byteLength ? bytes : bytes.subarray(0, length), at);
  }
}

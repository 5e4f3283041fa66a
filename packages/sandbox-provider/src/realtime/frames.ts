/**
 * The frames of RFC 6455 as a server reads and writes them. Reading is strict, because the sandbox also judges
 * gateways.
 */
export type Frame = { readonly opcode: number; readonly payload: Buffer };

export const opcodes = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export class FrameViolation extends Error {}

const empty: Buffer = Buffer.alloc(0);
const messageBytesMax = 64 * 1024 * 1024;
const controlBytesMax = 125;

/** One whole message in one frame, without a mask. */
export function encodeFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  if (length < 126) {
    head[1] = length;
  } else if (length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

export function encodeClose(code: number, reason: string): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code, 0);
  payload.write(reason, 2);
  return encodeFrame(opcodes.close, payload);
}

type Head = { readonly isFinal: boolean; readonly opcode: number; readonly start: number; readonly length: number };

/** Assembles frames from bytes, and messages from frames. */
export class FrameReader {
  #pending = empty;
  #opcode = 0;
  #parts: Buffer[] = [];

  /** All messages and control frames that are complete now. @throws FrameViolation */
  push(bytes: Buffer): Frame[] {
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    const frames: Frame[] = [];
    for (let head = readHead(this.#pending); head !== null; head = readHead(this.#pending)) {
      const end = head.start + 4 + head.length;
      if (this.#pending.length < end) {
        break;
      }
      const payload = unmask(this.#pending.subarray(head.start, end));
      this.#pending = this.#pending.subarray(end);
      const whole = this.#join(head, payload);
      if (whole !== null) {
        frames.push(whole);
      }
    }
    return frames;
  }

  #join({ isFinal, opcode }: Head, payload: Buffer): Frame | null {
    if (opcode >= opcodes.close) {
      return { opcode, payload };
    }
    if ((opcode === 0) !== this.#parts.length > 0) {
      throw new FrameViolation("a message is continued that has not begun, or begun before another one ended");
    }
    this.#opcode = opcode === 0 ? this.#opcode : opcode;
    this.#parts.push(payload);
    if (!isFinal) {
      return null;
    }
    const whole = { opcode: this.#opcode, payload: Buffer.concat(this.#parts) };
    this.#parts = [];
    return whole;
  }
}

function readHead(bytes: Buffer): Head | null {
  const [first = 0, second = 0] = bytes;
  if (bytes.length < 2) {
    return null;
  }
  const opcode = first & 0x0f;
  if ((first & 0x70) !== 0 || (second & 0x80) === 0) {
    throw new FrameViolation("a frame has reserved bits, or is not masked");
  }
  const short = second & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start) {
    return null;
  }
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (length > messageBytesMax || (opcode >= opcodes.close && length > controlBytesMax)) {
    throw new FrameViolation("a frame is too long");
  }
  return { isFinal: (first & 0x80) !== 0, opcode, start, length };
}

/** The first four bytes are the mask. */
function unmask(bytes: Buffer): Buffer {
  const payload = Buffer.from(bytes.subarray(4));
  for (let index = 0; index < payload.length; index += 1) {
    payload[index] = (payload[index] ?? 0) ^ (bytes[index % 4] ?? 0);
  }
  return payload;
}

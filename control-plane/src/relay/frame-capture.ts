import { type Frame, frameBytes } from "../platform/websocket/model.ts";

const captureBytesMax = 262_144;
/** Sound is long, is of no use to a reader of the trace, and would crowd out the other events. */
const soundMark = '"input_audio_buffer.append"';

/** What a client sent in a session, one event per line, up to a limit and without its sound. */
export class FrameCapture {
  /** The number of bytes that came, whether they were kept or not. */
  totalBytes = 0;
  readonly #lines: Buffer[] = [];
  #keptBytes = 0;

  get bytes(): Uint8Array | null {
    return this.#lines.length === 0 ? null : Buffer.concat(this.#lines);
  }

  add(frame: Frame): void {
    this.totalBytes += frameBytes(frame);
    if (typeof frame !== "string" || frame.includes(soundMark) || this.#keptBytes >= captureBytesMax) {
      return;
    }
    const line = Buffer.from(`${frame}\n`).subarray(0, captureBytesMax - this.#keptBytes);
    this.#lines.push(line);
    this.#keptBytes += line.byteLength;
  }
}

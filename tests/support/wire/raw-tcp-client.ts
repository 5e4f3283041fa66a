import type { Socket } from "bun";
import { patienceMs } from "../values/patience.ts";
import { setReceiveBuffer } from "./receive-buffer.ts";

/** How the peer ended the connection: by FIN, or by RST. */
export type ConnectionEnd = "fin" | "rst";

export type RawConnection = {
  /** Everything received so far. */
  readonly received: () => Uint8Array;
  readonly receivedBytes: () => number;
  /** The pieces in which it arrived, as the event loop delivered them. */
  readonly pieces: readonly Uint8Array[];
  send(bytes: Uint8Array | string): void;
  /** Stops reading, so that the peer's buffers fill up; and resumes. */
  pause(): void;
  resume(): void;
  /** Resolves when at least so many bytes have arrived. */
  waitForBytes(count: number): Promise<void>;
  /** Resolves when the received text (one character a byte) contains this. */
  waitForText(text: string): Promise<void>;
  /** Resolves when the peer ended the connection. */
  readonly ended: Promise<ConnectionEnd>;
  /** Ends the connection from this side: orderly, or with a reset. */
  close(how?: ConnectionEnd): void;
};

/** How much of what was received a failure shows. */
const shownBytesMax = 1_000;

type Wish = { readonly isMet: () => boolean; readonly grant: () => void; readonly deny: (error: Error) => void };

/** Opens a TCP connection to 127.0.0.1 that shows exactly which bytes came, in which pieces, and how it ended. */
export async function connectRaw(
  port: number,
  options: { readonly receiveBufferBytes?: number } = {},
): Promise<RawConnection> {
  const pieces: Uint8Array[] = [];
  let byteCount = 0;
  let wishes: Wish[] = [];
  const ended = Promise.withResolvers<ConnectionEnd>();
  let end: ConnectionEnd | null = null;
  const received = (): Uint8Array => Buffer.concat(pieces);
  const described = (): string => `${byteCount} bytes: ${Buffer.from(received()).toString("latin1", 0, shownBytesMax)}`;
  const review = (): void => {
    const met = wishes.filter((wish) => wish.isMet());
    wishes = wishes.filter((wish) => !met.includes(wish));
    for (const wish of met) {
      wish.grant();
    }
  };
  const overText = (): string => `the connection ended by ${end} after ${described()}`;
  const over = (how: ConnectionEnd): void => {
    end ??= how;
    ended.resolve(end);
    for (const wish of wishes) {
      wish.deny(new Error(overText()));
    }
    wishes = [];
  };
  const until = (isMet: () => boolean): Promise<void> => {
    if (isMet()) {
      return Promise.resolve();
    }
    if (end !== null) {
      return Promise.reject(new Error(overText()));
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error(`nothing more came after ${described()}`)), patienceMs);
    wishes.push({ isMet, grant: resolve, deny: reject });
    return promise.finally(() => clearTimeout(timer));
  };
  const socket: Socket<undefined> = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (_, chunk) => {
        pieces.push(new Uint8Array(chunk));
        byteCount += chunk.length;
        review();
      },
      close: (_, error) => over(error === undefined || error === null ? "fin" : "rst"),
      error: () => over("rst"),
    },
  });
  if (options.receiveBufferBytes !== undefined) {
    setReceiveBuffer((socket as Socket<undefined> & { readonly fd: number }).fd, options.receiveBufferBytes);
  }
  return {
    received,
    receivedBytes: () => byteCount,
    pieces,
    send: (bytes) => {
      const whole = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
      if (socket.write(whole) !== whole.length) {
        throw new Error("the kernel did not take the whole request at once");
      }
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    waitForBytes: (count) => until(() => byteCount >= count),
    waitForText: (text) => until(() => Buffer.from(received()).includes(text, 0, "latin1")),
    ended: ended.promise,
    close: (how = "fin") => (how === "rst" ? socket.terminate() : socket.end()),
  };
}

/** A request as text; the body's length is added unless a length or an encoding is given. */
export function rawRequest(lines: readonly string[], body = ""): string {
  const isFramed = lines.some((line) => /^(content-length|transfer-encoding):/i.test(line));
  const length = isFramed ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return `${[...lines, ...length].join("\r\n")}\r\n\r\n${Buffer.from(body).toString("latin1")}`;
}

/** A chat request as raw text, with a credential. */
export function rawChatRequest(body: Readonly<Record<string, unknown>>, credential = "key"): string {
  const lines = [
    "POST /v1/chat/completions HTTP/1.1",
    "Host: 127.0.0.1",
    `Authorization: Bearer ${credential}`,
    "Content-Type: application/json",
  ];
  const whole = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }], ...body };
  return rawRequest(lines, JSON.stringify(whole));
}

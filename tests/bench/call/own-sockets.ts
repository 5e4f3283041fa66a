/*
 * Sockets without a kernel: callers and a provider in the process of the control plane, so that nothing but its own work
 * for a call is measured.
 */
import { drainMicrotasks } from "bun:jsc";
import type { SocketHandler } from "bun";
import { SEND_TIME_DIGITS, type StreamChunk } from "../relay/load/answers.ts";

/** What the control plane does with a socket. */
type OwnSocket = {
  data: unknown;
  readonly remoteAddress: string;
  readonly localAddress: string;
  write(bytes: Buffer, offset?: number, length?: number): number;
  pause(): void;
  resume(): void;
  shutdown(): void;
  end(): void;
  terminate(): void;
  setNoDelay(): void;
};

type Handlers = Required<Pick<SocketHandler<unknown>, "open" | "data">>;

/** What the provider responds to each request: one packet in each turn of the event loop. */
export type OwnReply = {
  readonly packets: readonly Packet[];
  /** How the last write to the caller ends. */
  readonly tail: Buffer;
  /** What the caller gets at least. */
  readonly bytesMin: number;
};

/** A whole response has no time in it. */
type Packet = Pick<StreamChunk, "wire"> & { readonly slot: number | null };

type Caller = { readonly socket: OwnSocket; bytes: number };
/** A connection whose request the provider has received. */
type Asked = { readonly socket: OwnSocket; readonly handlers: Handlers; next: number };

const okStatus = Buffer.from("HTTP/1.1 200 ");
const closingBrace = 125;
const zero = 48;

/** Callers who each send the same request again as soon as they have the response. */
export class OwnLoad {
  readonly #request: Buffer;
  readonly #reply: OwnReply;
  readonly #providerPort: number;
  #front: Handlers | null = null;
  /** Callers who may send their next request. */
  #ready: Caller[] = [];
  #asked: Asked[] = [];
  #left = 0;
  #running = 0;
  #sent = 0;
  /** The first response that was not what the provider has sent. */
  #wrong: string | null = null;

  constructor(request: Buffer, reply: OwnReply, providerPort: number) {
    this.#request = request;
    this.#reply = reply;
    this.#providerPort = providerPort;
  }

  /** Takes the place of the listener of the front, and of connections to the provider. Everything else stays real. */
  install(): void {
    const { connect } = Bun;
    const runtime = Bun as unknown as Record<"listen" | "connect", unknown>;
    runtime.listen = ({ socket, port }: { socket: Handlers; port: number }) => {
      this.#front = socket;
      return { port, stop: () => undefined };
    };
    runtime.connect = (options: { port?: number; data: unknown; socket: Handlers }) =>
      options.port === this.#providerPort ? this.#connect(options) : connect(options as Parameters<typeof connect>[0]);
  }

  /** Opens the connections of callers. */
  open(callers: number): void {
    for (let each = 0; each < callers; each += 1) {
      const caller: Caller = { socket: ownSocket((written) => this.#onResponse(caller, written)), bytes: 0 };
      this.#front?.open(caller.socket as never);
      this.#ready.push(caller);
    }
  }

  /** Makes so many calls. @throws Error for a response that is not what the provider has sent */
  async run(calls: number): Promise<void> {
    this.#left = calls;
    while (this.#left > 0 || this.#running > 0) {
      this.#turn();
      // The next turn of the event loop, with everything that the process does at its end.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (this.#wrong !== null) {
      throw new Error(`a response is wrong: ${this.#wrong}`);
    }
  }

  /** What a turn of the event loop finds at its sockets, each in a task of its own. */
  #turn(): void {
    const { data } = this.#front ?? { data: () => undefined };
    const asked = this.#asked;
    this.#asked = [];
    for (const each of asked) {
      this.#sendNext(each);
      drainMicrotasks();
    }
    const ready = this.#ready;
    this.#ready = [];
    for (const caller of ready) {
      if (this.#left === 0) {
        this.#ready.push(caller);
        continue;
      }
      this.#left -= 1;
      this.#running += 1;
      caller.bytes = 0;
      data(caller.socket as never, copyOf(this.#request) as never);
      drainMicrotasks();
    }
  }

  #sendNext(asked: Asked): void {
    const { packets } = this.#reply;
    const packet = packets[asked.next];
    asked.next += 1;
    if (asked.next < packets.length) {
      this.#asked.push(asked);
    }
    if (packet !== undefined) {
      const bytes = copyOf(packet.wire);
      if (packet.slot !== null) {
        this.#sent += 1;
        writeDigits(bytes, packet.slot, this.#sent);
      }
      asked.handlers.data(asked.socket as never, bytes as never);
    }
  }

  #onResponse(caller: Caller, written: Written): void {
    const { tail, bytesMin } = this.#reply;
    const isFirst = caller.bytes === 0;
    caller.bytes += written.length;
    const isLast = hasAt(written, written.length - tail.length, tail);
    if (isFirst && !hasAt(written, 0, okStatus)) {
      this.#wrong ??= written.bytes.toString("latin1", written.offset, written.offset + written.length);
    }
    if (isLast || this.#wrong !== null) {
      this.#running -= 1;
      this.#ready.push(caller);
    }
    if (isLast && caller.bytes < bytesMin) {
      this.#wrong ??= `${caller.bytes} bytes`;
    }
  }

  #connect({ data, socket: handlers }: { data: unknown; socket: Handlers }): Promise<OwnSocket> {
    const socket = ownSocket(({ bytes, offset, length }) => {
      if (bytes[offset + length - 1] === closingBrace) {
        this.#asked.push({ socket, handlers, next: 0 });
      }
    });
    socket.data = data;
    queueMicrotask(() => handlers.open(socket as never));
    return Promise.resolve(socket);
  }
}

/** What was written: a part of some memory. Not a view, for which the runtime would move small packets out of its heap. */
type Written = { readonly bytes: Buffer; readonly offset: number; readonly length: number };

function hasAt({ bytes, offset, length }: Written, at: number, expected: Buffer): boolean {
  const start = offset + at;
  return (
    at >= 0 &&
    at + expected.length <= length &&
    bytes.compare(expected, 0, expected.length, start, start + expected.length) === 0
  );
}

function ownSocket(onWrite: (written: Written) => void): OwnSocket {
  const nothing = (): void => undefined;
  return {
    data: null,
    remoteAddress: "127.0.0.1",
    localAddress: "127.0.0.1",
    write: (bytes, offset = 0, length = bytes.length - offset) => {
      onWrite({ bytes, offset, length });
      return length;
    },
    pause: nothing,
    resume: nothing,
    shutdown: nothing,
    end: nothing,
    terminate: nothing,
    setNoDelay: nothing,
  };
}

/** The runtime gives each packet memory of its own. */
function copyOf(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.byteLength);
  copy.set(bytes);
  return copy;
}

/** Each event of a stream differs in the time at which it was sent. */
function writeDigits(bytes: Buffer, slot: number, value: number): void {
  let rest = value;
  for (let at = slot + SEND_TIME_DIGITS - 1; rest > 0; at -= 1) {
    bytes[at] = zero + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}

/*
 * Sockets without a kernel: callers and a provider in the process of the control plane, so that nothing but its own work
 * for a call is measured.
 */
import { drainMicrotasks } from "bun:jsc";
import type { SocketHandler } from "bun";

/** What the control plane does with a socket. */
type OwnSocket = {
  data: unknown;
  readonly remoteAddress: string;
  readonly localAddress: string;
  write(bytes: Uint8Array, offset?: number, length?: number): number;
  pause(): void;
  resume(): void;
  shutdown(): void;
  end(): void;
  terminate(): void;
  setNoDelay(): void;
};

type Handlers = Required<Pick<SocketHandler<unknown>, "open" | "data">>;

const okStatus = Buffer.from("HTTP/1.1 200 ");
/** What is compared of the end of a response. */
const tailBytes = 16;
const closingBrace = 125;

/** Callers who each send the same request again as soon as they have the response. */
export class OwnLoad {
  readonly #request: Buffer;
  readonly #answer: Uint8Array;
  readonly #answerTail: Uint8Array;
  readonly #providerPort: number;
  #front: Handlers | null = null;
  /** Callers who may send their next request. */
  #ready: OwnSocket[] = [];
  /** Connections whose request the provider has received. */
  #asked: { readonly socket: OwnSocket; readonly handlers: Handlers }[] = [];
  #left = 0;
  #running = 0;
  /** The first response that was not what the provider has sent. */
  #wrong: string | null = null;

  constructor(request: Buffer, answer: Uint8Array, providerPort: number) {
    this.#request = request;
    this.#answer = answer;
    this.#answerTail = answer.subarray(-tailBytes);
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
      const socket = ownSocket((bytes) => this.#onResponse(socket, bytes));
      this.#front?.open(socket as never);
      this.#ready.push(socket);
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
    for (const { socket, handlers } of asked) {
      handlers.data(socket as never, copyOf(this.#answer) as never);
      drainMicrotasks();
    }
    const ready = this.#ready;
    this.#ready = [];
    for (const socket of ready) {
      if (this.#left === 0) {
        this.#ready.push(socket);
        continue;
      }
      this.#left -= 1;
      this.#running += 1;
      data(socket as never, copyOf(this.#request) as never);
      drainMicrotasks();
    }
  }

  #onResponse(socket: OwnSocket, bytes: Buffer): void {
    this.#running -= 1;
    this.#ready.push(socket);
    const isRight =
      bytes.subarray(0, okStatus.length).equals(okStatus) && bytes.subarray(-tailBytes).equals(this.#answerTail);
    if (!isRight) {
      this.#wrong ??= bytes.toString("latin1");
    }
  }

  #connect({ data, socket: handlers }: { data: unknown; socket: Handlers }): Promise<OwnSocket> {
    const socket = ownSocket((bytes) => {
      if (bytes[bytes.length - 1] === closingBrace) {
        this.#asked.push({ socket, handlers });
      }
    });
    socket.data = data;
    queueMicrotask(() => handlers.open(socket as never));
    return Promise.resolve(socket);
  }
}

function ownSocket(onWrite: (bytes: Buffer) => void): OwnSocket {
  const nothing = (): void => undefined;
  return {
    data: null,
    remoteAddress: "127.0.0.1",
    localAddress: "127.0.0.1",
    write: (bytes, offset = 0, length = bytes.byteLength - offset) => {
      onWrite(Buffer.from(bytes.buffer, bytes.byteOffset + offset, length));
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

import type { TestCertificate } from "./test-certificates.ts";

/** A request as it arrived: only its end is interpreted. */
export type RawRequest = {
  readonly head: string;
  readonly body: Buffer;
  /** The connection it came on, and its index there; both from 0. */
  readonly connection: number;
  readonly position: number;
};

export type RawSocket = {
  /** Sends everything, even what does not fit at once. */
  send(bytes: string | Uint8Array): void;
  /** FIN, once everything is sent. */
  finish(): void;
  /** RST. */
  reset(): void;
  pause(): void;
  resume(): void;
  readonly serverName: string;
};

export type RawHttpServer = {
  readonly port: number;
  readonly connections: number;
  readonly requests: readonly RawRequest[];
  readonly openConnections: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  /** Resolves when no connection is open any more. */
  allClosed(): Promise<void>;
  /** Resolves when that many complete requests have arrived. */
  received(count: number): Promise<void>;
  stop(): void;
};

export type RawHttpServerOptions = {
  onRequest?(socket: RawSocket, request: RawRequest): void;
  onOpen?(socket: RawSocket, connection: number): void;
  readonly tls?: TestCertificate;
};

type Connection = {
  readonly number: number;
  pieces: Uint8Array[];
  /** How many bytes the pieces hold, and how many the next request needs at least. */
  pendingBytes: number;
  neededBytes: number;
  position: number;
  unsent: Uint8Array[];
  isFinishing: boolean;
  socket: RawSocket | null;
};

/** An HTTP server without manners: each test records what it sends, and how it ends. */
export function startRawHttpServer(options: RawHttpServerOptions): RawHttpServer {
  const requests: RawRequest[] = [];
  const waiting = new Set<() => void>();
  const count = { connections: 0, open: 0, received: 0, sent: 0 };
  const notify = (): void => {
    for (const check of [...waiting]) {
      check();
    }
  };
  const until = (condition: () => boolean): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => {
      if (condition()) {
        waiting.delete(check);
        resolve();
      }
    };
    waiting.add(check);
    check();
    return promise;
  };
  const flush = (socket: Bun.Socket<Connection>): void => {
    const { unsent } = socket.data;
    for (let bytes = unsent[0]; bytes !== undefined; bytes = unsent[0]) {
      const accepted = Math.max(0, socket.write(bytes as Uint8Array<ArrayBuffer>));
      count.sent += accepted;
      if (accepted < bytes.length) {
        unsent[0] = bytes.subarray(accepted);
        return;
      }
      unsent.shift();
    }
    if (socket.data.isFinishing) {
      socket.end();
    }
  };
  const listener = Bun.listen<Connection>({
    hostname: "127.0.0.1",
    port: 0,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    socket: {
      open: (socket) => {
        socket.data = {
          number: count.connections,
          pieces: [],
          pendingBytes: 0,
          neededBytes: 0,
          position: 0,
          unsent: [],
          isFinishing: false,
          socket: null,
        };
        count.connections += 1;
        count.open += 1;
        const raw = rawSocket(socket, flush);
        socket.data.socket = raw;
        options.onOpen?.(raw, socket.data.number);
        notify();
      },
      data: (socket, bytes) => {
        const connection = socket.data;
        count.received += bytes.length;
        connection.pieces.push(bytes);
        connection.pendingBytes += bytes.length;
        for (let request = takeRequest(connection); request !== null; request = takeRequest(connection)) {
          requests.push(request);
          if (connection.socket !== null) {
            options.onRequest?.(connection.socket, request);
          }
        }
        notify();
      },
      drain: flush,
      error: () => undefined,
      close: (socket) => {
        // A connection whose TLS handshake failed closes without having been open.
        count.open -= socket.data === undefined ? 0 : 1;
        notify();
      },
    },
  });
  return {
    port: listener.port,
    requests,
    get connections() {
      return count.connections;
    },
    get openConnections() {
      return count.open;
    },
    get receivedBytes() {
      return count.received;
    },
    get sentBytes() {
      return count.sent;
    },
    allClosed: () => until(() => count.open === 0),
    received: (expected) => until(() => requests.length >= expected),
    stop: () => listener.stop(true),
  };
}

function rawSocket(socket: Bun.Socket<Connection>, flush: (socket: Bun.Socket<Connection>) => void): RawSocket {
  return {
    send: (bytes) => {
      socket.data.unsent.push(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
      flush(socket);
    },
    finish: () => {
      socket.data.isFinishing = true;
      flush(socket);
    },
    reset: () => socket.terminate(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    get serverName() {
      return String(socket.getServername());
    },
  };
}

function takeRequest(connection: Connection): RawRequest | null {
  // Joining a large body at each of its packets would cost the square of its size.
  if (connection.pendingBytes < connection.neededBytes) {
    return null;
  }
  const pending = Buffer.concat(connection.pieces);
  connection.pieces = [pending];
  const headBytes = pending.indexOf("\r\n\r\n") + 4;
  if (headBytes < 4) {
    return null;
  }
  const head = pending.toString("latin1", 0, headBytes);
  const length = Number(/^content-length: *([0-9]+)\r$/im.exec(head)?.[1] ?? 0);
  connection.neededBytes = headBytes + length;
  if (pending.length < connection.neededBytes) {
    return null;
  }
  const body = pending.subarray(headBytes, connection.neededBytes);
  connection.pieces = [pending.subarray(connection.neededBytes)];
  connection.pendingBytes -= connection.neededBytes;
  connection.neededBytes = 0;
  const { number, position } = connection;
  connection.position += 1;
  return { head, body, connection: number, position };
}

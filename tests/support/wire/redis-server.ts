import { createServer, type Socket } from "node:net";

/** A server that speaks as much of the Redis protocol as a cache needs. */
export type RedisServer = {
  readonly url: string;
  readonly port: number;
  readonly values: ReadonlyMap<string, Buffer>;
  /** The commands so far, each with its key. */
  readonly commands: readonly string[];
  /** While it hangs, it reads and replies to nothing. */
  hang(isHanging: boolean): void;
  stop(): Promise<void>;
};

const end = "\r\n";

/** @param greetMs how long a new connection takes to be ready */
export async function startRedisServer(port = 0, greetMs = 0): Promise<RedisServer> {
  const values = new Map<string, Buffer>();
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  let isHanging = false;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // A client that is gone needs no reply.
    socket.on("error", () => undefined);
    let waiting: Buffer = Buffer.alloc(0);
    socket.on("data", (bytes: Buffer) => {
      waiting = Buffer.concat([waiting, bytes]);
      for (let read = readCommand(waiting); read !== null; read = readCommand(waiting)) {
        waiting = waiting.subarray(read.length);
        const [name = "", key = ""] = read.parts.slice(0, 2).map(String);
        commands.push(`${name.toUpperCase()} ${key}`);
        const { parts } = read;
        if (!isHanging) {
          setTimeout(() => socket.write(reply(values, parts)), name.toUpperCase() === "HELLO" ? greetMs : 0);
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `redis://127.0.0.1:${bound}`,
    port: bound,
    values,
    commands,
    hang: (isSo) => {
      isHanging = isSo;
    },
    stop: async () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function reply(values: Map<string, Buffer>, [name, key, value]: readonly Buffer[]): Buffer {
  switch (String(name).toUpperCase()) {
    case "HELLO":
      return Buffer.from(`%1${end}+server${end}+redis${end}`);
    case "GET": {
      const found = values.get(String(key));
      return found === undefined
        ? Buffer.from(`_${end}`)
        : Buffer.concat([Buffer.from(`$${found.length}${end}`), found, Buffer.from(end)]);
    }
    case "SET":
      values.set(String(key), Buffer.from(value ?? ""));
      return Buffer.from(`+OK${end}`);
    default:
      return Buffer.from(`-ERR unknown command${end}`);
  }
}

/** The first whole command: an array of strings with their lengths. */
function readCommand(bytes: Buffer): { readonly parts: readonly Buffer[]; readonly length: number } | null {
  let at = bytes.indexOf(end);
  const count = at === -1 ? 0 : Number(bytes.toString("latin1", 1, at));
  const parts: Buffer[] = [];
  at += end.length;
  for (let index = 0; index < count; index += 1) {
    const lineEnd = bytes.indexOf(end, at);
    const length = lineEnd === -1 ? Number.POSITIVE_INFINITY : Number(bytes.toString("latin1", at + 1, lineEnd));
    const start = lineEnd + end.length;
    if (bytes.length < start + length + end.length) {
      return null;
    }
    parts.push(bytes.subarray(start, start + length));
    at = start + length + end.length;
  }
  return parts.length === 0 ? null : { parts, length: at };
}

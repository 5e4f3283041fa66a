import { connect, createServer, type Socket } from "node:net";

/**
 * An intermediary between a client and a Postgres, to lose or hold back what is sent. One connection through it is one
 * pair.
 */
export type PostgresProxy = AsyncDisposable & {
  /** The database behind it, reached through the proxy. */
  readonly url: string;
  /**
   * Cuts the connection of the next COMMIT: before the server has seen it, or after the server has answered it and
   * before the client has seen the answer. Resolves when that happened.
   */
  loseNextCommit(lost: "statement" | "answer"): Promise<void>;
  /** From now on nothing passes and nothing is closed, on old and new connections: a silent network. */
  stall(): void;
  /** Lets everything through that was held back. */
  resume(): void;
};

type Pair = { readonly client: Socket; readonly server: Socket; isDoomed: boolean };

/** A simple query message with the text COMMIT, in either case. */
const commitMessage = /^Q[\s\S]{4}commit\0/i;

/** Starts a proxy on a free port in front of the database of `url`. */
export async function startPostgresProxy(url: string): Promise<PostgresProxy> {
  const target = new URL(url);
  const pairs = new Set<Pair>();
  let commitTrap: { lost: "statement" | "answer"; done: () => void } | null = null;
  let isStalled = false;

  const cut = (pair: Pair): void => {
    pair.client.destroy();
    pair.server.destroy();
    pairs.delete(pair);
  };
  const fromClient = (pair: Pair, bytes: Buffer): void => {
    if (commitTrap !== null && commitMessage.test(bytes.toString("latin1"))) {
      if (commitTrap.lost === "statement") {
        commitTrap.done();
        commitTrap = null;
        cut(pair);
        return;
      }
      pair.isDoomed = true;
    }
    pair.server.write(bytes);
  };
  const fromServer = (pair: Pair, bytes: Buffer): void => {
    if (pair.isDoomed) {
      commitTrap?.done();
      commitTrap = null;
      cut(pair);
      return;
    }
    pair.client.write(bytes);
  };

  const listener = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    const pair: Pair = { client, server, isDoomed: false };
    pairs.add(pair);
    client.on("data", (bytes: Buffer) => fromClient(pair, bytes));
    server.on("data", (bytes: Buffer) => fromServer(pair, bytes));
    for (const socket of [client, server]) {
      socket.on("error", () => cut(pair));
      socket.on("close", () => cut(pair));
    }
    if (isStalled) {
      client.pause();
      server.pause();
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  const proxied = new URL(url);
  proxied.port = String(typeof address === "object" && address !== null ? address.port : 0);

  return {
    url: proxied.href,
    loseNextCommit: (lost) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      commitTrap = { lost, done: resolve };
      return promise;
    },
    stall: () => {
      isStalled = true;
      for (const { client, server } of pairs) {
        client.pause();
        server.pause();
      }
    },
    resume: () => {
      isStalled = false;
      for (const { client, server } of pairs) {
        client.resume();
        server.resume();
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const pair of pairs) {
        cut(pair);
      }
      await new Promise<void>((resolve) => listener.close(() => resolve()));
    },
  };
}

import { connect, createServer, type Socket } from "node:net";

/** What is lost: a statement before the server has seen it, or the answer to it before the client has. */
export type LossOf = "statement" | "answer";

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
  loseNextCommit(lost: LossOf): Promise<void>;
  /**
   * From now on, `watch` is called for each time that a client asks the server for something, and says whether that is lost:
   * then the connection is cut, and `lost` is called.
   */
  watchStatements(watch: () => LossOf | null, lost: () => void): void;
  /** From now on nothing passes and nothing is closed, on old and new connections: a silent network. */
  stall(): void;
  /** Lets everything through that was held back. */
  resume(): void;
};

type Pair = {
  readonly client: Socket;
  readonly server: Socket;
  isDoomed: boolean;
  /** Called instead of passing on what the server answers next. */
  losing: (() => void) | null;
};

/** A simple query message with the text COMMIT, in either case. */
const commitMessage = /^Q[\s\S]{4}commit\0/i;

/** A query, or the first of the messages that prepare and run one. */
const askingMessage = /^[QPB]/;

/** Starts a proxy on a free port in front of the database of `url`. */
export async function startPostgresProxy(url: string): Promise<PostgresProxy> {
  const target = new URL(url);
  const pairs = new Set<Pair>();
  let commitTrap: { lost: LossOf; done: () => void } | null = null;
  let watching: { watch: () => LossOf | null; lost: () => void } | null = null;
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
    if (watching !== null && askingMessage.test(bytes.toString("latin1", 0, 1))) {
      const { watch, lost } = watching;
      const loses = watch();
      if (loses === "statement") {
        lost();
        cut(pair);
        return;
      }
      pair.losing = loses === "answer" ? lost : null;
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
    if (pair.losing !== null) {
      pair.losing();
      cut(pair);
      return;
    }
    pair.client.write(bytes);
  };

  const listener = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    const pair: Pair = { client, server, isDoomed: false, losing: null };
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
    watchStatements: (watch, lost) => {
      watching = { watch, lost };
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

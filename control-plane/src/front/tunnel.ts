import { forgetPeer, passingAddress, passPeerOn } from "../platform/peer-address.ts";

/** One end of a tunnel: a socket, and what it has not yet accepted. */
type ClientEnd = {
  /** Returns false if the bytes have to wait; `onClientDrain` says when they are gone. */
  write(bytes: Buffer): boolean;
  pause(): void;
  resume(): void;
  /** Ends the connection once everything is written. */
  end(): void;
};

/**
 * Passes a connection on to the runtime's server, for good and byte by byte, from the first byte of a request. No byte of
 * it is parsed here any more.
 */
export class Tunnel {
  readonly #client: ClientEnd;
  readonly #onRefused: () => void;
  #server: Bun.Socket | null = null;
  /** What the server has not yet accepted. */
  #waiting: Buffer[];
  #isClientGone = false;
  #isOver = false;
  #port = 0;

  /** @param onRefused called if the server accepts no connection */
  constructor(client: ClientEnd, first: Buffer, onRefused: () => void) {
    this.#client = client;
    this.#waiting = [first];
    this.#onRefused = onRefused;
  }

  /** @param peer the client's address, which the server's handlers see as that of the connection */
  open(port: number, peer: string): void {
    this.#client.pause();
    const over = () => this.#close();
    Bun.connect({
      hostname: passingAddress,
      port,
      socket: {
        open: (server) => {
          this.#port = server.localPort;
          passPeerOn(this.#port, peer);
          this.#server = server;
          this.#client.resume();
          this.#flush();
        },
        data: (server, bytes) => {
          if (!this.#isClientGone && !this.#client.write(bytes)) {
            server.pause();
          }
        },
        drain: () => this.#flush(),
        close: over,
        error: over,
      },
    }).catch(() => {
      this.#isOver = true;
      this.#onRefused();
    });
  }

  onClientData(bytes: Buffer): void {
    if (this.#isOver) {
      return;
    }
    this.#waiting.push(bytes);
    this.#flush();
  }

  /** The client has accepted everything. */
  onClientDrain(): void {
    this.#server?.resume();
  }

  /** The server gets what the client has sent, and then the end of the connection. */
  onClientClose(): void {
    this.#isClientGone = true;
    // Its end is not seen by a socket that does not read.
    this.#server?.resume();
    this.#flush();
  }

  #flush(): void {
    if (this.#server === null || this.#isOver) {
      return;
    }
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const written = this.#server.write(next);
      if (written < next.length) {
        this.#waiting[0] = next.subarray(Math.max(0, written));
        this.#client.pause();
        return;
      }
      this.#waiting.shift();
    }
    if (this.#isClientGone) {
      // Only our half: the server may not have seen the request yet, and asks for its address until it closes its own.
      this.#server.shutdown();
    } else {
      this.#client.resume();
    }
  }

  #close(): void {
    if (!this.#isOver) {
      this.#isOver = true;
      forgetPeer(this.#port);
      this.#client.end();
    }
  }
}

import { DeadlineTicker } from "@sluice/http-client/deadline-ticker";
import { turn } from "@sluice/http-client/turn";
import { addressGroup, isEdge, plainAddress } from "../platform/client-address.ts";
import type { Log } from "../platform/log.ts";
import { ClientConnection, type FrontShared } from "./connection.ts";
import { HeldBytes } from "./held-bytes.ts";
import type { FrontSettings, FrontWork } from "./model.ts";
import { HeadTable } from "./request-head.ts";

const warningPauseMs = 60_000;

/** Null for a socket that is not served. */
type Data = ClientConnection | null;

/**
 * The listener of the service. It serves the calls that it knows by itself; a connection with anything else is passed on to
 * the runtime's server, which listens on a port of this machine.
 */
export class Front {
  readonly #listener: Bun.TCPSocketListener<Data>;
  readonly #shared: FrontShared;
  readonly #log: Log;
  readonly #connections = new Set<ClientConnection>();
  /** How many connections each address has. */
  readonly #ofAddress = new Map<string, number>();
  /** No further warning of too many connections until then. */
  #silentUntilMs = 0;

  /** @param serverPort the port of the runtime's server */
  constructor(work: FrontWork, settings: FrontSettings, { serverPort, log }: { serverPort: number; log: Log }) {
    this.#log = log;
    this.#shared = {
      work,
      settings,
      table: new HeadTable({ targets: work.targets, rareFields: settings.rareFields }),
      ticker: new DeadlineTicker(),
      serverPort,
      isDraining: false,
      isStopping: false,
      held: new HeldBytes(settings.heldBytesMax),
      onClose: (connection) => this.#forget(connection),
      onFailure: (error) => log.error("front.unexpected", { error }),
    };
    this.#listener = this.#listen(settings);
  }

  get port(): number {
    return this.#listener.port;
  }

  /** All connections, those that were handed over too. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Connections that something is left to do for. */
  get running(): number {
    let running = 0;
    for (const connection of this.#connections) {
      running += connection.isRunning ? 1 : 0;
    }
    return running;
  }

  /** Every response closes its connection from now on. */
  beginDrain(): void {
    this.#shared.isDraining = true;
  }

  /** Takes no more connections, and ends idle ones. */
  stop(): void {
    this.#shared.isDraining = true;
    this.#shared.isStopping = true;
    this.#listener.stop();
    // A connection whose request is read and not yet processed is not idle.
    turn.catchUp();
    for (const connection of this.#connections) {
      connection.endIfIdle();
    }
  }

  /** Closes every connection. */
  cutOff(): void {
    for (const connection of this.#connections) {
      connection.terminate();
    }
  }

  #listen({ hostname, port }: FrontSettings): Bun.TCPSocketListener<Data> {
    // The option is missing from the types. Workers share the port.
    const address = { hostname, port, reusePort: true };
    try {
      return Bun.listen<Data>({
        ...address,
        socket: {
          open: (socket) => this.#open(socket),
          data: ({ data: connection }, bytes) => {
            if (connection !== null) {
              turn.read(connection, bytes);
            }
          },
          drain: (socket) => socket.data?.onDrain(),
          close: (socket) => {
            turn.catchUp();
            socket.data?.onClose();
          },
          error: (socket, error) => {
            this.#log.error("front.unexpected", { error });
            socket.terminate();
          },
        },
      });
    } catch (error) {
      // The runtime names neither the port nor what is wrong.
      const reason = isPortInUse(error) ? "the port is in use" : String(error);
      throw new Error(`${hostname}, port ${port}: ${reason}`, { cause: error });
    }
  }

  #open(socket: Bun.Socket<Data>): void {
    socket.data = null;
    const { work, settings } = this.#shared;
    const { connectionsMax, edge } = settings;
    const peer = socket.remoteAddress as string | undefined;
    if (peer === undefined) {
      // Its client was gone before it was accepted: load balancers that only look whether the port is open do that.
      socket.terminate();
      return;
    }
    const address = plainAddress(peer);
    const group = addressGroup(address);
    const count = (this.#ofAddress.get(group) ?? 0) + 1;
    const isFromEdge = isEdge(address, edge);
    if (count > connectionsMax && !isFromEdge) {
      work.count("turned_away");
      socket.terminate();
      this.#warn(address);
      return;
    }
    this.#ofAddress.set(group, count);
    const connection = new ClientConnection(socket, { address, isEdge: isFromEdge }, this.#shared);
    socket.data = connection;
    this.#connections.add(connection);
  }

  /** Says that an address has too many connections, once in a while. */
  #warn(address: string): void {
    const nowMs = performance.now();
    if (nowMs >= this.#silentUntilMs) {
      this.#silentUntilMs = nowMs + warningPauseMs;
      this.#log.warn("front.turned_away", { address, connectionsMax: this.#shared.settings.connectionsMax });
    }
  }

  #forget(connection: ClientConnection): void {
    this.#connections.delete(connection);
    const group = addressGroup(connection.peer.address);
    const left = (this.#ofAddress.get(group) ?? 1) - 1;
    if (left === 0) {
      this.#ofAddress.delete(group);
    } else {
      this.#ofAddress.set(group, left);
    }
  }
}

function isPortInUse(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "EADDRINUSE";
}

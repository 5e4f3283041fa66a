import { createServer, connect as dial, type Server } from "node:net";
import { NamespaceNetwork } from "../exit-nodes/network-namespaces.ts";
import type { Place } from "../service/place.ts";

/** This machine, where the clients, the database and the provider are. */
const ownHost = 1;
const firstHost = 11;

/** Hosts of a service, each a network namespace with an address of its own, which reach servers of this machine. */
export class ServerNetwork implements Disposable {
  readonly #network = new NamespaceNetwork();
  readonly #forwarders: Server[] = [];
  #hosts = 0;

  /** Another host. */
  addHost(name: string): Place {
    const host = firstHost + this.#hosts++;
    this.#network.addHost(name, [host]);
    return { address: this.#network.address(host), on: (command) => this.#network.on(name, command) };
  }

  /** The URL at which hosts reach a server that listens at loopback of this machine. */
  async forward(url: string): Promise<string> {
    const { port, hostname } = new URL(url);
    const server = createServer((socket) => {
      const end = dial(Number(port), hostname);
      socket.pipe(end).pipe(socket);
      socket.on("error", () => end.destroy());
      end.on("error", () => socket.destroy());
      socket.on("close", () => end.destroy());
    });
    this.#forwarders.push(server);
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, this.#network.address(ownHost), resolve);
    await promise;
    const place = server.address();
    const forwarded = new URL(url);
    forwarded.hostname = this.#network.address(ownHost);
    forwarded.port = String(typeof place === "object" ? place?.port : "");
    return forwarded.href;
  }

  [Symbol.dispose](): void {
    for (const server of this.#forwarders) {
      server.close();
    }
    this.#network[Symbol.dispose]();
  }
}

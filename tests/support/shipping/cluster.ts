import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { waitUntil } from "../calls/relay-scene.ts";
import { masterKeyBytes, type SluiceProcess } from "../service/sluice.ts";
import { repositoryRoot, startProgram } from "../service/start-process.ts";
import { withoutPages } from "../web/without-pages.ts";
import { type Container, oneOf, renderChart } from "./chart.ts";

/** How long the nodes of a cluster take to learn that endpoints changed. */
const propagationMs = 1_500;

/** What a Service is to its clients: each new connection goes to one of the endpoints that the node knows of. */
export class NodeOfCluster {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #endpoints: readonly Endpoint[] = [];
  #next = 0;

  private constructor() {
    this.#server = createServer((client) => {
      const { host, port } = this.#endpoints[this.#next++ % this.#endpoints.length] ?? { host: "127.0.0.1", port: 0 };
      const replica = connect(port, host);
      for (const [socket, other] of [
        [client, replica],
        [replica, client],
      ] as const) {
        this.#sockets.add(socket);
        socket.pipe(other);
        socket.on("error", () => other.destroy());
        socket.on("close", () => this.#sockets.delete(socket));
      }
    });
  }

  static async start(): Promise<NodeOfCluster> {
    const node = new NodeOfCluster();
    await new Promise<void>((resolve) => node.#server.listen(0, "127.0.0.1", resolve));
    return node;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  }

  /** Resolves when the node has learned of it. */
  async change(endpoints: readonly Endpoint[]): Promise<void> {
    await Bun.sleep(propagationMs);
    this.#endpoints = endpoints;
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }
}

type Endpoint = { readonly host: string; readonly port: number };

function endpointOf({ url }: SluiceProcess): Endpoint {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

/** What starts the processes of the pods, and where. */
export type Pods = {
  readonly databaseUrl: string;
  /** @param ordinal of the replica */
  readonly start: (ordinal: number, env: Record<string, string>) => Promise<SluiceProcess>;
};

type UpgradeSteps = {
  /** Before each replacement. */
  readonly before: () => Promise<void>;
  /** When the node has removed the endpoint of a replica that was asked to end. */
  readonly whileDraining: (old: SluiceProcess) => Promise<void>;
};

/** The StatefulSet and the hook of the rendered chart, with processes of the control plane as pods. */
export class Release {
  readonly replicas: SluiceProcess[] = [];
  readonly #pods: Pods;
  readonly #node: NodeOfCluster;
  readonly #claims: string;
  readonly #container: Container;
  readonly #graceMs: number;

  private constructor(pods: Pods, node: NodeOfCluster, claims: string, pod: Record<string, unknown>) {
    this.#pods = pods;
    this.#node = node;
    this.#claims = claims;
    [this.#container] = pod["containers"] as [Container];
    this.#graceMs = Number(pod["terminationGracePeriodSeconds"]) * 1_000;
  }

  /** @param claims the folder of the spools */
  static async install(pods: Pods, node: NodeOfCluster, claims: string, values: object): Promise<Release> {
    const { spec } = oneOf(await renderChart(values), "StatefulSet");
    const release = new Release(pods, node, claims, spec.template.spec);
    for (let ordinal = 0; ordinal < spec.replicas; ordinal += 1) {
      release.replicas.push(await release.#startReplica(ordinal));
    }
    await node.change(release.replicas.map(endpointOf));
    return release;
  }

  /** As `helm upgrade`: the hook, then one replica after the other, the one with the highest ordinal first. */
  async upgrade(steps: UpgradeSteps): Promise<number[]> {
    await this.#migrate();
    const codes: number[] = [];
    for (let ordinal = this.replicas.length - 1; ordinal >= 0; ordinal -= 1) {
      await steps.before();
      codes.push(await this.#replace(ordinal, steps.whileDraining));
    }
    return codes;
  }

  /** The container's variables, apart from what only a cluster has. */
  #environment(): Record<string, string> {
    const { MASTER_KEY_FILE: _, ...own } = Object.fromEntries(
      this.#container.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
    );
    return { ...own, ...withoutPages, NODE_ENV: "test", HOST: "127.0.0.1", PORT: "0" };
  }

  async #migrate(): Promise<void> {
    const env = {
      ...{ ...this.#environment(), DATABASE_URL: this.#pods.databaseUrl },
      MASTER_KEY: masterKeyBytes.toString("base64"),
    };
    const command = [process.execPath, join(repositoryRoot, "control-plane/src/commands/migrate.ts")];
    const job = startProgram({ command, env });
    if ((await job.exited) !== 0) {
      throw new Error(`the migration failed:\n${job.output()}`);
    }
  }

  async #startReplica(ordinal: number): Promise<SluiceProcess> {
    const claim = join(this.#claims, String(ordinal));
    const replica = await this.#pods.start(ordinal, { ...this.#environment(), DATA_DIR: claim });
    const { path } = this.#container["readinessProbe"].httpGet;
    await waitUntil(async () => (await fetch(`${replica.url}${path}`)).ok);
    return replica;
  }

  /** Endpoints and SIGTERM are changed and sent at the same time; the replica has to bridge the difference. */
  async #replace(ordinal: number, whileDraining: UpgradeSteps["whileDraining"]): Promise<number> {
    const old = this.replicas[ordinal] as SluiceProcess;
    const removed = this.#node.change(this.replicas.filter((each) => each !== old).map(endpointOf));
    const killed = setTimeout(() => void old.kill(), this.#graceMs);
    const ended = old.stop();
    await removed;
    await whileDraining(old);
    const code = await ended;
    clearTimeout(killed);
    this.replicas[ordinal] = await this.#startReplica(ordinal);
    await this.#node.change(this.replicas.map(endpointOf));
    return code;
  }
}

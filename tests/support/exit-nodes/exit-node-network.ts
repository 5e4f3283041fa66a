import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RequestRecordJson } from "@sluice/sandbox-provider/record/request-record";
import { repositoryRoot, type StartedProgram, startProgram } from "../service/start-process.ts";
import { ExitNodeScene } from "./exit-node-scene.ts";
import { NamespaceNetwork } from "./network-namespaces.ts";
import { accountsOf, RunningAgent } from "./node-agent.ts";

const program = (path: string): string[] => [process.execPath, join(repositoryRoot, path)];

export type NetworkNode = {
  readonly code: string;
  /** Its listening address, and the one its calls are sent from: two addresses of one host. */
  readonly listens: number;
  readonly egress: number;
  readonly relayKey: string;
  readonly providerKey: string;
};

const providerHost = 10;
const dnsHost = 53;
const strangerHost = 99;
const providerPort = 8080;
const nodePort = 8790;

/** A control plane, nodes, a provider, a DNS server and an impostor, each at its own address. */
export class ExitNodeNetwork implements AsyncDisposable {
  readonly network = new NamespaceNetwork();
  readonly #folder = mkdtempSync(join(tmpdir(), "sluice-network-"));
  readonly #programs: StartedProgram[] = [];
  readonly agents = new Map<string, RunningAgent>();
  #names: Readonly<Record<string, string>> = {};
  #dns: StartedProgram | null = null;
  #stranger: StartedProgram | null = null;
  #scene: ExitNodeScene | null = null;

  static async open(nodes: readonly NetworkNode[]): Promise<ExitNodeNetwork> {
    const whole = new ExitNodeNetwork();
    try {
      await whole.#start(nodes);
      return whole;
    } catch (error) {
      await whole[Symbol.asyncDispose]();
      throw error;
    }
  }

  get scene(): ExitNodeScene {
    if (this.#scene === null) {
      throw new Error("it did not start");
    }
    return this.#scene;
  }

  get providerUrl(): string {
    return `http://${this.network.address(providerHost)}:${providerPort}`;
  }

  get strangerAddress(): string {
    return this.network.address(strangerHost);
  }

  urlOf(node: Pick<NetworkNode, "listens">): string {
    return `http://${this.network.address(node.listens)}:${nodePort}`;
  }

  /** Everything sent to the impostor so far. */
  heardByStranger(): string {
    return this.#stranger?.output().replace("listening\n", "") ?? "";
  }

  /** Lets names lead to these addresses. Resolves when the DNS server has read them. */
  async setNames(names: Readonly<Record<string, string>>): Promise<void> {
    this.#names = { ...this.#names, ...names };
    writeFileSync(
      this.#hostsFile,
      Object.entries(this.#names)
        .map(([name, ip]) => `${ip} ${name}\n`)
        .join(""),
    );
    const dns = this.#dns;
    if (dns === null) {
      return;
    }
    const said = `read ${this.#hostsFile}`;
    const times = dns.output().split(said).length;
    dns.signal("SIGHUP");
    await dns.waitFor(new RegExp(`(?:${said}[\\s\\S]*?){${times}}`));
  }

  async provider(path: string, body?: object): Promise<Record<string, unknown>> {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(`${this.providerUrl}/sandbox/${path}`, init);
    if (!answer.ok) {
      throw new Error(await answer.text());
    }
    return (await answer.json()) as Record<string, unknown>;
  }

  /** The requests that the provider got with a key. */
  async requestsWith(key: string): Promise<RequestRecordJson[]> {
    const { requests } = (await this.provider("requests")) as { requests: RequestRecordJson[] };
    return requests.filter(({ credential }) => credential === key);
  }

  get #hostsFile(): string {
    return join(this.#folder, "hosts");
  }

  async #start(nodes: readonly NetworkNode[]): Promise<void> {
    const { network } = this;
    network.addHost("provider", [providerHost]);
    network.addHost("dns", [dnsHost]);
    network.addHost("stranger", [strangerHost]);
    const providerWords = ["--host", network.address(providerHost), "--port", String(providerPort), "--scriptable"];
    const provider = this.#run("provider", [...program("packages/sandbox-provider/src/main.ts"), ...providerWords]);
    const strangerWords = [network.address(strangerHost), String(nodePort)];
    this.#stranger = this.#run("stranger", [
      ...program("tests/support/service/start-stubs/stranger.ts"),
      ...strangerWords,
    ]);
    await this.setNames({});
    const dns = this.#run("dns", this.#dnsCommand());
    await Promise.all([provider.waitFor("ready"), this.#stranger.waitFor("listening"), dns.waitFor("started")]);
    this.#dns = dns;
    await Promise.all(nodes.map((node) => this.#startAgent(node)));
    this.#scene = await ExitNodeScene.open({
      EXIT_NODE_DNS_SERVERS: `${network.address(dnsHost)}:53`,
      UPSTREAM_IDLE_TIMEOUT_MS: "1500",
      LOG_LEVEL: "debug",
    });
  }

  #dnsCommand(): string[] {
    const settings = ["--no-daemon", "--no-resolv", "--no-hosts", `--addn-hosts=${this.#hostsFile}`, "--local-ttl=0"];
    const place = [`--listen-address=${this.network.address(dnsHost)}`, "--bind-interfaces", "--port=53"];
    return ["dnsmasq", "--conf-file=/dev/null", ...settings, ...place, "--local=/example.org/", "--user=root"];
  }

  async #startAgent({ code, listens, egress, relayKey, providerKey }: NetworkNode): Promise<void> {
    const { network } = this;
    network.addHost(code, [listens, egress]);
    const agent = await RunningAgent.start({
      command: network.on(code, program("node-agent/src/main.ts")),
      providerUrl: this.providerUrl,
      accounts: accountsOf(this.providerUrl, providerKey),
      relayKeys: `${relayKey}\n`,
      env: {
        NODE_CODE: code,
        HOST: network.address(listens),
        PORT: String(nodePort),
        EGRESS_ADDRESS: network.address(egress),
        BEHIND_PROXY: "true",
        PUBLIC_HOSTS: `${network.address(listens)}:${nodePort},${code}.example.org:${nodePort}`,
      },
    });
    this.agents.set(code, agent);
  }

  #run(host: string, command: readonly string[]): StartedProgram {
    const started = startProgram({ command: this.network.on(host, command), env: {} });
    this.#programs.push(started);
    return started;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#scene?.[Symbol.asyncDispose]();
    for (const agent of this.agents.values()) {
      await agent[Symbol.asyncDispose]();
    }
    for (const started of this.#programs) {
      started.signal("SIGKILL");
      await started.exited;
    }
    this.network[Symbol.dispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

import { randomBytes, randomInt } from "node:crypto";

/** The error output of `ip`; empty on success. */
function tryIp(...words: string[]): string {
  const result = Bun.spawnSync(["ip", ...words], { stdout: "ignore", stderr: "pipe" });
  return result.exitCode === 0 ? "" : result.stderr.toString().trim() || `exit code ${result.exitCode}`;
}

function ip(...words: string[]): void {
  const fault = tryIp(...words);
  if (fault !== "") {
    throw new Error(`ip ${words.join(" ")}: ${fault}`);
  }
}

/** Why no namespaces can be created here, as a sentence; null if they can. Found out by creating some. */
export function namespaceFault(): string | null {
  if (Bun.which("ip") === null) {
    return "the command ip is not installed";
  }
  if (process.getuid?.() !== 0) {
    return "only root can make network namespaces";
  }
  const name = `sluice-probe-${randomBytes(3).toString("hex")}`;
  const [end, otherEnd] = interfaceNames();
  const fault = tryIp("netns", "add", name);
  if (fault !== "") {
    return `this machine makes no network namespaces (${fault})`;
  }
  try {
    const bridge = tryIp("-n", name, "link", "add", "hub", "type", "bridge");
    const pair = tryIp("link", "add", end, "type", "veth", "peer", "name", otherEnd, "netns", name);
    return bridge === "" && pair === "" ? null : `this machine makes no virtual networks (${bridge || pair})`;
  } finally {
    ip("netns", "del", name);
  }
}

/** Names of interfaces have 15 characters at most and are shared by the whole machine. */
function interfaceNames(): readonly [string, string] {
  const id = randomBytes(3).toString("hex");
  return [`sl${id}a`, `sl${id}b`];
}

/**
 * Hosts with their own addresses on one network, each a kernel namespace, including this machine. The network uses a
 * bridge in its own namespace, so that nothing is left when the namespaces go.
 */
export class NamespaceNetwork implements Disposable {
  readonly #id = randomBytes(3).toString("hex");
  /** From the range that is reserved for network benchmarks, so that it belongs to nobody. */
  readonly #prefix = `198.${18 + randomInt(2)}.${randomInt(256)}`;
  readonly #spaces: string[] = [];
  readonly #links = new Map<string, string>();
  readonly #hub: string;

  constructor() {
    this.#hub = this.#addSpace("hub");
    ip("-n", this.#hub, "link", "add", "hub", "type", "bridge");
    ip("-n", this.#hub, "link", "set", "hub", "up");
    const [end, atHub] = interfaceNames();
    ip("link", "add", end, "type", "veth", "peer", "name", atHub, "netns", this.#hub);
    this.#plugIn(atHub);
    ip("address", "add", `${this.address(1)}/24`, "dev", end);
    ip("link", "set", end, "up");
  }

  address(host: number): string {
    return `${this.#prefix}.${host}`;
  }

  /** A host with these addresses; the first is its default. */
  addHost(name: string, hosts: readonly number[]): void {
    const space = this.#addSpace(name);
    const [end, atHub] = interfaceNames();
    ip("link", "add", end, "netns", space, "type", "veth", "peer", "name", atHub, "netns", this.#hub);
    this.#plugIn(atHub);
    this.#links.set(name, atHub);
    for (const host of hosts) {
      ip("-n", space, "address", "add", `${this.address(host)}/24`, "dev", end);
    }
    ip("-n", space, "link", "set", "lo", "up");
    ip("-n", space, "link", "set", end, "up");
  }

  /** The command, to be run on that host. */
  on(name: string, command: readonly string[]): string[] {
    return ["ip", "netns", "exec", this.#spaceOf(name), ...command];
  }

  /** Disconnects a host: nobody is notified, packets are just lost. And reconnects it. */
  cut(name: string): void {
    ip("-n", this.#hub, "link", "set", this.#linkOf(name), "down");
  }

  mend(name: string): void {
    ip("-n", this.#hub, "link", "set", this.#linkOf(name), "up");
  }

  [Symbol.dispose](): void {
    for (const space of this.#spaces) {
      tryIp("netns", "del", space);
    }
  }

  #spaceOf(name: string): string {
    return `sluice-${this.#id}-${name}`;
  }

  #linkOf(name: string): string {
    return this.#links.get(name) ?? "";
  }

  #addSpace(name: string): string {
    const space = this.#spaceOf(name);
    ip("netns", "add", space);
    this.#spaces.push(space);
    return space;
  }

  #plugIn(link: string): void {
    ip("-n", this.#hub, "link", "set", link, "master", "hub");
    ip("-n", this.#hub, "link", "set", link, "up");
  }
}

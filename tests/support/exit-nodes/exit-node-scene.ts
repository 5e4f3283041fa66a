import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { type ConsoleClient, consoleClient } from "../accounts/console-client.ts";
import { loginAdmin } from "../accounts/logins.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../service/sluice.ts";
import { patienceMs } from "../values/patience.ts";
import { DnsServer } from "../wire/dns-server.ts";
import { type AgentOptions, RunningAgent, relayKey } from "./node-agent.ts";

/**
 * Settings that allow nodes on this machine: its addresses, any port, http, and a DNS server that the test controls.
 */
export const nodeSettings: Readonly<Record<string, string>> = {
  EXIT_NODE_PRIVATE_ALLOWED: "true",
  EXIT_NODE_HTTP_ALLOWED: "true",
  EXIT_NODE_PORTS: "any",
  EXIT_NODE_TIMEOUT_MS: "4000",
  EXIT_NODE_SWITCH_SPACING_MS: "0",
};

/** The parts of a node's entry that tests look at. */
export type NodeEntry = {
  readonly id: number;
  readonly node_code: string;
  readonly host: string;
  readonly ip: string;
  readonly relay_url: string | null;
  readonly version: number;
  readonly is_host_form: boolean;
  readonly is_proven: boolean;
  readonly is_serving: boolean;
  readonly has_relay_key: boolean;
  readonly relay_key_secret: string;
  readonly switch_streak: number;
  readonly dns: { readonly resolved: readonly string[]; readonly matched: boolean } | null;
  readonly health: { readonly ok: boolean; readonly failure: string | null } | null;
  readonly traffic: { readonly calls: number; readonly failures: number; readonly circuit: string };
};

/** A control plane without jobs, an admin, a provider and a DNS server; nodes are agents in separate processes. */
export class ExitNodeScene implements AsyncDisposable {
  readonly provider: SandboxProvider;
  readonly dns: DnsServer;
  readonly rig: SluiceRig;
  readonly sluice: SluiceProcess;
  readonly admin: ConsoleClient;
  /** The environment of its process, for another one beside it. */
  readonly settings: Readonly<Record<string, string>>;
  readonly #agents: RunningAgent[] = [];

  private constructor(parts: Pick<ExitNodeScene, "provider" | "dns" | "rig" | "sluice" | "admin" | "settings">) {
    this.provider = parts.provider;
    this.dns = parts.dns;
    this.rig = parts.rig;
    this.sluice = parts.sluice;
    this.admin = parts.admin;
    this.settings = parts.settings;
  }

  static async open(env: Readonly<Record<string, string>> = {}): Promise<ExitNodeScene> {
    const provider = startSandboxProvider();
    const dns = await DnsServer.start();
    const rig = await SluiceRig.create(provider.url);
    const roles = "relay,gateway,backend";
    const settings = { ...nodeSettings, EXIT_NODE_DNS_SERVERS: dns.address, ROLES: roles, ...env };
    const sluice = await rig.start("one-process", settings);
    const { cookie } = await loginAdmin(rig);
    return new ExitNodeScene({ provider, dns, rig, sluice, settings, admin: consoleClient(sluice.url, cookie) });
  }

  /** An agent of this code, which ends with the scene. */
  async startAgent(nodeCode: string, options: Partial<AgentOptions> = {}): Promise<RunningAgent> {
    const env = { NODE_CODE: nodeCode, ...options.env };
    const agent = await RunningAgent.start({ providerUrl: this.provider.url, ...options, env });
    this.#agents.push(agent);
    return agent;
  }

  async save(input: Readonly<Record<string, unknown>>): Promise<NodeEntry> {
    return nodeIn(await this.admin.post("/backend/admin/exit-node/save/", input));
  }

  async check(nodeCode: string): Promise<NodeEntry> {
    return nodeIn(await this.admin.post("/backend/admin/exit-node/health/", { node_code: nodeCode }));
  }

  async read(nodeCode: string): Promise<NodeEntry> {
    return nodeIn(await this.admin.get("/backend/admin/exit-node/detail/", { node_code: nodeCode }));
  }

  /** A node at the agent's address, by that address; its name resolves there, and it has proved to be healthy. */
  async addNode(
    nodeCode: string,
    agent: RunningAgent,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<NodeEntry> {
    const host = `${nodeCode}.example.org`;
    this.dns.set(host, { a: ["127.0.0.1"] });
    const place = { host, ip: "127.0.0.1", relay_url: agent.url, relay_key: relayKey };
    await this.save({ node_code: nodeCode, name: `Node ${nodeCode}`, ...place, ...more });
    return await this.check(nodeCode);
  }

  /** A user whose calls are those of the group of nodes, and a route for them. */
  async addRoutedUser(routeCode: string, more: Readonly<Record<string, unknown>> = {}): Promise<TestUser> {
    const user = await this.rig.addUser();
    await this.rig.db.sql`
      update gateway_user set group_name = 'node-test' where id = ${user.gatewayUserId}::bigint`;
    const route = { route_code: routeCode, gateway_user_id: Number(user.gatewayUserId), provider: "openai" };
    const answer = await this.admin.post("/backend/admin/exit-node/route/save/", {
      ...route,
      model_pattern: "gpt-4o*",
      ...more,
    });
    if (answer.status !== 200) {
      throw new Error(`the route was not saved: ${JSON.stringify(answer.body)}`);
    }
    return user;
  }

  chat(user: TestUser, more: object = {}): Promise<Response> {
    return fetch(`${this.sluice.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }], ...more }),
    });
  }

  /** Calls until one succeeds: what an admin saves reaches the memory of the gateway a moment later. */
  async chatOnceServed(user: TestUser): Promise<Response> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const answer = await this.chat(user);
      if (answer.status === 200) {
        return answer;
      }
      if (performance.now() > deadline) {
        throw new Error(`not served: ${answer.status} ${await answer.text()}`);
      }
      await answer.body?.cancel();
      await Bun.sleep(20);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig.close();
    for (const agent of this.#agents) {
      await agent[Symbol.asyncDispose]();
    }
    await this.provider.stop();
    await this.dns[Symbol.asyncDispose]();
  }
}

function nodeIn(answer: { readonly status: number; readonly body: Record<string, unknown> }): NodeEntry {
  if (answer.status !== 200) {
    throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  }
  return answer.body["node"] as NodeEntry;
}

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot, type StartedProgram, startProgram } from "../service/start-process.ts";
import { patienceMs } from "../values/patience.ts";

/** The secrets of the agents under test. None of them may come back in a response or a log. */
export const relayKey = "rk-4f9d2c71b8e64a05a3d91c7e60f2b845";
export const nextRelayKey = "rk-a81e07d35c2f49b6b04e8d61f97c3a20";
export const providerKey = "pk_canary_77aa31f0e5c94d1d8b62";
export const refreshToken = "rt_canary_0c5be1f2a9d84730";

const agentMain = join(repositoryRoot, "node-agent/src/main.ts");

export type AgentFiles = {
  readonly relayKeys?: string;
  readonly relayKeysMode?: number;
  /** The text of the accounts file, or the origin of the one provider. */
  readonly accounts?: string;
  readonly accountsMode?: number;
};

export type AgentOptions = AgentFiles & {
  /** Such as `http://127.0.0.1:4000`. */
  readonly providerUrl: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly words?: readonly string[];
};

/** The accounts file of a node with one key, and a slot that is kept for later. */
export function accountsOf(providerUrl: string, apiKey: string = providerKey): string {
  return JSON.stringify({
    accounts: [
      { accountCode: "main", provider: "model", authType: "api_key", apiKey, baseUrl: `${providerUrl}/v1` },
      { accountCode: "slot", provider: "identity", authType: "oauth_refresh_token", refreshToken },
    ],
  });
}

/** An agent in a separate process, with its files in a folder that is removed with it. */
export class RunningAgent implements AsyncDisposable {
  readonly folder: string;
  readonly program: StartedProgram;
  #url = "";

  private constructor(folder: string, program: StartedProgram) {
    this.folder = folder;
    this.program = program;
  }

  /** Starts an agent without waiting for it, for those that should fail to start. */
  static launch(options: AgentOptions): RunningAgent {
    const folder = mkdtempSync(join(tmpdir(), "node-agent-"));
    writeAgentFiles(folder, { accounts: accountsOf(options.providerUrl), ...options });
    const program = startProgram({
      command: options.command ?? [process.execPath, agentMain],
      words: options.words ?? [],
      cwd: folder,
      env: {
        NODE_CODE: "node-a1",
        PORT: "0",
        ALLOWED_PROVIDER_HOSTS: new URL(options.providerUrl).host,
        PRIVATE_UPSTREAM_ALLOWED: "true",
        RELAY_KEYS_FILE: join(folder, "relay-keys"),
        PROVIDER_ACCOUNTS_FILE: join(folder, "provider-accounts"),
        ...options.env,
      },
    });
    return new RunningAgent(folder, program);
  }

  /** Starts an agent and waits until it listens. */
  static async start(options: AgentOptions): Promise<RunningAgent> {
    const agent = RunningAgent.launch(options);
    const output = await agent.program.waitFor("agent.listening");
    const scheme = output.includes('"hasTls":true') ? "https" : "http";
    agent.#url = `${scheme}://127.0.0.1:${/"port":(\d+)/.exec(output)?.[1]}`;
    return agent;
  }

  get url(): string {
    return this.#url;
  }

  get port(): number {
    return Number(new URL(this.#url).port);
  }

  /** Rewrites files and makes the agent reload them. Resolves when it has reported the result. */
  async reload(
    files: AgentFiles,
    expected: "agent.reloaded" | "agent.reload_failed" = "agent.reloaded",
  ): Promise<void> {
    const before = countOf(this.program.output(), expected);
    writeAgentFiles(this.folder, files);
    this.program.signal("SIGHUP");
    // The same event may have come before, so that waiting for its name is not enough.
    const deadline = performance.now() + patienceMs;
    while (countOf(this.program.output(), expected) <= before) {
      if (performance.now() > deadline) {
        throw new Error(`${expected} did not come:\n${this.program.output()}`);
      }
      await Bun.sleep(5);
    }
  }

  call(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${relayKey}`, ...(init.headers as Record<string, string> | undefined) };
    return fetch(`${this.#url}${path}`, { redirect: "manual", ...init, headers });
  }

  chat(body: Readonly<Record<string, unknown>> = {}, headers: Record<string, string> = {}): Promise<Response> {
    const whole = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }], ...body };
    return this.call("/v1/chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(whole),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.program.signal("SIGKILL");
    await this.program.exited;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function writeAgentFiles(folder: string, files: AgentFiles): void {
  const write = (name: string, text: string | undefined, mode = 0o600) => {
    if (text !== undefined) {
      writeFileSync(join(folder, name), text);
      chmodSync(join(folder, name), mode);
    }
  };
  write("relay-keys", files.relayKeys ?? `# made by the tests\n${relayKey}\n`, files.relayKeysMode);
  write("provider-accounts", files.accounts, files.accountsMode);
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

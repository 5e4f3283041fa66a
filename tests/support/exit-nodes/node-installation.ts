import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import { repositoryRoot, startProgram } from "../service/start-process.ts";
import { accountsOf, relayKey } from "./node-agent.ts";

/** A variable that the runtime reads, with small letters in its name. */
export const runtimeSetting = "BUN_JSC_forceRAMSize=300000000";

const scripts = join(repositoryRoot, "deploy/node");

export type ScriptResult = { readonly exitCode: number; readonly output: string };
export type ScriptOptions = { readonly path?: string };

export type AgentBuilds = {
  /** The binary, as shipped. */
  readonly binary: string;
  readonly sha256: string;
  /** Folders as the build makes them, for every processor: this version of the agent, and the next one. */
  readonly older: string;
  readonly newer: string;
  readonly newerVersion: string;
};

/**
 * Builds the agent. Most installations use scripts that run its source, because a binary of a hundred megabytes takes
 * half a second to copy and hash each time.
 */
export async function buildAgents(folder: string): Promise<AgentBuilds> {
  const agent = join(repositoryRoot, "node-agent");
  const out = join(folder, "built");
  const command = [process.execPath, join(agent, "build.ts"), "native", "--out", out];
  const program = startProgram({ command, env: {} });
  if ((await program.exited) !== 0) {
    throw new Error(program.output());
  }
  const [sha256 = "", name = ""] = readFileSync(join(out, "SHA256SUMS"), "utf8").trim().split("  ");
  const next = join(folder, "node-agent");
  cpSync(agent, next, { recursive: true, filter: (path) => !/node-agent\/(node_modules|dist)/.test(path) });
  symlinkSync(join(agent, "node_modules"), join(next, "node_modules"));
  const manifest = join(next, "package.json");
  const newerVersion = "99.0.1";
  const text = readFileSync(manifest, "utf8").replace(/"version": "[^"]+"/, `"version": "${newerVersion}"`);
  writeFileSync(manifest, text);
  return {
    binary: join(out, name),
    sha256,
    older: writeRunner(join(folder, "older"), agent),
    newer: writeRunner(join(folder, "newer"), next),
    newerVersion,
  };
}

function writeRunner(folder: string, agent: string): string {
  mkdirSync(folder);
  const text = `#!/bin/sh\nexec '${process.execPath}' '${join(agent, "src/main.ts")}' "$@"\n`;
  const sum = new Bun.CryptoHasher("sha256").update(text).digest("hex");
  const names = ["linux-x64", "linux-x64-baseline", "linux-arm64"].map((target) => `sluice-node-agent-${target}`);
  for (const name of names) {
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
  writeFileSync(join(folder, "SHA256SUMS"), names.map((name) => `${sum}  ${name}\n`).join(""));
  return folder;
}

/** A folder into which the scripts of `deploy/node` install, with the input that they need beside it. */
export class NodeInstallation implements AsyncDisposable {
  readonly folder: string;
  readonly root: string;
  readonly port: number;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.root = join(folder, "root");
    this.port = port;
  }

  static async create(providerUrl: string, suffix = ""): Promise<NodeInstallation> {
    const folder = mkdtempSync(join(tmpdir(), `sluice-install-${suffix}`));
    const installation = new NodeInstallation(folder, await findFreePort());
    mkdirSync(installation.root);
    installation.write("relay-keys", `# of the tests\n${relayKey}\n`);
    installation.write("accounts", accountsOf(providerUrl));
    installation.writeEnv(installation.port, new URL(providerUrl).host);
    return installation;
  }

  writeEnv(port: number, providerHost: string): void {
    const lines = ["# settings", "NODE_CODE=node-a1", `PORT="${port}"`, `ALLOWED_PROVIDER_HOSTS=${providerHost}`];
    this.write("env", [...lines, "PRIVATE_UPSTREAM_ALLOWED=true", "DRAIN_NOTICE_MS=0", runtimeSetting, ""].join("\n"));
  }

  write(name: string, text: string, mode = 0o600): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  /** The arguments of a first installation. */
  get input(): string[] {
    const file = (name: string) => join(this.folder, name);
    return ["--env", file("env"), "--relay-keys", file("relay-keys"), "--accounts", file("accounts")];
  }

  /** Runs one of the scripts on this folder to its end. */
  async run(script: string, words: readonly string[], options: ScriptOptions = {}): Promise<ScriptResult> {
    return await this.runExactly(script, [...words, "--root", this.root], options);
  }

  /** The same, with exactly these arguments. */
  async runExactly(script: string, words: readonly string[], { path = "" }: ScriptOptions = {}): Promise<ScriptResult> {
    const program = startProgram({
      command: ["bash", join(scripts, script)],
      words,
      cwd: this.folder,
      env: path === "" ? {} : { PATH: `${path}:${process.env["PATH"] ?? ""}` },
    });
    return { exitCode: await program.exited, output: program.output() };
  }

  /** The response of `/health` to the holder of a relay key; null when nobody responds. */
  async health(key = relayKey): Promise<{ readonly status: number; readonly version: string | null } | null> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.port}/health`, { headers: { "x-svc-relay-key": key } });
      const { version = null } = (await answer.json()) as { version?: string };
      return { status: answer.status, version };
    } catch {
      return null;
    }
  }

  /** Every file and folder, with the contents of the files. */
  tree(): Record<string, string> {
    const paths = readdirSync(this.root, { recursive: true, withFileTypes: true });
    return Object.fromEntries(
      paths.map((entry) => {
        const path = join(entry.parentPath, entry.name);
        const isText = entry.isFile() && !entry.name.endsWith("agent") && !entry.name.endsWith(".log");
        return [path.slice(this.root.length), isText ? readFileSync(path, "utf8") : ""];
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run("uninstall.sh", []);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

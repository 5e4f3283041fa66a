import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import type { Arm, Site } from "../arm.ts";
import { startOnArmCore } from "../child-process.ts";
import { profileOptions } from "./sluice.ts";
import { withoutBooks } from "./without-books.ts";

const root = join(import.meta.dir, "../../../..");
const relayKey = "rk-bench-4f9d2c71b8e64a05a3d91c7e60f2b845";

/** The agent of an exit node as shipped: the compiled binary, with everything enabled except the log line per call. */
export const nodeArm: Arm = {
  name: "node",
  title: "node agent",
  converts: false,
  async prepare(site) {
    const build = Bun.spawnSync(
      [process.execPath, join(root, "node-agent/build.ts"), "native", "--out", join(site.folder, "agent")],
      { stdout: "ignore", stderr: "pipe" },
    );
    return build.exitCode === 0 ? null : `it can't be built: ${build.stderr.toString().trim()}`;
  },
  async start(site) {
    const port = await findFreePort();
    const server = await startOnArmCore({
      name: "the node agent",
      command: commandOf(site),
      port,
      cwd: site.folder,
      env: nodeAgentEnvironment(site, port),
      logFile: join(site.folder, "agent.log"),
    });
    return withoutBooks(server, port, relayKey);
  },
};

/** A profile needs function names, which the binary does not have. */
function commandOf(site: Site): string[] {
  return site.profileFolder === null
    ? [nodeAgentBinary(site)]
    : [process.execPath, ...profileOptions(site), join(root, "node-agent/src/main.ts")];
}

export function nodeAgentBinary(site: Pick<Site, "folder">): string {
  return join(site.folder, "agent", `sluice-node-agent-linux-${process.arch === "arm64" ? "arm64" : "x64"}`);
}

/** The settings of an agent whose files are written into the folder of the run. */
export function nodeAgentEnvironment({ folder, providerPort }: Pick<Site, "folder" | "providerPort">, port: number) {
  mkdirSync(folder, { recursive: true });
  const [relayKeysFile, accountsFile] = [join(folder, "relay-keys"), join(folder, "provider-accounts")];
  const account = { accountCode: "main", provider: "bench", authType: "api_key", apiKey: "sk-bench-provider" };
  const accounts = [{ ...account, baseUrl: `http://127.0.0.1:${providerPort}/v1` }];
  writeFileSync(relayKeysFile, `${relayKey}\n`, { mode: 0o600 });
  writeFileSync(accountsFile, JSON.stringify({ accounts }), { mode: 0o600 });
  return {
    NODE_CODE: "bench",
    PORT: String(port),
    ALLOWED_PROVIDER_HOSTS: `127.0.0.1:${providerPort}`,
    PRIVATE_UPSTREAM_ALLOWED: "true",
    RELAY_KEYS_FILE: relayKeysFile,
    PROVIDER_ACCOUNTS_FILE: accountsFile,
    CALLS_MAX: "8192",
    LOG_LEVEL: "warn",
  };
}

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { cpuMsOfTree } from "../bench/relay/process-cost.ts";
import { RunningAgent } from "../support/exit-nodes/node-agent.ts";
import { testUnless, unlessLinux } from "../support/service/obstacles.ts";
import { repositoryRoot, startProgram } from "../support/service/start-process.ts";

let folder: string;
let built: string;
let binary: string;
let provider: SandboxProvider;

beforeAll(async () => {
  provider = startSandboxProvider();
  folder = mkdtempSync(join(tmpdir(), "node-agent-build-"));
  // A folder is relative to where the build was called.
  const words = ["native", "--out", basename(folder)];
  const command = [process.execPath, join(repositoryRoot, "node-agent/build.ts"), ...words];
  const build = startProgram({ command, cwd: dirname(folder), env: {} });
  await build.exited;
  built = build.output();
  binary = join(folder, readdirSync(folder).find((name) => name.startsWith("sluice-node-agent")) ?? "missing");
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await provider.stop();
});

describe("the binary", () => {
  test("is built with its progress on the screen and its checksum in a file", () => {
    const sum = new Bun.CryptoHasher("sha256").update(readFileSync(binary)).digest("hex");
    expect(built).toContain("[1/1] sluice-node-agent-linux-");
    expect(built).toContain("1 of 1 built");
    expect(readFileSync(join(folder, "SHA256SUMS"), "utf8")).toBe(`${sum}  ${binary.slice(folder.length + 1)}\n`);
    expect(statSync(binary).mode & 0o111).toBe(0o111);
  });

  test("is made of the agent, the protocol, the HTTP client, the rule of addresses, the error codes, the operations and one package", () => {
    const contents = readFileSync(join(folder, "CONTENTS"), "utf8").trim().split("\n");
    const allowed = [
      /^node-agent\/(src\/[\w/-]+\.ts|package\.json)$/,
      /^packages\/exit-protocol\/src\/(headers|relay-key|challenge)\.ts$/,
      /^packages\/http-client\/src\/[\w-]+\.ts$/,
      /^packages\/server-addresses\/src\/[\w-]+\.ts$/,
      /^packages\/contracts\/src\/(?:errors|operations)\.ts$/,
      /^node_modules\/\.bun\/ipaddr\.js@[\d.]+\/node_modules\/ipaddr\.js\/lib\/ipaddr\.js$/,
    ];
    expect(contents.filter((path) => !allowed.some((pattern) => pattern.test(path)))).toEqual([]);
    expect(contents).toContain("node-agent/src/main.ts");
    expect(contents).toContain("packages/exit-protocol/src/relay-key.ts");
  });

  test("reports its version, which is that of the workspace", async () => {
    const { version } = JSON.parse(readFileSync(join(repositoryRoot, "node-agent/package.json"), "utf8")) as {
      version: string;
    };
    const program = startProgram({ command: [binary, "--version"], env: {} });
    expect([await program.exited, program.output()]).toEqual([0, `sluice-node-agent ${version}\n`]);
  });

  test("starts, responds, and reads no settings from its folder", async () => {
    await using agent = await RunningAgent.start({ providerUrl: provider.url, command: [binary] });
    const answer = await agent.chat();
    expect(await answer.text()).toContain("chat.completion");
    expect(answer.headers.get("x-svc-exit-node")).toBe("node-a1");
    writeFileSync(join(agent.folder, ".env"), "NODE_CODE=from-a-file\n");
    const env = { ALLOWED_PROVIDER_HOSTS: "provider.example" };
    const program = startProgram({ command: [binary, "--check-config"], cwd: agent.folder, env });
    expect(await program.exited).toBe(1);
    expect(program.output()).toContain("NODE_CODE is not set");
  });

  const memorySettingsOf = ({ program }: RunningAgent) =>
    readFileSync(`/proc/${program.pid}/environ`, "utf8")
      .split("\0")
      .filter((word) => /^(BUN_JSC|MIMALLOC)_/.test(word) && !isInherited(word))
      .sort();
  const isInherited = (word: string): boolean => process.env[word.split("=")[0] ?? ""] !== undefined;

  test("keeps its memory small on its own, as the process that was started, however it is started", async () => {
    await using agent = await RunningAgent.start({ providerUrl: provider.url, command: [binary] });
    expect(memorySettingsOf(agent)).toEqual([
      "BUN_JSC_forceRAMSize=268435456",
      "BUN_JSC_largeHeapSize=4194304",
      "BUN_JSC_smallHeapGrowthFactor=1.5",
      "MIMALLOC_PURGE_HOLES_MIN_INTERVAL=10000",
    ]);
    expect((await agent.chat()).status).toBe(200);
  });

  test("leaves the collector's settings alone if an operator has set them", async () => {
    const env = { BUN_JSC_forceRAMSize: "0" };
    await using agent = await RunningAgent.start({ providerUrl: provider.url, command: [binary], env });
    expect(memorySettingsOf(agent)).toEqual(["BUN_JSC_forceRAMSize=0"]);
  });

  testUnless(unlessLinux, "is ready soon after it was started", async () => {
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await using agent = await RunningAgent.start({ providerUrl: provider.url, command: [binary] });
      expect((await fetch(`${agent.url}/health`)).status).toBe(200);
      // Of the processor, because a busy machine lets it wait.
      times.push(cpuMsOfTree(agent.program.pid));
    }
    // The limit on a quiet machine is 150 ms; the best of three, twice over, leaves room for a busy one.
    expect(Math.min(...times)).toBeLessThan(300);
  });
});

test("an invalid target is refused", async () => {
  const command = [process.execPath, join(repositoryRoot, "node-agent/build.ts"), "windows-x64", "--out", folder];
  const build = startProgram({ command, env: {} });
  expect(await build.exited).toBe(2);
});

/**
 * `bun run bench node`: the node agent compared with nginx as a plain proxy, by the method of `bench relay`; and its
 * start.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeAgentBinary, nodeAgentEnvironment, nodeArm } from "../relay/arms/node.ts";
import { median } from "../relay/load/samples.ts";
import { runRelayBench } from "../relay/run.ts";

const startsCount = 15;
const defaults = ["--arms", "direct,nginx,node", "--scenarios", "json-1,json-64,json-256,stream-200,stream-500"];

/** Runs the bench and returns the exit code; options of `bench relay` may follow and win over the defaults. */
export async function runNodeBench(args: string[]): Promise<number> {
  const code = await runRelayBench([...defaults, ...args]);
  if (code === 0 && !args.includes("--help")) {
    await reportStarts();
  }
  return code;
}

/** From starting the process until it reports that it listens. */
async function reportStarts(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  const site = { folder, providerPort: 1, profileFolder: null, against: null, binaries: {} };
  try {
    const reason = await nodeArm.prepare(site);
    if (reason !== null) {
      throw new Error(reason);
    }
    const times: number[] = [];
    for (let round = 0; round < startsCount; round += 1) {
      times.push(await startOnce(nodeAgentBinary(site), { ...nodeAgentEnvironment(site, 0), LOG_LEVEL: "info" }));
    }
    const [fastest, slowest] = [Math.min(...times), Math.max(...times)];
    console.log(
      `\nStart to ready: ${median(times).toFixed(0)} ms (${fastest.toFixed(0)}-${slowest.toFixed(0)}) of ${startsCount}.`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startOnce(binary: string, env: Record<string, string>): Promise<number> {
  const startedMs = performance.now();
  const child = Bun.spawn([binary], { env, stdio: ["ignore", "ignore", "pipe"] });
  const reader = child.stderr.getReader();
  let output = "";
  while (!output.includes("agent.listening")) {
    const part = await reader.read();
    if (part.done) {
      throw new Error(`the agent did not start: ${output}`);
    }
    output += new TextDecoder().decode(part.value);
  }
  const elapsedMs = performance.now() - startedMs;
  child.kill("SIGKILL");
  await child.exited;
  return elapsedMs;
}

/** Servers that the bench starts: pinned to a core, awaited until they respond, reliably stopped. */
import { closeSync, openSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { ARM_CORE } from "./cores.ts";

const START_MS_MAX = 60_000;
const STOP_MS_MAX = 10_000;

export type ServerCommand = {
  readonly name: string;
  readonly command: readonly string[];
  readonly port: number;
  readonly cwd: string;
  /** Where its output goes: a file costs the core of the load less than a pipe that the bench would have to read. */
  readonly logFile: string;
  readonly env?: Record<string, string>;
};

export type RunningServer = {
  readonly pid: number;
  /** Asks with SIGTERM, waits, kills what is left. */
  stop(): Promise<void>;
};

const running = new Set<Bun.Subprocess>();
process.once("exit", () => {
  for (const child of running) {
    child.kill("SIGKILL");
  }
});

/** Starts the server on the core of the arm. @throws Error with its last output when it ends before it listens */
export async function startOnArmCore(server: ServerCommand): Promise<RunningServer> {
  const log = openSync(server.logFile, "a");
  const child = Bun.spawn(["taskset", "-c", String(ARM_CORE), ...server.command], {
    cwd: server.cwd,
    env: { ...process.env, ...server.env },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  running.add(child);
  const deadline = Date.now() + START_MS_MAX;
  while (!(await isListening(server.port))) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      await stop(child);
      const lastWords = readFileSync(server.logFile, "utf8").trim().slice(-2000);
      throw new Error(`${server.name} did not start to listen on port ${server.port}:\n${lastWords}`);
    }
    await Bun.sleep(50);
  }
  return { pid: child.pid, stop: () => stop(child) };
}

async function stop(child: Bun.Subprocess): Promise<void> {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
  await child.exited;
  clearTimeout(timer);
  running.delete(child);
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

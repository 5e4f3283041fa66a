import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { briefVariables } from "../../runner/brief-processes.ts";
import { markName } from "../../runner/process-group.ts";

export const repositoryRoot = join(import.meta.dir, "../../..");

export type StartOptions = {
  /** Default: the start program with stubs for what it starts. */
  readonly command?: readonly string[];
  /** More arguments. */
  readonly words?: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
};

export type StartedProgram = {
  readonly pid: number;
  readonly exited: Promise<number>;
  /** What came on stdout and stderr so far. */
  output(): string;
  /** Resolves with the whole output as soon as it contains the text or matches. Rejects when the program ends before. */
  waitFor(text: string | RegExp): Promise<string>;
  signal(name: NodeJS.Signals): void;
};

const stubs = [process.execPath, join(import.meta.dir, "start-stubs/supervise.ts")];

/** Starts the start program (or another one) with an environment that holds nothing of the product but what is given. */
export function startProgram(options: StartOptions): StartedProgram {
  const { PATH = "", HOME = "/tmp", [markName]: mark } = process.env;
  const child = Bun.spawn([...(options.command ?? stubs), ...(options.words ?? [])], {
    cwd: options.cwd ?? repositoryRoot,
    env: { PATH, HOME, ...briefVariables(), ...(mark === undefined ? {} : { [markName]: mark }), ...options.env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let output = "";
  let notify = Promise.withResolvers<void>();
  const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      output += decoder.decode(chunk, { stream: true });
      notify.resolve();
    }
  };
  const ended = Promise.all([read(child.stdout), read(child.stderr)]).then(() => child.exited);
  const waitFor = async (text: string | RegExp): Promise<string> => {
    while (!(typeof text === "string" ? output.includes(text) : text.test(output))) {
      notify = Promise.withResolvers<void>();
      const exitCode = await Promise.race([notify.promise, ended]);
      if (typeof exitCode === "number" && !(typeof text === "string" ? output.includes(text) : text.test(output))) {
        throw new Error(`ended with ${exitCode} before ${text} appeared:\n${output}`);
      }
    }
    return output;
  };
  return {
    pid: child.pid,
    exited: ended,
    output: () => output,
    waitFor,
    signal: (name) => child.kill(name),
  };
}

/** The commands of all living processes that have the text in their command line or environment. */
export function findProcesses(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const command = readProcessFile(pid, "cmdline");
      const isMatch = command.includes(text) || readProcessFile(pid, "environ").includes(text);
      return isMatch && command !== "" ? [`${pid} ${command.replaceAll("\0", " ").trim()}`] : [];
    });
}

/** Waits until no process mentions the text any more; returns those that are left when the time is over. */
export async function waitUntilGone(text: string, waitMsMax: number): Promise<string[]> {
  const deadline = performance.now() + waitMsMax;
  let left = findProcesses(text);
  while (left.length > 0 && performance.now() < deadline) {
    await Bun.sleep(20);
    left = findProcesses(text);
  }
  return left;
}

/** Empty for a process that is gone, is not ours to read, or has ended and was not waited for. */
function readProcessFile(pid: string, name: "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

import { basename } from "node:path";
import { readLines } from "./kept-process.ts";
import type { Report } from "./progress.ts";
import { StartError } from "./start-error.ts";

export type CommandOptions = {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly remark: Report;
  readonly signal: AbortSignal;
};

/**
 * Runs a command of the control plane to its end. It reports progress in lines on stderr and its result as one line of
 * JSON, the last one, on stdout.
 * @throws StartError with the reason that the command gave
 */
export async function runControlPlaneCommand(options: CommandOptions): Promise<Record<string, unknown>> {
  const [file = ""] = options.command;
  const child = Bun.spawn([process.execPath, ...options.command], {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    signal: options.signal,
    killSignal: "SIGTERM",
  });
  const remarks: string[] = [];
  const progress = readLines(child.stderr, (line) => {
    const text = line.replace(/^\w+: /, "").trim();
    if (text !== "") {
      remarks.push(text);
      options.remark(text);
    }
  });
  const stdout = await child.stdout.text();
  const [exitCode] = await Promise.all([child.exited, progress]);
  options.signal.throwIfAborted();
  const result = parseObject(stdout.trim().split("\n").at(-1) ?? "");
  if (exitCode !== 0 || result === null) {
    const { error } = result ?? {};
    const reason = typeof error === "string" ? error : (remarks.at(-1) ?? `exit code ${exitCode}`);
    throw new StartError(`${basename(file)} failed: ${reason}`);
  }
  return result;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

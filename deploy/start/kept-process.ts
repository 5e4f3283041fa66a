import { join } from "node:path";
import { formatDuration, say } from "./progress.ts";

export type KeptProcessOptions = {
  /** The name of the program in messages. */
  readonly name: string;
  /** The command without the path of Bun. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** How long it may take to shut down before it is killed. */
  readonly drainMsMax: number;
  /** Called for every line of stdout; without it, stdout goes to our own. */
  readonly onLine?: (line: string) => void;
};

const firstPauseMs = 250;
const longestPauseMs = 30_000;
/** If the program has run for this long, its next exit counts as the first one again. */
const healthyMs = 60_000;

/** The one-file build imports it in the command itself. */
const preload = Bun.isStandaloneExecutable ? [] : ["--preload", join(import.meta.dir, "exit-with-parent.ts")];

/**
 * A program to keep running: after `keep()` it is restarted when it ends unexpectedly, with delays that double up to
 * half a minute. The program gets a separate session, so that Ctrl-C in the terminal reaches only the supervisor, which
 * then stops everything in order.
 */
export class KeptProcess {
  readonly #options: KeptProcessOptions;
  #child: Bun.Subprocess<"pipe"> | null = null;
  #timer: Timer | null = null;
  #isWanted = false;
  #isKept = false;
  #endings = 0;
  #firstEnding = Promise.withResolvers<string>();

  constructor(options: KeptProcessOptions) {
    this.#options = options;
  }

  /** Resolves with the reason when the program ends unexpectedly for the first time. */
  get firstEnding(): Promise<string> {
    return this.#firstEnding.promise;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  start(): void {
    this.#isWanted = true;
    this.#spawn();
  }

  /**
   * From now on, the program is restarted when it ends. Before this call, an end only shows in `firstEnding`: a program
   * that can't start is not retried.
   */
  keep(): void {
    this.#isKept = true;
    if (this.#isWanted && this.#child === null) {
      this.#spawn();
    }
  }

  /** Sends SIGTERM, and SIGKILL when the time is over. Resolves when the program is gone. */
  async stop(): Promise<void> {
    this.#isWanted = false;
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
    await this.#endChild();
  }

  /** Shuts the program down and restarts it immediately. */
  async replace(): Promise<void> {
    await this.stop();
    this.start();
  }

  kill(): void {
    this.#isWanted = false;
    this.#child?.kill("SIGKILL");
  }

  #spawn(): void {
    const { command, env, cwd, onLine } = this.#options;
    const startedAt = performance.now();
    const child = Bun.spawn([process.execPath, ...preload, ...command], {
      cwd,
      env,
      detached: true,
      stdin: "pipe",
      stdout: onLine ? "pipe" : "inherit",
      stderr: "inherit",
    });
    this.#child = child;
    if (onLine && child.stdout instanceof ReadableStream) {
      void readLines(child.stdout, onLine);
    }
    void child.exited.then((exitCode) => {
      if (this.#child === child) {
        this.#child = null;
      }
      if (this.#isWanted) {
        const reason = child.signalCode === null ? `exit code ${exitCode}` : String(child.signalCode);
        this.#startAgain(reason, performance.now() - startedAt);
      }
    });
  }

  #startAgain(reason: string, lifetimeMs: number): void {
    this.#firstEnding.resolve(reason);
    if (!this.#isKept) {
      return;
    }
    this.#endings = lifetimeMs > healthyMs ? 1 : this.#endings + 1;
    const pauseMs = Math.min(firstPauseMs * 2 ** (this.#endings - 1), longestPauseMs);
    say(this.#options.name, `exited unexpectedly (${reason}); restarting it in ${formatDuration(pauseMs)}`);
    this.#timer = setTimeout(() => this.#spawn(), pauseMs);
  }

  async #endChild(): Promise<void> {
    const child = this.#child;
    if (child === null) {
      return;
    }
    child.kill("SIGTERM");
    const timer = setTimeout(() => {
      say(this.#options.name, `did not stop within ${formatDuration(this.#options.drainMsMax)}; killing it`);
      child.kill("SIGKILL");
    }, this.#options.drainMsMax);
    await child.exited;
    clearTimeout(timer);
  }
}

/** Calls back for every complete line of a stream, and for the rest at its end. */
export async function readLines(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(onLine);
  }
  if (rest !== "") {
    onLine(rest);
  }
}

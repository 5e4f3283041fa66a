import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { runControlPlaneCommand } from "./control-plane-command.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";
import { forgetFirstKey, keepFirstKey, readFirstKey } from "./first-key.ts";
import { KeptProcess } from "./kept-process.ts";
import { claimPort } from "./port.ts";
import { formatDuration, runStep, say } from "./progress.ts";
import { causeText, type Diagnosis, examineQuickly, startLines } from "./quick-doctor.ts";
import { watchSources } from "./reload.ts";
import { runtimeEnvironment } from "./runtime-environment.ts";
import type { StartSettings } from "./settings.ts";
import { StartError } from "./start-error.ts";
import { productionText, readFirstUser, readState, welcomeText } from "./welcome.ts";

const readyMsMax = 60_000;
const readyPollMs = 20;
/** A worker ends by itself when its time is over; it is killed only if it does not. */
const drainMarginMs = 10_000;
const reloadDrainMsMax = 3_000;
const sandboxDrainMsMax = 5_000;
/** A database URL for the check of the settings, while the embedded database does not run yet. */
const urlBeforeStart = "postgres://127.0.0.1/database";
const postgresRestartPauseMs = 1_000;
const postgresRestartsMax = 60;

/** Starts everything in order, keeps it running, and stops it in reverse order. */
export class Supervisor {
  readonly #settings: StartSettings;
  /** Aborted as soon as the program is asked to stop. */
  readonly #stopping = new AbortController();
  #postgres: EmbeddedPostgres | null = null;
  #sandbox: KeptProcess | null = null;
  #workers: KeptProcess[] = [];
  #stopWatching: () => void = () => undefined;
  #started: Promise<void> = Promise.resolve();
  #postgresRecovery: Promise<void> = Promise.resolve();
  /** The environment of the programs, once there is a database; null before. */
  #environment: Record<string, string | undefined> | null = null;
  #diagnosis: Promise<Diagnosis | string> | null = null;

  constructor(settings: StartSettings) {
    this.#settings = settings;
  }

  /**
   * Resolves when the service responds.
   * @throws StartError with a sentence for the person who started it; everything started until then still has to be
   * stopped
   */
  start(): Promise<void> {
    this.#started = this.#startAll();
    return this.#started;
  }

  /** What may have kept the service from starting, as a text for people; empty before there is a database. */
  async explainFailure(): Promise<string> {
    return this.#environment === null ? "" : causeText(await this.#examine(this.#environment));
  }

  /** Drains the workers, then stops what they need. Safe to call in the middle of the start. */
  async stop(): Promise<void> {
    const startedAt = performance.now();
    this.#stopping.abort();
    this.#stopWatching();
    // A running step ends first, so that nothing is started unnoticed.
    await this.#started.catch(() => undefined);
    if (this.#workers.length > 0) {
      say("service", "stopping; calls in progress may finish");
    }
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    await this.#sandbox?.stop();
    await this.#postgresRecovery;
    await this.#postgres?.stop();
    if (this.#postgres !== null || this.#workers.length > 0) {
      say("stopped", `in ${formatDuration(performance.now() - startedAt)}`);
    }
  }

  /** Ends everything immediately. Postgres recovers at the next start. */
  async kill(): Promise<void> {
    this.#stopping.abort();
    for (const child of [...this.#workers, this.#sandbox]) {
      child?.kill();
    }
    await this.#postgres?.stopImmediate();
  }

  async #startAll(): Promise<void> {
    const startedAt = performance.now();
    const { settings, signal } = { settings: this.#settings, signal: this.#stopping.signal };
    const port = await claimPort(settings.host, settings.port);
    await this.#checkSettings();
    signal.throwIfAborted();
    if (settings.isOpenDevelopment) {
      say("warning", `${settings.host} is open to other machines, and development has no safeguards`);
    }
    if (settings.databaseUrl !== null) {
      await makeDataDirectory(settings.dataDirectory);
    }
    const databaseUrl = settings.databaseUrl ?? (await this.#startPostgres());
    const environment = this.#childEnvironment(databaseUrl);
    this.#environment = environment;
    signal.throwIfAborted();
    if (settings.programs.web !== null) {
      await this.#runCommand("pages", settings.programs.web, environment);
    }
    signal.throwIfAborted();
    await this.#runCommand("migrations", settings.programs.migrate, environment);
    const sandboxUrl = settings.hasSandbox ? await this.#startSandbox(environment) : null;
    const serviceEnvironment = {
      ...environment,
      PORT: String(port),
      ...(sandboxUrl === null ? {} : { SANDBOX_URL: sandboxUrl }),
    };
    signal.throwIfAborted();
    const seeded = await this.#runCommand("seed", settings.programs.seed, serviceEnvironment);
    const url = `http://${urlHost(settings.host)}:${port}`;
    // Nobody waits for the doctor: it looks while the workers start.
    void this.#examine(environment).then((diagnosis) => {
      if (!signal.aborted) {
        for (const line of startLines(diagnosis)) {
          say("doctor", line);
        }
      }
    });
    await this.#startWorkers(serviceEnvironment, url);
    if (settings.isReloading) {
      this.#stopWatching = watchSources(settings.root, (file) => this.#reload(file));
    }
    say("ready", `in ${formatDuration(performance.now() - startedAt)}`);
    const firstKey = await this.#firstKey(seeded["apiKey"]);
    process.stdout.write(
      settings.isProduction
        ? productionText({ url, ...readState(seeded), isSandbox: sandboxUrl !== null })
        : welcomeText({ url, apiKey: firstKey, ...readFirstUser(seeded), isSandbox: sandboxUrl !== null }),
    );
  }

  /** Reports settings that the programs can't run with, before anything is created. */
  async #checkSettings(): Promise<void> {
    const { databaseUrl, programs, root } = this.#settings;
    const env = this.#childEnvironment(databaseUrl ?? urlBeforeStart);
    const remark = (line: string): void => say("settings", line);
    await runControlPlaneCommand({ command: programs.check, env, cwd: root, remark, signal: this.#stopping.signal });
  }

  #examine(env: Readonly<Record<string, string | undefined>>): Promise<Diagnosis | string> {
    const { programs, root } = this.#settings;
    const examination = { command: programs.doctor, cwd: root, env, signal: this.#stopping.signal };
    this.#diagnosis ??= examineQuickly(examination).catch((error: unknown) => `can't be made: ${String(error)}`);
    return this.#diagnosis;
  }

  async #startPostgres(): Promise<string> {
    const home = join(this.#settings.dataDirectory, "postgres");
    const isNew = (await stat(home).catch(() => null)) === null;
    return await runStep("database", isNew ? "creating it" : "starting Postgres", async (report) => {
      this.#postgres = await startEmbeddedPostgres({
        home,
        report,
        onUnexpectedExit: (reason) => {
          this.#postgresRecovery = this.#bringPostgresBack(reason);
        },
      });
      const { url, directory } = this.#postgres;
      return { summary: `Postgres on 127.0.0.1:${new URL(url).port}, files in ${directory}`, url };
    }).then(({ url }) => url);
  }

  /** The service survives a database outage, so the restart is retried for a while. */
  async #bringPostgresBack(reason: string): Promise<void> {
    say("database", `Postgres exited unexpectedly (${reason}); restarting it`);
    for (let attempt = 1; attempt <= postgresRestartsMax && !this.#stopping.signal.aborted; attempt += 1) {
      try {
        await this.#postgres?.restart();
        say("database", "Postgres is back");
        return;
      } catch (error) {
        say("database", error instanceof Error ? error.message : String(error));
        await Bun.sleep(postgresRestartPauseMs);
      }
    }
  }

  async #runCommand(
    title: string,
    command: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<Record<string, unknown>> {
    return await runStep(title, "working", async (remark) => {
      const options = { command, env, cwd: this.#settings.root, remark, signal: this.#stopping.signal };
      return { ...(await runControlPlaneCommand(options)), summary: "done" };
    });
  }

  async #startSandbox(env: Readonly<Record<string, string | undefined>>): Promise<string> {
    return await runStep("sandbox", "starting", async () => {
      // A restarted sandbox must come back at the address that the workers already use.
      const port = await claimPort("127.0.0.1", 0);
      const ready = Promise.withResolvers<string>();
      this.#sandbox = new KeptProcess({
        name: "sandbox",
        command: [...this.#settings.programs.sandbox, "--port", String(port)],
        env,
        cwd: this.#settings.root,
        drainMsMax: sandboxDrainMsMax,
        onLine: (line) => {
          const url = readReadyUrl(line);
          if (url !== null) {
            ready.resolve(url);
          }
        },
      });
      this.#sandbox.start();
      const ended = this.#sandbox.firstEnding.then((reason) => {
        throw new StartError(`The sandbox provider did not start (${reason}); its output is above.`);
      });
      const url = await Promise.race([
        ready.promise,
        ended,
        this.#rejectOnStop(),
        rejectAfterTimeout("The sandbox provider"),
      ]);
      this.#sandbox.keep();
      return { summary: `provider on ${url}`, url };
    }).then(({ url }) => url);
  }

  async #startWorkers(env: Readonly<Record<string, string | undefined>>, url: string): Promise<void> {
    const { workers, programs, root, isReloading, drainMsMax } = this.#settings;
    await runStep("service", "starting", async () => {
      this.#workers = Array.from({ length: workers }, (_, index) => {
        const name = workers === 1 ? "service" : `worker ${index}`;
        const childEnv = { ...env, WORKER_INDEX: String(index) };
        return new KeptProcess({
          name,
          command: programs.worker,
          env: childEnv,
          cwd: root,
          drainMsMax: isReloading ? reloadDrainMsMax : drainMsMax + drainMarginMs,
        });
      });
      for (const worker of this.#workers) {
        worker.start();
      }
      const ended = Promise.race(this.#workers.map((worker) => worker.firstEnding)).then((reason) => {
        throw new StartError(`The service exited before it was ready (${reason}); its output is above.`);
      });
      await Promise.race([this.#waitUntilReady(url), ended, rejectAfterTimeout("The service")]);
      for (const worker of this.#workers) {
        worker.keep();
      }
      return { summary: workers === 1 ? "answers" : `answers, ${workers} processes` };
    });
  }

  async #waitUntilReady(url: string): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const response = await fetch(`${url}/readyz`, { signal: this.#stopping.signal }).catch(() => null);
      await response?.body?.cancel();
      if (response?.status === 200) {
        return;
      }
      await Bun.sleep(readyPollMs);
    }
    this.#stopping.signal.throwIfAborted();
  }

  async #rejectOnStop(): Promise<never> {
    const { signal } = this.#stopping;
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    return await promise;
  }

  async #reload(file: string): Promise<void> {
    if (this.#stopping.signal.aborted) {
      return;
    }
    const startedAt = performance.now();
    const isSandbox = file.includes("sandbox-provider");
    if (!(await this.#rebuildPages())) {
      return;
    }
    await Promise.all(isSandbox ? [this.#sandbox?.replace()] : this.#workers.map((worker) => worker.replace()));
    say("reload", `${file} changed; restarted in ${formatDuration(performance.now() - startedAt)}`);
  }

  /** False when they can't be built; the previous build stays, and the reason is reported. */
  async #rebuildPages(): Promise<boolean> {
    const { programs, root } = this.#settings;
    if (programs.web === null) {
      return true;
    }
    const remark = (line: string): void => say("pages", line);
    const options = { command: programs.web, env: process.env, cwd: root, remark, signal: this.#stopping.signal };
    try {
      await runControlPlaneCommand(options);
      return true;
    } catch (error) {
      say("pages", error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  async #firstKey(seededKey: unknown): Promise<string | null> {
    const { dataDirectory, databaseUrl, isProduction } = this.#settings;
    const databaseName = databaseUrl ?? "embedded";
    if (isProduction) {
      await forgetFirstKey(dataDirectory);
      return null;
    }
    if (typeof seededKey !== "string") {
      return await readFirstKey(dataDirectory, databaseName);
    }
    await keepFirstKey(dataDirectory, databaseName, seededKey);
    return seededKey;
  }

  #childEnvironment(databaseUrl: string): Record<string, string | undefined> {
    const { NODE_ENV } = process.env;
    return {
      ...process.env,
      NODE_ENV: NODE_ENV || "development",
      HOST: this.#settings.host,
      DATA_DIR: this.#settings.dataDirectory,
      DATABASE_URL: databaseUrl,
      ...runtimeEnvironment(process.env),
    };
  }
}

/** @throws StartError */
async function makeDataDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`The data folder can't be created: ${reason}. Set DATA_DIR to one that can be written.`);
  }
}

/** A host as it is written in a URL that reaches the service from this machine. */
function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") {
    return "127.0.0.1";
  }
  return host.includes(":") ? `[${host}]` : host;
}

function readReadyUrl(line: string): string | null {
  try {
    const message: { event?: unknown; url?: unknown } = JSON.parse(line);
    return message.event === "ready" && typeof message.url === "string" ? message.url : null;
  } catch {
    return null;
  }
}

/** Rejects in a race against something that must be ready in time. */
async function rejectAfterTimeout(name: string): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const error = new StartError(`${name} was not ready after ${formatDuration(readyMsMax)}.`);
  setTimeout(() => reject(error), readyMsMax).unref();
  return await promise;
}

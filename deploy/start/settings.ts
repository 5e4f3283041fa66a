import { isAbsolute, join } from "node:path";
import { isOpenDevelopment, listenProblem } from "@sluice/contracts/listen-host";
import { commandsOf, type ProgramCommands } from "./program-sources.ts";
import { StartError } from "./start-error.ts";

/** The environment's settings for the start. */
export type StartSettings = {
  /** The folder of the checkout. */
  readonly root: string;
  readonly host: string;
  /** 0 asks for any free port. */
  readonly port: number;
  readonly workers: number;
  /** How long running calls may take when the service stops. */
  readonly drainMsMax: number;
  readonly dataDirectory: string;
  /** Null starts the embedded Postgres. */
  readonly databaseUrl: string | null;
  /** Start the provider with made-up responses, for the first channel. */
  readonly hasSandbox: boolean;
  readonly isProduction: boolean;
  /** Other machines can reach a service without production safeguards. */
  readonly isOpenDevelopment: boolean;
  /** Restart the workers when a source file changes. */
  readonly isReloading: boolean;
  readonly programs: Programs;
};

/** The commands to start, each without the path of Bun. */
export type Programs = ProgramCommands & {
  /** Null if the pages are built elsewhere, or not served. */
  readonly web: readonly string[] | null;
  readonly sandbox: readonly string[];
};

const workersMax = 64;
const drainMsLimit = 3_600_000;
const portMax = 65_535;

/**
 * Reads the variables that concern the start; the others are passed to the programs unread.
 * @throws StartError with a sentence that names the variable
 */
export function readSettings(root: string, environment: NodeJS.ProcessEnv, words: readonly string[]): StartSettings {
  const { PORT, WORKERS, DATA_DIR, DATABASE_URL, PROVIDER_API_KEY, DRAIN_TIMEOUT_MS, WEB_DIST } = environment;
  const dataDirectory = DATA_DIR || ".data";
  const { NODE_ENV, HOST } = environment;
  const listening = { host: HOST || "127.0.0.1", isProduction: NODE_ENV === "production" };
  const isNetworkAllowed = readFlag("DEVELOPMENT_ON_NETWORK", environment) ?? false;
  const problem = listenProblem({ ...listening, isNetworkAllowed });
  if (problem !== null) {
    throw new StartError(`HOST=${problem}.`);
  }
  return {
    root,
    ...listening,
    isOpenDevelopment: isOpenDevelopment(listening),
    port: readInteger("PORT", PORT, { fallback: 3000, min: 0, max: portMax }),
    workers: readInteger("WORKERS", WORKERS, { fallback: 1, min: 1, max: workersMax }),
    drainMsMax: readInteger("DRAIN_TIMEOUT_MS", DRAIN_TIMEOUT_MS, { fallback: 30_000, min: 0, max: drainMsLimit }),
    dataDirectory: isAbsolute(dataDirectory) ? dataDirectory : join(root, dataDirectory),
    databaseUrl: DATABASE_URL || null,
    // Nobody gets made-up responses in production unless the operator asks for them.
    hasSandbox: !PROVIDER_API_KEY && (readFlag("SANDBOX", environment) ?? !listening.isProduction),
    isReloading: words.includes("--reload"),
    programs: Bun.isStandaloneExecutable ? embeddedPrograms : sourcePrograms(root, !WEB_DIST),
  };
}

/** @param isBuilding whether the pages are built here */
function sourcePrograms(root: string, isBuilding: boolean): Programs {
  return {
    web: isBuilding ? [join(root, "web/build/build-web.ts")] : null,
    sandbox: [join(root, "packages/sandbox-provider/src/main.ts")],
    ...commandsOf((source) => join(root, source)),
  };
}

/** Commands of the one-file build, which holds the pages. */
const embeddedPrograms: Programs = {
  web: null,
  check: ["check-settings"],
  doctor: ["doctor"],
  audit: ["audit"],
  migrate: ["migrate"],
  seed: ["seed"],
  sandbox: ["sandbox"],
  worker: ["worker"],
};

/** Null if the variable is unset. */
function readFlag(name: string, environment: NodeJS.ProcessEnv): boolean | null {
  const text = environment[name] || null;
  if (text !== null && !["0", "1", "true", "false"].includes(text)) {
    throw new StartError(`${name} must be true or false, but it is "${text}".`);
  }
  return text === null ? null : text === "1" || text === "true";
}

type IntegerRange = {
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
};

function readInteger(name: string, text: string | undefined, range: IntegerRange): number {
  if (text === undefined || text === "") {
    return range.fallback;
  }
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= range.min && value <= range.max)) {
    throw new StartError(`${name} must be a whole number from ${range.min} to ${range.max}, but it is "${text}".`);
  }
  return value;
}

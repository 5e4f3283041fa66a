import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { loadMasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { startEmbeddedPostgres } from "@sluice/deploy/start/embedded-postgres";
import { findFreePort } from "@sluice/deploy/start/port";
import { runtimeEnvironment } from "@sluice/deploy/start/runtime-environment";
import type { Arm, RunningArm, Site } from "../arm.ts";
import { type RunningServer, startOnArmCore } from "../child-process.ts";
import { chatHeaders } from "../load/chat-request.ts";
import { addConversionChannels } from "./conversion-channels.ts";
import { openKeyForBench, SluiceBooks } from "./sluice-books-store.ts";

const root = join(import.meta.dir, "../../../..");
const READY_MS_MAX = 30_000;

/**
 * One process of the control plane with everything enabled, and its own durable Postgres on the core of the load. Its port
 * is that of the runtime's server.
 */
export const sluiceArm: Arm = {
  name: "sluice",
  title: "Sluice, runtime's server",
  converts: true,
  async prepare() {
    return existsSync(programOf(root)) ? null : "control-plane/src/main.ts does not exist yet";
  },
  start: (site) => start(site, { CHAT_FRONT: "off" }),
};

/** The same with its own front on the port, as it is by default. */
export const frontArm: Arm = {
  ...sluiceArm,
  name: "front",
  title: "Sluice",
  start: (site) => start(site, { CHAT_FRONT: "on" }),
};

/** The same in another checkout, whose packages are installed, to compare two versions in the same rounds. */
export const beforeArm: Arm = {
  name: "before",
  title: "Sluice before",
  converts: false,
  async prepare({ against }) {
    if (against === null) {
      return "no other checkout was given (--against)";
    }
    return existsSync(programOf(against)) ? null : `${against} is not a checkout`;
  },
  start: (site) => start(site, { CHAT_FRONT: "on" }, site.against ?? root),
};

function programOf(checkout: string): string {
  return join(checkout, "control-plane/src/main.ts");
}

/** The program as `bun start` runs it: from a build, unless it is an older checkout, or its functions are to be seen in a profile. */
async function startedProgramOf(checkout: string, { profileFolder }: Site): Promise<string> {
  const builder = join(checkout, "deploy/start/build-program.ts");
  if (profileFolder !== null || !existsSync(builder)) {
    return programOf(checkout);
  }
  const { directory } = await lastLineOf(builder, checkout, {});
  return join(String(directory), "main.js");
}

async function start(site: Site, settings: Readonly<Record<string, string>>, checkout = root): Promise<RunningArm> {
  const home = join(site.folder, `sluice-${crypto.randomUUID()}`);
  // The embedded Postgres may run as another user, who needs access.
  mkdirSync(home, { recursive: true });
  chmodSync(site.folder, 0o711);
  chmodSync(home, 0o711);
  const postgres = await startEmbeddedPostgres({ home: join(home, "postgres") });
  let server: RunningServer | null = null;
  try {
    const port = await findFreePort();
    const env = { ...environment({ site, home, databaseUrl: postgres.url, port }), ...settings };
    await lastLineOf(join(checkout, "control-plane/src/commands/migrate.ts"), checkout, env);
    const { apiKey } = await lastLineOf(join(checkout, "control-plane/src/commands/seed.ts"), checkout, env);
    if (typeof apiKey !== "string") {
      throw new Error("seeding gave no API key");
    }
    if (checkout === root) {
      await addChannels({ site, home, databaseUrl: postgres.url });
    }
    await openKeyForBench(postgres.url, apiKey);
    server = await startOnArmCore({
      name: "Sluice",
      command: [process.execPath, ...profileOptions(site), await startedProgramOf(checkout, site)],
      port,
      cwd: checkout,
      env,
      logFile: join(home, "sluice.log"),
    });
    await untilReady(port);
    return running({ port, apiKey, postgres, server, placeBytes: await placeBytesOf(checkout) });
  } catch (error) {
    await server?.stop();
    await postgres.destroy();
    throw error;
  }
}

async function addChannels(place: { site: Site; home: string; databaseUrl: string }): Promise<void> {
  const source = { isProduction: false, value: null, file: null, dataDirectory: dataDirectory(place.home) };
  const db = openDatabase({ url: place.databaseUrl, poolMax: 1, applicationName: "bench" });
  try {
    await addConversionChannels(db, await loadMasterKey(source), place.site.providerPort);
  } finally {
    await db.close(2_000);
  }
}

/** Where the seed creates the master key. */
function dataDirectory(home: string): string {
  return join(home, "data");
}

type Parts = {
  readonly port: number;
  readonly apiKey: string;
  readonly postgres: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
  readonly server: RunningServer;
  readonly placeBytes: number;
};

function running({ port, apiKey, postgres, server, placeBytes }: Parts): RunningArm {
  const books = new SluiceBooks(postgres.url, placeBytes);
  return {
    port,
    path: "/v1/chat/completions",
    headers: chatHeaders(apiKey),
    pid: server.pid,
    companions: postgres.pid === null ? [] : [{ name: "Postgres", pid: postgres.pid }],
    books,
    async stop() {
      try {
        await server.stop();
        await books.audit();
      } finally {
        await postgres.destroy();
      }
    },
  };
}

function environment(place: { site: Site; home: string; databaseUrl: string; port: number }): Record<string, string> {
  return {
    NODE_ENV: "development",
    HOST: "127.0.0.1",
    PORT: String(place.port),
    DATA_DIR: dataDirectory(place.home),
    DATABASE_URL: place.databaseUrl,
    PROVIDER_API_KEY: "sk-bench-provider",
    PROVIDER_BASE_URL: `http://127.0.0.1:${place.site.providerPort}/v1`,
    // wrk leaves up to 64 calls unread at the end of a load, which is not abuse here.
    UNPAID_CALLS_PER_HOUR: "0",
    ...runtimeEnvironment(process.env),
  };
}

/** Options of Bun for a program that is to write a CPU profile when it ends; none without a profile. */
export function profileOptions({ profileFolder }: Site): string[] {
  return profileFolder === null
    ? []
    : ["--cpu-prof", "--cpu-prof-md", "--cpu-prof-interval", "200", "--cpu-prof-dir", profileFolder];
}

/** The size of a payload's place in this version, read from its source, because other checkouts are not imported. */
async function placeBytesOf(checkout: string): Promise<number> {
  const source = await Bun.file(join(checkout, "control-plane/src/trace/payload-places.ts")).text();
  const [, bytes] = /placeBytes = (\d+);/.exec(source) ?? [];
  if (bytes === undefined) {
    throw new Error(`the size of a place is not in ${checkout}`);
  }
  return Number(bytes);
}

/** Runs a program of a checkout and returns its last line, which is JSON. */
async function lastLineOf(
  file: string,
  checkout: string,
  env: Record<string, string>,
): Promise<Record<string, unknown>> {
  const child = Bun.spawn([process.execPath, file], {
    cwd: checkout,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) {
    throw new Error(`${file} failed: ${errors.trim() || output.trim()}`);
  }
  return JSON.parse(output.trim().split("\n").at(-1) ?? "null");
}

async function untilReady(port: number): Promise<void> {
  const deadline = Date.now() + READY_MS_MAX;
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    const text = await response.text();
    if (response.ok) {
      return;
    }
    if (Date.now() > deadline) {
      throw new Error(`Sluice is not ready: ${text}`);
    }
    await Bun.sleep(50);
  }
}

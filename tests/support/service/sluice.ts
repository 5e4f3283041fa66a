import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BudgetId, GatewayUserId } from "@sluice/contracts/ids";
import type { PassThroughPath } from "@sluice/contracts/pass-through";
import { addAbility, putChannel } from "@sluice/control-plane/gateway/channels/channels.ts";
import { addGatewayUser } from "@sluice/control-plane/gateway/gateway-users.ts";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import { addModel } from "@sluice/control-plane/models/add-model.ts";
import type { NewPrice } from "@sluice/control-plane/models/model-store.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Database, Transaction } from "@sluice/control-plane/platform/db.ts";
import { arrayLiteral } from "@sluice/control-plane/platform/db-array-literal.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { briefVariables } from "../../runner/brief-processes.ts";
import { programVariable } from "../../runner/bundle-control-plane.ts";
import { createServedDatabase, type TestDatabase } from "../postgres/test-database.ts";
import { patienceMs } from "../values/patience.ts";
import { keepSiteStates, lendSiteStates } from "../web/site-states.ts";
import { endProcesses, pauseAndListChildren } from "./child-processes.ts";
import { type Place, thisMachine } from "./place.ts";

/** The arrangement: one process, or a relay that reaches its gateway over HTTP. */
export type Arrangement = "one-process" | "split";

/** The arrangements for tests of responses; the second one with `TEST_FULL=1` or `TEST_SPLIT=1`. */
export const arrangements: readonly Arrangement[] =
  process.env["TEST_FULL"] === "1" || process.env["TEST_SPLIT"] === "1" ? ["one-process", "split"] : ["one-process"];

/** The master key of every process that a rig starts. */
export const masterKeyBytes = new Bun.CryptoHasher("sha256").update("the master key of tests").digest();
/** A long run bundles the program once; in a run of a few files it is the source. */
export const mainFile = process.env[programVariable] ?? join(import.meta.dir, "../../../control-plane/src/main.ts");

export type SluiceProcess = {
  readonly url: string;
  readonly pid: number;
  readonly dataDirectory: string;
  /** Everything it wrote to stderr so far: its log. */
  log(): string;
  /** Resolves when its log has the text, which may come after the answer that it is about. */
  logged(text: string): Promise<void>;
  /** SIGTERM, and the exit code. */
  stop(): Promise<number>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** The exit code once it has ended by itself. */
  readonly exited: Promise<number>;
};

export type TestUser = {
  readonly gatewayUserId: GatewayUserId;
  readonly budgetId: BudgetId;
  readonly apiKey: string;
  readonly granted: bigint;
};

/** A database with a catalog, and processes of the control plane on it; everything ends with `close`. */
export class SluiceRig {
  readonly database: TestDatabase;
  readonly db: Database;
  /** All users that were added. */
  readonly users: TestUser[] = [];
  readonly #upstreamUrl: string;
  readonly #root: string;
  readonly #processes = new Set<SluiceProcess>();

  private constructor(database: TestDatabase, upstreamUrl: string, root: string) {
    this.database = database;
    const limits = { statementTimeoutMs: patienceMs, lockTimeoutMs: patienceMs, acquireTimeoutMs: patienceMs };
    this.db = openDatabase({ url: database.url, poolMax: 4, applicationName: "test", ...limits });
    this.#upstreamUrl = upstreamUrl;
    this.#root = root;
  }

  /** @param upstreamUrl the address of a provider without its `/v1` */
  static async create(upstreamUrl: string, database?: TestDatabase): Promise<SluiceRig> {
    // Not the prefix of the test clusters: the start of a test cluster removes the leftovers of others.
    const root = await mkdtemp(join(tmpdir(), "sluice-rig-"));
    const rig = new SluiceRig(database ?? (await createServedDatabase()), upstreamUrl, root);
    await rig.#seed();
    return rig;
  }

  async #seed(): Promise<void> {
    const bounds = { contextTokensMax: 128_000, outputTokensMax: 16_384, imageTokensMax: 50_000 };
    const price = { input_usd_per_m: "0.15", output_usd_per_m: "0.60", cache_read_usd_per_m: "0.075" };
    await this.db.withTransaction(async (tx) => {
      await addModel(tx, { name: "gpt-4o-mini", displayName: "GPT-4o mini", ownedBy: "openai", ...bounds }, price);
    });
    await this.addChannel("first", `${this.#upstreamUrl}/v1`, ["gpt-4o-mini"]);
  }

  /** A channel of the group `default` that serves these models. */
  async addChannel(
    name: string,
    baseUrl: string,
    models: readonly string[],
    credential = `upstream-${name}`,
  ): Promise<bigint> {
    return await this.db.withTransaction(async (tx) => {
      const id = await putChannel(tx, new MasterKey(masterKeyBytes), { name, baseUrl, credential });
      for (const model of models) {
        await addAbility(tx, "default", model, id);
      }
      return id;
    });
  }

  /** A model at 0.15 and 0.60 USD for a million tokens, which no channel serves yet. */
  async addModel(name: string): Promise<void> {
    const bounds = { contextTokensMax: 128_000, outputTokensMax: 16_384, imageTokensMax: 0 };
    const price = { input_usd_per_m: "0.15", output_usd_per_m: "0.60" };
    await this.db.withTransaction((tx) => addModel(tx, { name, displayName: name, ownedBy: "test", ...bounds }, price));
  }

  /** A model whose calls cost a flat number of quota, whatever they use: 500,000 quota are 1 USD. */
  async addFlatPriceModel(name: string, quotaPerRequest: bigint): Promise<void> {
    const bounds = { contextTokensMax: 128_000, outputTokensMax: 16_384, imageTokensMax: 0 };
    const request_usd = `0.${(quotaPerRequest * 2n).toString().padStart(6, "0")}`;
    await this.db.withTransaction(async (tx) => {
      await addModel(
        tx,
        { name, displayName: name, ownedBy: "test", ...bounds },
        { input_usd_per_m: "0", output_usd_per_m: "0", request_usd },
      );
      await this.#allowOnFirstChannel(tx, name);
    });
  }

  async #allowOnFirstChannel(tx: Transaction, model: string): Promise<void> {
    const [channel] = await tx.sql<{ id: bigint }>`select id from channel where name = 'first'`;
    await addAbility(tx, "default", model, (channel?.id ?? 0n) as Parameters<typeof addAbility>[3]);
  }

  /** A model with prices in USD for a million tokens, and whatever else a price has. */
  async addTokenPriceModel(name: string, price: Omit<NewPrice, "model">): Promise<void> {
    const bounds = { contextTokensMax: 128_000, outputTokensMax: 16_384, imageTokensMax: 0 };
    await this.db.withTransaction(async (tx) => {
      await addModel(tx, { name, displayName: name, ownedBy: "test", ...bounds }, price);
      await this.#allowOnFirstChannel(tx, name);
    });
  }

  /** Lets a channel pass through paths without rules of their own, named as in the closed list. */
  async passThrough(channel: string, paths: readonly PassThroughPath[]): Promise<void> {
    await this.db.sql`
      update channel set pass_through_paths = ${arrayLiteral(paths)}::text[] where name = ${channel}`;
  }

  /** A user with quota and a key. The default is plenty. */
  async addUser(quota = 1_000_000_000n): Promise<TestUser> {
    return await this.db.withTransaction(async (tx) => {
      const user = await addGatewayUser(tx, "default", { amount: quota, changeType: "test" });
      const apiKey = await createApiKey(tx, user.gatewayUserId, `key ${this.users.length + 1}`);
      const made = { ...user, granted: quota, apiKey };
      this.users.push(made);
      return made;
    });
  }

  /** Starts the parts of an arrangement; calls go to the `url` of what is returned. */
  async start(arrangement: Arrangement, env: Record<string, string> = {}): Promise<SluiceProcess> {
    return (await this.startParts(arrangement, env)).entry;
  }

  /** The same, for a test that is about the processes. The first one is the entry. */
  async startParts(
    arrangement: Arrangement,
    env: Record<string, string> = {},
  ): Promise<{ readonly entry: SluiceProcess; readonly all: readonly SluiceProcess[] }> {
    if (arrangement === "one-process") {
      const entry = await this.startProcess(env);
      return { entry, all: [entry] };
    }
    const gateway = await this.startProcess({ ...env, ROLES: "gateway,jobs" });
    const entry = await this.startProcess({ ...env, ROLES: "relay,backend", UPSTREAM_GATEWAY_URL: gateway.url });
    return { entry, all: [entry, gateway] };
  }

  /**
   * Starts one process of the control plane and waits until it is ready. A data directory can be reused.
   * @param program another one than that of this checkout
   */
  async startProcess(env: Record<string, string> = {}, program = mainFile): Promise<SluiceProcess> {
    const dataDirectory = env["DATA_DIR"] ?? join(this.#root, `data-${crypto.randomUUID().slice(0, 8)}`);
    if ((env["WEB_DIST"] ?? "none") !== "none") {
      await lendSiteStates(dataDirectory);
    }
    const variables = {
      PATH: process.env["PATH"] ?? "",
      NODE_ENV: "test",
      HOST: "127.0.0.1",
      PORT: "0",
      DATABASE_URL: this.database.url,
      DATA_DIR: dataDirectory,
      MASTER_KEY: masterKeyBytes.toString("base64"),
      RESERVE_FILE_BYTES: "1048576",
      LOG_LEVEL: "info",
      // Tests about reading on after a client left set the time.
      ABORTED_USAGE_TIMEOUT_MS: "200",
      // Tests wait until leases have gone back.
      LEASE_KEPT_MS: "3000",
      // Every test can be run with either listener.
      CHAT_FRONT: process.env["TEST_CHAT_FRONT"] ?? "on",
      // Tests of pages name a build.
      WEB_DIST: "none",
      ...env,
    };
    const started = await spawnControlPlane(variables, { program });
    this.#processes.add(started);
    return started;
  }

  /** Resolves once every row that processes have spooled is in the database, judged by the number of rows. */
  async waitForUsageRows(count: number, timeoutMs = patienceMs): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const [row] = await this.db.sql<{ rows: bigint }>`select count(*) as rows from usage_log`;
      if (Number(row?.rows ?? 0n) >= count) {
        return;
      }
      if (performance.now() > deadline) {
        throw new Error(`${row?.rows} usage rows after ${timeoutMs} ms, ${count} were expected`);
      }
      await Bun.sleep(20);
    }
  }

  /** Resolves once the charged calls of a budget add up to this. */
  async waitForUsedQuota(budgetId: BudgetId, quota: bigint, timeoutMs = patienceMs): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const [row] = await this.db.sql<{ used: bigint }>`select used from budget where id = ${budgetId}::bigint`;
      if (row?.used === quota) {
        return;
      }
      if (performance.now() > deadline) {
        throw new Error(`${row?.used} of ${quota} were charged after ${timeoutMs} ms`);
      }
      await Bun.sleep(20);
    }
  }

  /** The violated invariants; empty when the books are correct. */
  async checkMoney(): Promise<unknown[]> {
    return [...(await this.db.sql`select * from check_money()`)];
  }

  async close(): Promise<void> {
    await Promise.all([...this.#processes].map((one) => one.kill()));
    await Promise.all([...this.#processes].map(({ dataDirectory }) => keepSiteStates(dataDirectory)));
    await this.db.close(500);
    await this.database.drop();
    await rm(this.#root, { recursive: true, force: true });
  }
}

/**
 * Starts a process of the control plane and waits until it listens.
 * @param program another one than that of this checkout
 */
export async function spawnControlPlane(
  env: Record<string, string>,
  { place = thisMachine, program = mainFile }: { readonly place?: Place; readonly program?: string } = {},
): Promise<SluiceProcess> {
  const child = Bun.spawn(place.on([process.execPath, program]), {
    env: { ...briefVariables(), ...env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  let log = "";
  const listening = Promise.withResolvers<string>();
  // The log is read to its end, so that the process never waits for us.
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const part of child.stderr) {
      log += decoder.decode(part, { stream: true });
      const url = /"event":"program.listening","url":"([^"]+)"/.exec(log)?.[1];
      if (url !== undefined) {
        listening.resolve(url);
      }
    }
  })();
  const timer = setTimeout(() => listening.reject(new Error(`not ready in ${patienceMs} ms:\n${log}`)), patienceMs);
  void child.exited.then((code) => listening.reject(new Error(`ended with ${code} before it was ready:\n${log}`)));
  try {
    const url = await listening.promise;
    const end = async (signal: "SIGTERM" | "SIGKILL"): Promise<number> => {
      child.kill(signal);
      const code = await child.exited;
      await reading;
      return code;
    };
    return {
      url,
      pid: child.pid,
      dataDirectory: env["DATA_DIR"] ?? "",
      log: () => log,
      logged: async (text) => await untilLogged(() => log, text),
      stop: () => end("SIGTERM"),
      kill: async () => {
        const children = pauseAndListChildren(child);
        await end("SIGKILL");
        endProcesses(children);
      },
      exited: child.exited,
    };
  } finally {
    clearTimeout(timer);
  }
}

/** @throws Error with the log */
async function untilLogged(read: () => string, text: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!read().includes(text)) {
    if (performance.now() > deadline) {
      throw new Error(`"${text}" was not logged within ${patienceMs} ms:\n${read()}`);
    }
    await Bun.sleep(10);
  }
}

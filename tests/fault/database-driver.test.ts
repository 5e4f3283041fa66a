import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { CommitUnknownError, isDatabaseOutage } from "@sluice/control-plane/platform/db-errors.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import type { EmbeddedPostgres } from "@sluice/deploy/start/embedded-postgres";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { startPostgresProxy } from "../support/postgres/postgres-proxy.ts";
import { startTestCluster } from "../support/postgres/test-cluster.ts";
import { createDatabaseOn } from "../support/postgres/test-database.ts";
import { promptMs } from "../support/values/patience.ts";
import { testRandom } from "../support/values/test-seed.ts";

const random = testRandom();
const { TEST_FULL } = process.env;
const isFull = TEST_FULL === "1";
const killsMin = isFull ? 100 : 10;
const outageMs = isFull ? 30_000 : 2_000;
const users = 4;

/** The server's limit plus our own; nobody may wait longer than both together and some time for a busy machine. */
const statementTimeoutMs = 500;
const acquireTimeoutMs = 1_000;
const waitMsMax = acquireTimeoutMs + statementTimeoutMs + 1_000 + promptMs;

let cluster: EmbeddedPostgres;
let admin: Bun.SQL;
let databaseUrl: string;
const uncaught: unknown[] = [];
const noteUncaught = (error: unknown): void => {
  uncaught.push(error);
};

beforeAll(async () => {
  process.on("uncaughtException", noteUncaught);
  process.on("unhandledRejection", noteUncaught);
  cluster = await startTestCluster({ isDurable: true });
  databaseUrl = (await createDatabaseOn(cluster.url)).url;
  admin = new Bun.SQL(databaseUrl, { max: 1 });
  await admin`create table effect (id int primary key, steps int not null)`;
});

afterAll(async () => {
  await admin.close({ timeout: 0 });
  await cluster.destroy();
  process.off("uncaughtException", noteUncaught);
  process.off("unhandledRejection", noteUncaught);
});

function open(changes: object = {}): Database & AsyncDisposable {
  const db = openDatabase({
    url: databaseUrl,
    poolMax: users,
    applicationName: "victim",
    statementTimeoutMs,
    acquireTimeoutMs,
    ...changes,
  });
  return { ...db, [Symbol.asyncDispose]: () => db.close(1_000) };
}

type Outcome = "committed" | "failed" | "unknown";
type Load = { readonly outcomes: Map<number, Outcome>; readonly stop: () => Promise<void>; slowestMs: number };

let nextId = 0;

/** Several users who run one transaction of five statements after the other and record the results they got. */
function startLoad(db: Database): Load {
  let isStopping = false;
  const load: Load = {
    outcomes: new Map(),
    slowestMs: 0,
    stop: async () => {
      isStopping = true;
      await Promise.all(running);
    },
  };
  const once = async (id: number): Promise<Outcome> => {
    try {
      await db.withTransaction(async (tx) => {
        await tx.sql`insert into effect values (${id}, 0)`;
        for (let step = 0; step < 4; step += 1) {
          await tx.sql`update effect set steps = steps + 1 where id = ${id}`;
        }
      });
      return "committed";
    } catch (error) {
      if (!isDatabaseOutage(error)) {
        throw error;
      }
      return error instanceof CommitUnknownError ? "unknown" : "failed";
    }
  };
  const user = async (): Promise<void> => {
    while (!isStopping) {
      const id = nextId;
      nextId += 1;
      const startedAt = performance.now();
      load.outcomes.set(id, await once(id));
      load.slowestMs = Math.max(load.slowestMs, performance.now() - startedAt);
      // Without it an unreachable database would be asked ten thousand times a second.
      await Bun.sleep(1);
    }
  };
  const running = Array.from({ length: users }, user);
  return load;
}

function countOf(load: Load, outcome: Outcome): number {
  return [...load.outcomes.values()].filter((other) => other === outcome).length;
}

/** The results that users got match the tables: all of a committed transaction, nothing of a failed one. */
async function expectTruth(load: Load): Promise<void> {
  const rows: { id: number; steps: number }[] = await admin`select id, steps from effect`;
  const steps = new Map(rows.map((row) => [row.id, row.steps]));
  const lies = [...load.outcomes].filter(([id, outcome]) => {
    const found = steps.get(id);
    return outcome === "committed" ? found !== 4 : outcome === "failed" ? found !== undefined : (found ?? 4) !== 4;
  });
  expect(lies).toEqual([]);
}

async function expectHealthy(db: Database): Promise<void> {
  // More at once than there are connections: none of them hangs.
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: users * 5 }, () => db.sql<{ one: number }>`select 1 as one`));
  expect(answers.flat().map(({ one }) => one)).toEqual(Array.from({ length: users * 5 }, () => 1));
  expect(performance.now() - startedAt).toBeLessThan(waitMsMax);
  expect(db.load()).toEqual({ inUse: 0, waiting: 0 });
  expect(db.isReachable()).toBe(true);
  expect(uncaught).toEqual([]);
}

function nextChange(db: Database, expected: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = db.onReachabilityChange((isReachable) => {
    if (isReachable === expected) {
      stop();
      resolve();
    }
  });
  return promise;
}

describe("a backend that is killed inside a transaction", () => {
  test("hangs nobody, ends nothing, and never misreports what happened", async () => {
    await using db = open();
    const load = startLoad(db);
    for (let kills = 0; kills < killsMin; ) {
      await Bun.sleep(random() * 15);
      const rows = await admin`select pg_terminate_backend(pid) as done from pg_stat_activity
        where application_name = 'victim' order by random() limit 1`;
      kills += rows.filter(({ done }: { done: boolean }) => done).length;
    }
    await load.stop();
    await expectTruth(load);
    expect(countOf(load, "committed")).toBeGreaterThan(0);
    expect(countOf(load, "failed") + countOf(load, "unknown")).toBeGreaterThan(0);
    expect(load.slowestMs).toBeLessThan(waitMsMax);
    await expectHealthy(db);
  });

  test("is a definite failure when the loss was noticed before COMMIT, even if the work swallowed it", async () => {
    await using db = open();
    const work = db.withTransaction(async (tx) => {
      await tx.sql`select pg_terminate_backend(pg_backend_pid())`.catch(() => undefined);
    });
    await expect(work).rejects.toMatchObject({ name: "DatabaseUnavailableError" });
  });

  test("while a statement is sent at the same moment fails only that statement", async () => {
    await using db = open();
    for (let round = 0; round < (isFull ? 100 : 10); round += 1) {
      const work = db.withTransaction(async (tx) => {
        const [row] = await tx.sql<{ pid: number }>`select pg_backend_pid() as pid`;
        const killed = admin`select pg_terminate_backend(${row?.pid})`.execute();
        const answers = await Promise.allSettled([tx.sql`select 1`, tx.sql`select 2`, killed]);
        await tx.sql`select 3`;
        return answers;
      });
      await expect(work).rejects.toMatchObject({ name: "DatabaseUnavailableError" });
    }
    await expectHealthy(db);
  });
});

describe("a server that has", () => {
  test.each(["crashed", "stopped in order"])(
    "%s causes an immediate error, and is used again as soon as it is back",
    async (how) => {
      // To wait for a connection would take far longer than the limit below.
      await using db = open({ acquireTimeoutMs: 4 * promptMs });
      expect(await db.ping()).toBe(true);
      const load = startLoad(db);
      await Bun.sleep(100);
      const away = nextChange(db, false);
      await (how === "crashed" ? cluster.stopImmediate() : cluster.stop());
      await away;
      const duringOutage = performance.now();
      await expect(db.sql`select 1`).rejects.toMatchObject({ name: "DatabaseUnavailableError" });
      expect(performance.now() - duringOutage).toBeLessThan(promptMs);
      await Bun.sleep(outageMs);
      expect(load.slowestMs).toBeLessThan(waitMsMax);
      const back = nextChange(db, true);
      await cluster.restart();
      const upAt = performance.now();
      await back;
      expect(performance.now() - upAt).toBeLessThan(promptMs);
      const committedBefore = countOf(load, "committed");
      await waitUntil(async () => countOf(load, "committed") > committedBefore);
      await load.stop();
      await expectTruth(load);
      await expectHealthy(db);
    },
  );
});

describe("a silent server", () => {
  test("is given up within the limits, and the hanging connections are replaced", async () => {
    await using proxy = await startPostgresProxy(databaseUrl);
    await using db = open({ url: proxy.url });
    expect(await db.ping()).toBe(true);
    const load = startLoad(db);
    await Bun.sleep(100);
    const away = nextChange(db, false);
    proxy.stall();
    await away;
    await Bun.sleep(2_500);
    const back = nextChange(db, true);
    proxy.resume();
    await back;
    await load.stop();
    expect(load.slowestMs).toBeLessThan(waitMsMax);
    await expectTruth(load);
    await expectHealthy(db);
  });
});

describe("a connection that is lost during COMMIT", () => {
  test.each([
    ["before the server saw it", "statement", false],
    ["after the server did so", "answer", true],
  ] as const)("%s is reported as unknown and not repeated", async (_when, lost, hasHappened) => {
    await using proxy = await startPostgresProxy(databaseUrl);
    await using db = open({ url: proxy.url });
    const id = nextId;
    nextId += 1;
    let runs = 0;
    const cut = proxy.loseNextCommit(lost);
    const work = db.withTransaction(async (tx) => {
      runs += 1;
      await tx.sql`insert into effect values (${id}, 4)`;
    });
    await expect(work).rejects.toBeInstanceOf(CommitUnknownError);
    await cut;
    expect(runs).toBe(1);
    expect(await admin`select 1 from effect where id = ${id}`).toHaveLength(hasHappened ? 1 : 0);
    await expectHealthy(db);
  });
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Database, Transaction } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { rehearse } from "@sluice/control-plane/platform/db-rehearsal.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";

let server: TestDatabase;
let db: Database;

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase({ url: server.url, poolMax: 3, applicationName: "test" });
  await db.sql`create table counter (id bigint primary key, value bigint not null default 0)`;
});

afterAll(async () => {
  await db.close(1_000);
  await server.drop();
});

class Expected extends Error {}

const countIn = async (on: Pick<Database, "sql">): Promise<number> =>
  Number((await on.sql<{ rows: bigint }>`select count(*) as rows from counter`)[0]?.rows);

const add = async (tx: Pick<Database, "sql">, id: bigint): Promise<void> => {
  await tx.sql`insert into counter (id) values (${id})`;
};

/** What the look saw: the rows of the table, and why the work ended. */
function looker() {
  const seen: { rows: number; failure: Error | null }[] = [];
  return {
    seen,
    rehearsal: {
      isResult: (error: unknown) => error instanceof Expected,
      look: async (tx: Transaction, failure: Error | null) => {
        seen.push({ rows: await countIn(tx), failure });
      },
    },
  };
}

test("a rehearsal sees what the work writes, and nothing of it stays or follows", async () => {
  const { seen, rehearsal } = looker();
  const steps: string[] = [];
  const isSeen = await rehearse(rehearsal, async () => {
    await db.withTransaction((tx) => add(tx, 1n));
    steps.push("after the commit");
  });
  expect([isSeen, seen, steps]).toEqual([true, [{ rows: 1, failure: null }], []]);
  expect(await countIn(db)).toBe(0);
});

test("a transaction that only reads is not the end of it", async () => {
  const { seen, rehearsal } = looker();
  await rehearse(rehearsal, async () => {
    const before = await db.withTransaction((tx) => countIn(tx));
    await db.withTransaction((tx) => add(tx, BigInt(before + 2)));
  });
  expect(seen).toEqual([{ rows: 1, failure: null }]);
  expect(await rehearse(rehearsal, () => countIn(db))).toBe(false);
});

test("nothing is written outside a transaction, or in a second one", async () => {
  const { seen, rehearsal } = looker();
  await expect(rehearse(rehearsal, () => add(db, 3n))).rejects.toThrow("read-only transaction");
  await rehearse(rehearsal, async () => {
    await db.withTransaction((tx) => add(tx, 4n)).catch(() => undefined);
    await db.withTransaction((tx) => add(tx, 5n));
  });
  expect(seen.length).toBe(1);
  expect(await countIn(db)).toBe(0);
});

test("an error that is a result is looked at, and any other is thrown", async () => {
  const { seen, rehearsal } = looker();
  const throwing = (error: Error) => async () => {
    await db.withTransaction(async (tx) => {
      await add(tx, 6n);
      throw error;
    });
  };
  expect(await rehearse(rehearsal, throwing(new Expected("waits")))).toBe(true);
  expect(seen).toEqual([{ rows: 1, failure: expect.any(Expected) }]);
  await expect(rehearse(rehearsal, throwing(new Error("broken")))).rejects.toThrow("broken");
  expect(seen.length).toBe(1);
  expect(await countIn(db)).toBe(0);
});

test("work beside a rehearsal is not part of it", async () => {
  const { rehearsal } = looker();
  await Promise.all([
    rehearse(rehearsal, () => db.withTransaction((tx) => add(tx, 7n))),
    db.withTransaction((tx) => add(tx, 8n)),
    add(db, 9n),
  ]);
  expect(await countIn(db)).toBe(2);
});

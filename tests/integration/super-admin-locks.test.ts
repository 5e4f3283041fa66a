import { afterAll, beforeAll, expect, test } from "bun:test";
import { holdRights } from "@sluice/control-plane/accounts/admins/store.ts";
import { superAdmins } from "@sluice/control-plane/accounts/admins/super-admins.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { runBothBehind } from "../support/postgres/held-lock.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";

let server: TestDatabase;
let db: Database;

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase({ url: server.url, poolMax: 5, applicationName: "locks" });
});

afterAll(async () => {
  await db?.close(500);
  await server?.drop();
});

const addAdmin = async (username: string, agent: number): Promise<bigint> => {
  const [row] = await db.sql<{ id: bigint }>`
    insert into shared_admin_credentials (username, password_hash, agent) values (${`${username} ${crypto.randomUUID()}`}, '-', ${agent}::integer) returning id`;
  return row?.id ?? 0n;
};

/** What is done at the same time about two super-admins and two candidates, whose IDs are lower, and how often each part ran. */
async function scene() {
  await db.sql`update shared_admin_credentials set agent = 0`;
  const candidates = [await addAdmin("candidate one", 1), await addAdmin("candidate two", 1)] as const;
  const supers = [await addAdmin("super one", 2), await addAdmin("super two", 2)] as const;
  const ran = { times: 0 };
  const decide = async (ids: readonly bigint[], candidateId: bigint): Promise<void> => {
    await db.withTransaction(async (tx) => {
      ran.times += 1;
      for (const id of ids) {
        expect(await superAdmins.hold(tx, [id])).toBe(true);
      }
      await holdRights(tx, candidateId);
    });
  };
  const lock = (tx: Pick<Database, "sql">) =>
    tx.sql`select from shared_admin_credentials where id = ${supers[0]}::bigint for update`;
  return { candidates, supers, ran, decide, lock };
}

// A transaction that loses a deadlock is repeated.
test("two decisions about rights wait for each other in one order, and none is rolled back for a deadlock", async () => {
  const { candidates, supers, ran, decide, lock } = await scene();
  const runs = [() => decide(supers, candidates[0]), () => decide(supers.toReversed(), candidates[1])] as const;
  await runBothBehind(db, lock, runs);
  expect(ran.times).toBe(2);
});

test("so do a decision and a change that needs none", async () => {
  const { candidates, supers, ran, decide, lock } = await scene();
  await runBothBehind(db, lock, [() => decide(supers, candidates[0]), () => decide([], candidates[0])]);
  expect(ran.times).toBe(2);
});

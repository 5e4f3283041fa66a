import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { RatioProgram } from "@sluice/control-plane/moving/model.ts";
import { writeReport } from "@sluice/control-plane/moving/write-report.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import {
  alikePrograms,
  beginClosing,
  copyPeer,
  createMovedDatabase,
  endMove,
  move,
  peerFile,
} from "../../support/moving/peers.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.ts";

let database: TestDatabase;
let db: Database;

beforeEach(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, poolMax: 4, applicationName: "test" });
});
afterEach(async () => {
  await db.close(500);
  await database.drop();
});

/** Begins with what the first run from the unchanged peer leaves. */
const beginMoved = async (program: RatioProgram): Promise<void> => {
  await db.close(500);
  await database.drop();
  database = await createMovedDatabase(program);
  db = openDatabase({ url: database.url, poolMax: 4, applicationName: "test" });
};

type Sum = Readonly<Record<"calls" | "input" | "output" | "quota", bigint>> & {
  readonly name: string;
  readonly day: string;
  readonly model: string;
};

/** Each user, day and model, as the source has them. */
function sumsThere(path: string): Sum[] {
  using file = new Sqlite(path, { readonly: true, safeIntegers: true });
  return file
    .query<Sum, []>(
      `select u.id as name, date(l.created_at, 'unixepoch') as day, l.model_name as model, count(*) as calls,
         sum(l.prompt_tokens) as input, sum(l.completion_tokens) as output, sum(l.quota) as quota
       from logs l join users u on u.id = l.user_id where l.type = 2 group by 1, 2, 3`,
    )
    .all()
    .map((row) => ({ ...row, name: `${row.name}` }))
    .sort(bySum);
}

async function sumsHere(): Promise<Sum[]> {
  const rows = await db.sql<Sum>`
    select i.source_id as name, u.day::text as day, u.model, u.calls, u.input_tokens as input, u.output_tokens as output,
      u.quota
    from imported_usage u join import_item i on i.gateway_user_id = u.gateway_user_id and i.kind = 'user'`;
  return [...rows].sort(bySum);
}

const keyOf = ({ name, day, model }: Sum): string => JSON.stringify([name, day, model]);
const bySum = (a: Sum, b: Sum): number => (keyOf(a) < keyOf(b) ? -1 : 1);

const quotaHere = async (): Promise<bigint> => (await sumsHere()).reduce((sum, { quota }) => sum + quota, 0n);

const quotas = { "one-api": 1_788_038n, "new-api": 2_622_588n } as const;

describe.each(alikePrograms)("the history of calls in %s", (program) => {
  test("is the same here, by user, day and model, and the report says so", async () => {
    const report = await move(db, program);
    const there = sumsThere(peerFile(program));
    expect(await sumsHere()).toEqual(there);
    expect(there.reduce((sum, { quota }) => sum + quota, 0n)).toBe(quotas[program]);
    expect(report.usage?.here).toEqual(report.usage?.there);
    expect(report.usage?.there.quota).toBe(quotas[program]);
    expect(writeReport(report)).toMatch(new RegExp(`history .* ${quotas[program]} quota, the same here`));
  });

  test("charges nothing, and is in no log or sum of calls here", async () => {
    await beginMoved(program);
    expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
    expect(await db.sql`select from usage_log`).toHaveLength(0);
    expect(await db.sql`select from usage_user_sum`).toHaveLength(0);
    expect(await db.sql`select from budget where used <> 0 and gateway_user_id is not null`).toHaveLength(0);
  });

  test("replaces what was moved before, and never doubles", async () => {
    await using peer = await copyPeer(program);
    const from = `sqlite:${peer.path}`;
    await beginMoved(program);
    peer.change("update logs set quota = quota + 5 where id = (select max(id) from logs where type = 2)");
    const report = await move(db, program, { from });
    expect(report.counts.get("usage")).toMatchObject({ made: 0, changed: 1 });
    expect(await sumsHere()).toEqual(sumsThere(peer.path));
  });

  test("keeps days here whose logs have been deleted there since, and the report says that sums differ", async () => {
    await using peer = await copyPeer(program);
    const from = `sqlite:${peer.path}`;
    await beginMoved(program);
    peer.change("delete from logs where user_id = 2");
    const report = await move(db, program, { from });
    expect(await quotaHere()).toBe(quotas[program]);
    expect(writeReport(report)).toContain("DIFFERENT here");
  });

  test("does not come back for an account that was closed here", async () => {
    await using peer = await copyPeer(program);
    const from = `sqlite:${peer.path}`;
    await beginMoved(program);
    await db.sql`delete from imported_usage u using import_item i
      where i.gateway_user_id = u.gateway_user_id and i.kind = 'user' and i.source_id = '2'`;
    await db.sql`insert into account_closing (user_id, requested_by, agreed_quota, closes_at, done_at)
      select p.id, 'owner', 0, now(), now() from import_item i join user_profile p using (gateway_user_id)
      where i.kind = 'user' and i.source_id = '2'`;
    const report = await move(db, program, { from });
    expect((await sumsHere()).some(({ name }) => name === "2")).toBe(false);
    expect((await sumsHere()).length).toBeGreaterThan(0);
    expect(writeReport(report)).toContain("user 2: The account has been closed here");
  });

  test("does not stay for an account that is closed while it is moved", async () => {
    await beginMoved(program);
    await using closing = await beginClosing(db, "2");
    const moving = move(db, program);
    await closing.waitForWaiters(1);
    await closing.release();
    expect(writeReport(await moving)).toContain("user 2: The account has been closed here");
    expect((await sumsHere()).some(({ name }) => name === "2")).toBe(false);
  });

  test("has what calls that ended after the cut-over have used", async () => {
    await using peer = await copyPeer(program);
    const from = `sqlite:${peer.path}`;
    await beginMoved(program);
    await endMove(db, program, { from });
    peer.change("update logs set quota = quota + 11 where id = (select max(id) from logs where type = 2)");
    await move(db, program, { from, isDrained: true });
    expect(await quotaHere()).toBe(quotas[program] + 11n);
  });

  test("names rows that can't be read and users that were not moved, and takes the others", async () => {
    await using peer = await copyPeer(program);
    peer.change("update logs set quota = 'lots' where id = (select min(id) from logs where type = 2)");
    peer.change("update logs set created_at = -5 where id = (select max(id) from logs where type = 2)");
    peer.change("update logs set user_id = 4711 where user_id = 4 and type = 2");
    const report = await move(db, program, { from: `sqlite:${peer.path}` });
    const said = report.findings.filter(({ table }) => table === "logs").map(({ id, text }) => `${id}: ${text}`);
    expect(said.join("\n")).toContain('"lots" is not an integer');
    expect(said.join("\n")).toContain("-5 is not a time");
    expect(said.join("\n")).toContain("user 4711: The user was not moved");
    expect((await sumsHere()).length).toBeGreaterThan(0);
  });
});

describe("sums by hour of new-api", () => {
  test("are taken for the hours whose logs are gone, and for no others", async () => {
    await using peer = await copyPeer("new-api");
    peer.change(
      "insert into quota_data (user_id, username, model_name, created_at, count, quota, token_used) values (2, 'alice', 'gpt-4o', 1700000000, 3, 77, 500)",
    );
    const report = await move(db, "new-api", { from: `sqlite:${peer.path}` });
    expect(await quotaHere()).toBe(quotas["new-api"] + 77n);
    const early = (await sumsHere()).filter(({ day }) => day === "2023-11-14");
    expect(early).toEqual([
      { name: "2", day: "2023-11-14", model: "gpt-4o", calls: 3n, input: 500n, output: 0n, quota: 77n },
    ]);
    expect(writeReport(report)).toContain("The logs of 3 calls are gone");
  });

  test("are taken for all calls where there is no log at all", async () => {
    await using peer = await copyPeer("new-api");
    peer.change("drop table logs");
    await move(db, "new-api", { from: `sqlite:${peer.path}` });
    expect(await quotaHere()).toBe(quotas["new-api"]);
  });
});

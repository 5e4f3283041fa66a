import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { RatioProgram } from "@sluice/control-plane/moving/model.ts";
import type { ImportReport } from "@sluice/control-plane/moving/service.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { copyPeer, createMovedDatabase, endMove, move } from "../../support/moving/peers.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.ts";

let database: TestDatabase;
let db: Database;

beforeEach(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, poolMax: 2, applicationName: "test" });
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
  db = openDatabase({ url: database.url, poolMax: 2, applicationName: "test" });
};

const moneyIsRight = async () => expect([...(await db.sql`select * from check_money()`)]).toEqual([]);

const keyHere = async (key: string) => {
  const [row] = await db.sql<{ name: string | null; status: string }>`
    select p.username as name, k.status from api_key k join user_profile p using (gateway_user_id)
    where k.key_hash = sha256(${`sk-${key}`}::bytea)`;
  return row;
};

const said = ({ findings }: ImportReport, level: string, table: string): readonly string[] =>
  findings.filter((each) => each.level === level && each.table === table).map(({ id, text }) => `${id} ${text}`);

describe("what was deleted there since the last run", () => {
  test("ends here: keys are revoked, and one that has got the id of another is a key of its own", async () => {
    await using peer = await copyPeer("one-api");
    const from = `sqlite:${peer.path}`;
    await beginMoved("one-api");
    const [deletedKey, reusedKey, newKey] = [peer.keyOf(1), peer.keyOf(2), "N".repeat(48)];
    const owner = (await keyHere(deletedKey))?.name ?? "";
    expect(await keyHere(reusedKey)).toMatchObject({ status: "active" });
    // The database gives the id of the last key that was deleted to the next one, of any user.
    peer.change("delete from tokens where id = 1");
    peer.change(`update tokens set user_id = 3, name = 'new', key = '${newKey}' where id = 2`);
    const rehearsal = await move(db, "one-api", { from, isApplied: false });
    expect(said(rehearsal, "note", "tokens").filter((text) => text.includes("revoked here"))).toHaveLength(2);
    const report = await move(db, "one-api", { from });
    expect(report.counts.get("deleted")).toMatchObject({ changed: 1 });
    expect(await keyHere(deletedKey)).toEqual({ name: owner, status: "revoked" });
    expect(await keyHere(reusedKey)).toMatchObject({ status: "revoked" });
    expect(await keyHere(newKey)).toEqual({ name: "bob", status: "active" });
    const again = await move(db, "one-api", { from });
    expect([...again.counts.values()].every(({ made, changed, kept }) => made + changed + kept === 0)).toBe(true);
    expect(said(again, "note", "tokens").filter((text) => text.includes("revoked here"))).toEqual([]);
    await moneyIsRight();
  });

  test("ends here: accounts are closed with their balances, and the report names what was changed here", async () => {
    await using peer = await copyPeer("new-api");
    const from = `sqlite:${peer.path}`;
    const before = (await move(db, "new-api", { from })).movedQuota;
    await db.sql`update user_profile set display_name = 'Kept', updated_at = clock_timestamp() where username = 'bob'`;
    await db.sql`update api_key set name = 'kept', updated_at = clock_timestamp() where key_hash = sha256(${`sk-${peer.keyOf(6)}`}::bytea)`;
    peer.change("delete from users where username in ('carol', 'bob')");
    peer.change("delete from tokens where id = 6");
    peer.change("delete from channels where id = 5");
    const report = await move(db, "new-api", { from });
    expect(said(report, "note", "users")).toContainEqual(expect.stringContaining("4 It was deleted there since"));
    expect(said(report, "decide", "users")).toContainEqual(expect.stringContaining("3 It was deleted there since"));
    expect(said(report, "decide", "tokens")).toContainEqual(expect.stringContaining("6 It was deleted there since"));
    expect(said(report, "decide", "channels")).toContainEqual(expect.stringContaining("5 It was moved before"));
    expect(report.movedQuota).toBe(before - 254_219_334n);
    const rows = await db.sql<{ status: string; name: string | null; state: string; granted: bigint }>`
      select p.status, p.username as name, u.status as state, b.granted from import_item i
      join user_profile p using (gateway_user_id) join gateway_user u on u.id = p.gateway_user_id
      join budget b on b.gateway_user_id = u.id where i.kind = 'user' and i.source_id in ('3', '4') order by i.source_id`;
    expect([...rows]).toEqual([
      { status: "active", name: "bob", state: "enabled", granted: 6_170_000n },
      { status: "closed", name: null, state: "disabled", granted: 0n },
    ]);
    const again = await move(db, "new-api", { from });
    expect([...again.counts.values()].every(({ made, changed, kept }) => made + changed + kept === 0)).toBe(true);
    await endMove(db, "new-api", { from });
    const rest = await move(db, "new-api", { from, isDrained: true });
    expect(said(rest, "decide", "users")).toEqual([]);
    await moneyIsRight();
  });

  test("after the cut-over, until the edge led here, ends with the last run, and what was made then is moved", async () => {
    await using peer = await copyPeer("one-api");
    const from = `sqlite:${peer.path}`;
    await beginMoved("one-api");
    await endMove(db, "one-api", { from });
    const deletedKey = peer.keyOf(1);
    peer.change("delete from tokens where id = 1");
    peer.change(
      `insert into users (id, username, password, quota, "group") select 99, 'late', password, 4711, 'vip' from users where id = 2`,
    );
    const made = "insert into tokens (id, user_id, key, name, expired_time, unlimited_quota) values";
    peer.change(`${made} (98, 99, '${"L".repeat(48)}', 'late', -1, 1), (99, 3, '${"B".repeat(48)}', 'of bob', -1, 1)`);
    const report = await move(db, "one-api", { from, isDrained: true });
    expect(report.counts.get("users")).toMatchObject({ made: 1 });
    expect(report.counts.get("keys")).toMatchObject({ made: 2 });
    expect(report.counts.get("deleted")).toMatchObject({ changed: 1 });
    expect(await keyHere(deletedKey)).toMatchObject({ status: "revoked" });
    expect(await keyHere("L".repeat(48))).toEqual({ name: "late", status: "active" });
    expect(await keyHere("B".repeat(48))).toEqual({ name: "bob", status: "active" });
    const again = await move(db, "one-api", { from, isDrained: true });
    expect([...again.counts.values()].every(({ made: more, changed, kept }) => more + changed + kept === 0)).toBe(true);
    await moneyIsRight();
  });

  test("is not ended where most users are missing, which may be the database of another gateway", async () => {
    await using peer = await copyPeer("one-api");
    const from = `sqlite:${peer.path}`;
    await beginMoved("one-api");
    const active = await db.sql`select from user_profile where status = 'active'`;
    peer.change("delete from users where id > 4");
    peer.change("delete from tokens");
    const report = await move(db, "one-api", { from });
    expect(said(report, "decide", "users")).toContainEqual(expect.stringContaining("9 of 13 They were moved before"));
    expect(await db.sql`select from api_key where status = 'active'`).not.toHaveLength(0);
    expect(await db.sql`select from user_profile where status = 'active'`).toHaveLength(active.length);
  });
});

import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { RatioProgram } from "@sluice/control-plane/moving/model.ts";
import { openSource, urlOfGoAddress } from "@sluice/control-plane/moving/source/open-source.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { SQL } from "bun";
import { copyPeer, createMovedDatabase, endMove, move, peerFile } from "../../support/moving/peers.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.ts";
import { masterKeyBytes } from "../../support/service/sluice.ts";

const command = join(import.meta.dir, "../../../control-plane/src/commands/import.ts");
const isFull = process.env["TEST_FULL"] === "1";
let database: TestDatabase | null = null;
let db: Database;

async function begin(creating = createTestDatabase()): Promise<TestDatabase> {
  await end();
  const created = await creating;
  database = created;
  db = openDatabase({ url: created.url, poolMax: 2, applicationName: "test" });
  return created;
}

/** Begins with what the first run from the unchanged peer leaves. */
const beginMoved = (program: RatioProgram): Promise<TestDatabase> => begin(createMovedDatabase(program));

async function end(): Promise<void> {
  if (database !== null) {
    await db.close(500);
    await database.drop();
    database = null;
  }
}

afterEach(end);

const moneyIsRight = async () => expect([...(await db.sql`select * from check_money()`)]).toEqual([]);

/** Everything that an import makes, without ids and times. */
async function state(): Promise<string> {
  const tables = [
    await db.sql`select lower(p.username) as name, p.email, p.status, b.granted from user_profile p
      join budget b on b.gateway_user_id = p.gateway_user_id order by p.email`,
    await db.sql`select encode(key_hash, 'hex') as key, name, status, group_name from api_key order by 1`,
    await db.sql`select model, count(*) as versions, max(input_usd_per_m) as price from model_price group by 1 order by 1`,
    await db.sql`select c.name, a.group_name, a.model, a.priority, a.weight from ability a
      join channel c on c.id = a.channel_id order by 1, 2, 3`,
    await db.sql`select name, multiplier from user_group order by name`,
    await db.sql`select p.email, u.day, u.model, u.calls, u.input_tokens, u.output_tokens, u.quota from imported_usage u
      join user_profile p using (gateway_user_id) order by 1, 2, 3`,
  ];
  return JSON.stringify(tables, (_, value) => (typeof value === "bigint" ? value.toString() : value));
}

const usersHere = async () => (await db.sql`select from user_profile`).length;

describe("an import", () => {
  test("that is rehearsed says what it would do, and keeps nothing", async () => {
    await begin();
    const before = await state();
    const report = await move(db, "one-api", { isApplied: false });
    expect(report.counts.get("users")).toMatchObject({ made: 13 });
    expect(report.counts.get("keys")).toMatchObject({ made: 38 });
    expect(report.movedQuota).toBe(461_947_850n);
    expect(await state()).toBe(before);
    expect(await db.sql`select from import_item`).toHaveLength(0);
  });

  test("that is repeated changes nothing", async () => {
    await beginMoved("one-api");
    const once = await state();
    const report = await move(db, "one-api");
    expect([...report.counts.values()].every(({ made, changed, kept }) => made + changed + kept === 0)).toBe(true);
    expect(await state()).toBe(once);
    await moneyIsRight();
  });

  test("that was interrupted after any step ends the same when it is run again", async () => {
    await beginMoved("new-api");
    const whole = await state();
    for (const at of isFull ? ["users", "keys", "models", "channels", "usage"] : ["keys", "usage"]) {
      await begin();
      const stopped = move(db, "new-api", {
        onStep: (name) => {
          if (name === at) {
            throw new Error("interrupted");
          }
        },
      });
      await expect(stopped).rejects.toThrow("interrupted");
      await move(db, "new-api");
      expect(await state()).toBe(whole);
      await moneyIsRight();
    }
  });

  test("moves the difference of a balance that has changed there since, once", async () => {
    await using peer = await copyPeer("one-api");
    const from = `sqlite:${peer.path}`;
    await beginMoved("one-api");
    peer.change("update users set quota = quota - 1000 where username = 'alice'");
    peer.change("update users set quota = quota + 7 where username = 'frank'");
    const report = await move(db, "one-api", { from });
    expect(report.counts.get("users")).toMatchObject({ changed: 2, unchanged: 11 });
    await move(db, "one-api", { from });
    const rows = await db.sql<{ username: string; granted: bigint }>`
      select p.username, b.granted from user_profile p join budget b on b.gateway_user_id = p.gateway_user_id
      where p.username in ('alice', 'frank') order by 1`;
    expect(rows.map(({ granted }) => granted)).toEqual([4_949_569n, -249_993n]);
    await moneyIsRight();
  });

  test("takes over names and addresses that have changed there since", async () => {
    await using peer = await copyPeer("new-api");
    const from = `sqlite:${peer.path}`;
    await beginMoved("new-api");
    const profile = async (id: string) => {
      const [row] = await db.sql<{ email: string; name: string | null; is_verified: boolean }>`
        select p.email, p.username as name, p.email_verified_at is not null as is_verified from import_item i
        join user_profile p using (gateway_user_id) where i.kind = 'user' and i.source_id = ${id}`;
      return row;
    };
    await db.sql`update user_profile set email_verified_at = now() where username in ('alice', 'bob')`;
    peer.change("update users set email = 'new-alice@example.org', username = 'alicia' where username = 'alice'");
    peer.change("update users set email = 'BOB@example.com', display_name = 'Bob' where username = 'bob'");
    peer.change("update users set email = 'heidi@example.de' where username = 'grace'");
    peer.change("update users set email = 'ivan@example.org' where username = 'ivan'");
    peer.change("update users set status = 3 where username = 'erin'");
    const { findings } = await move(db, "new-api", { from });
    expect(await profile("2")).toEqual({ email: "new-alice@example.org", name: "alicia", is_verified: false });
    expect(await profile("3")).toEqual({ email: "BOB@example.com", name: "bob", is_verified: true });
    expect(await profile("8")).toMatchObject({ email: "new-api-8@imported.invalid", name: "grace" });
    expect(await profile("10")).toMatchObject({ email: "ivan@example.org" });
    expect(await profile("6")).toMatchObject({ email: "new-api-6@imported.invalid", name: null });
    const ofUsers = findings.filter(({ text }) => text.includes("another account has it")).map(({ id }) => id);
    expect(ofUsers).toEqual(["8"]);
  });

  test("keeps what was changed here, however many runs come after it", async () => {
    await using peer = await copyPeer("one-api");
    const from = `sqlite:${peer.path}`;
    await beginMoved("one-api");
    await db.sql`update user_profile set status = 'suspended', updated_at = now() where username = 'alice'`;
    peer.change("update users set display_name = 'Alice' where username = 'alice'");
    const report = await move(db, "one-api", { from });
    expect(report.counts.get("users")).toMatchObject({ kept: 1 });
    const [alice] = await db.sql<{ status: string }>`select status from user_profile where username = 'alice'`;
    expect(alice?.status).toBe("suspended");
    const ofAlice = "user_id = (select id from users where username = 'alice')";
    await db.sql`
      update api_key set status = 'revoked', updated_at = now() where gateway_user_id =
        (select gateway_user_id from user_profile where username = 'alice')`;
    for (const name of ["once", "twice"]) {
      peer.change(`update tokens set name = '${name}' where ${ofAlice}`);
      const { counts } = await move(db, "one-api", { from });
      expect(counts.get("keys")?.changed).toBe(0);
      expect(counts.get("keys")?.kept).toBeGreaterThan(0);
    }
    peer.change("update users set display_name = 'Alice again' where username = 'alice'");
    expect((await move(db, "one-api", { from })).counts.get("users")).toMatchObject({ kept: 1, changed: 0 });
  });

  test("is refused once customers call here: their balances are no longer there", async () => {
    await beginMoved("one-api");
    expect(await endMove(db, "one-api")).toMatchObject({ made: 3 });
    await expect(move(db, "one-api")).rejects.toThrow("cut over");
    await expect(endMove(db, "one-api")).rejects.toThrow("cut over");
    expect(await usersHere()).toBe(13);
  });

  test("of two gateways never links their users, whatever they are called", async () => {
    await beginMoved("one-api");
    const report = await move(db, "new-api");
    expect(report.counts.get("users")).toMatchObject({ made: 13 });
    expect(report.counts.get("channels")).toMatchObject({ made: 14 });
    expect(await usersHere()).toBe(26);
    // Both their names and their addresses are taken.
    const ofAlice = report.findings.filter(({ table, id }) => table === "users" && id === "2").map(({ text }) => text);
    expect(ofAlice.join()).toContain("no e-mail reaches it, nobody can log in until an admin enters one.");
    expect(ofAlice.join()).not.toContain("logs in by name");
    await moneyIsRight();
  });
});

describe("the command", () => {
  test.each([
    [["other-api", "--from", "sqlite:x"], "one-api|new-api|litellm"],
    [["one-api", "--from", "sqlite:x", "--instance", "A B"], "--instance"],
    [["one-api", "--from", "sqlite:x", "--cut-over"], "goes with --apply"],
    [["one-api", "--from", "sqlite:x", "--apply", "--cut-over", "--drained"], "after the run with --cut-over"],
  ] as const)("ends with 2 for a wrong command line: %p", async (words, said) => {
    const child = Bun.spawn([process.execPath, command, ...words], { stdout: "ignore", stderr: "pipe", env: {} });
    expect(await child.stderr.text()).toContain(said);
    expect(await child.exited).toBe(2);
  });

  test("reads an address with a password from its standard input, which no list of processes shows", async () => {
    const { url } = await begin();
    const child = Bun.spawn([process.execPath, command, "one-api", "--from", "-"], {
      stdin: new Blob(["postgres://mover:secret@127.0.0.1:1/old\n"]),
      stdout: "ignore",
      stderr: "pipe",
      env: { NODE_ENV: "test", DATABASE_URL: url, MASTER_KEY: masterKeyBytes.toString("base64") },
    });
    const said = await child.stderr.text();
    expect(said).toContain("the database to move from can't be opened");
    expect(said).not.toContain("secret");
    expect(await child.exited).toBe(1);
  });
});

describe("odd rows", () => {
  test("are reported one by one, and the others are moved", async () => {
    await begin();
    await using peer = await copyPeer("new-api");
    peer.change("update users set email = 'ALICE@example.com ' where username = 'bob'");
    peer.change("update users set role = 1, status = 9 where username = 'carol'");
    peer.change("update users set quota = 'a lot' where username = 'erin'");
    peer.change("update tokens set user_id = 999 where name = 'bob-main'");
    peer.change("update tokens set key = 'short' where name = 'bob-limited'");
    peer.change("update tokens set \"group\" = 'auto' where name = 'bob-two-ips'");
    peer.change("update tokens set allow_ips = '10.0.0.0/8' where name = 'carol-one-ip'");
    peer.change("update channels set type = 58 where id = 1");
    peer.change("update channels set model_mapping = '{' where id = 7");
    peer.change("update users set quota = 9100000000000000000 where username = 'heidi'");
    peer.change(
      "update users set password = '$2a$31$' || substr(password, 8), display_name = 'A' || char(10) || 'B' where username = 'frank'",
    );
    const { findings, counts } = await move(db, "new-api", { from: `sqlite:${peer.path}` });
    const saying = (table: string, words: string) =>
      findings.some((finding) => finding.table === table && finding.text.includes(words));
    expect(saying("users", "another account has it")).toBe(true);
    expect(saying("users", "status 9 is unknown")).toBe(true);
    expect(saying("users", "is not an integer")).toBe(true);
    expect(saying("tokens", "user does not exist")).toBe(true);
    expect(saying("tokens", "22 to 128 characters")).toBe(true);
    expect(saying("tokens", "groups in turn")).toBe(true);
    expect(saying("tokens", "ignores the address 10.0.0.0/8")).toBe(true);
    expect(saying("channels", "type 58")).toBe(true);
    expect(saying("channels", "mapping of its models")).toBe(true);
    expect(saying("users", "out of range")).toBe(true);
    expect(saying("users", "unusual cost")).toBe(true);
    const [frank] = await db.sql<{ name: string; hash: string | null }>`
      select display_name as name, password_hash as hash from user_profile where username = 'frank'`;
    expect(frank).toEqual({ name: "A B", hash: null });
    expect(counts.get("users")).toMatchObject({ made: 11 });
    await moneyIsRight();
  });

  test("of sign-ins, second factors, payments and settings are in the report, without secrets", async () => {
    await begin();
    await using peer = await copyPeer("new-api");
    peer.change("update users set github_id = 'alice-on-github', oidc_id = 'sub-1' where username = 'alice'");
    peer.change("update users set github_id = 'bob-on-github', password = '' where username = 'bob'");
    peer.change("create table two_fas (id integer primary key, user_id integer, secret text, is_enabled integer)");
    peer.change("insert into two_fas values (1, 2, 'JBSWY3DPEHPK3PXP', 1), (2, 3, 'JBSWY3DPEHPK3PXP', 0)");
    const { findings } = await move(db, "new-api", { from: `sqlite:${peer.path}` });
    const texts = (table: string) =>
      findings.filter((each) => each.table === table).map(({ id, text }) => `${id} ${text}`);
    expect(texts("users").some((text) => text.startsWith("2 Its sign-in with github and oidc"))).toBe(true);
    expect(texts("users").some((text) => text.startsWith("3 ") && text.includes("sets a password by e-mail"))).toBe(
      true,
    );
    expect(texts("two_fas")).toEqual([
      expect.stringMatching(/^2 User 3 has begun to set up an authenticator/),
      expect.stringMatching(/^1 authenticator Each keeps working here/),
    ]);
    expect(texts("top_ups")).toEqual([expect.stringContaining("1 success, 1 pending, 10 USD of which was credited")]);
    expect(texts("options")).toEqual([expect.stringContaining("EpayKey")]);
    expect(JSON.stringify(findings)).not.toContain("JBSWY3DPEHPK3PXP");
  });

  test("never bring the text of a broken setting into the report: it may be a credential", async () => {
    await begin();
    await using peer = await copyPeer("one-api");
    peer.change('update channels set config = \'{"sk": "SECRET-OF-A-CHANNEL\' where id = 10');
    peer.change("update channels set model_mapping = '[\"SECRET-OF-A-CHANNEL\"]' where id = 7");
    peer.change("update channels set base_url = 'ftp://SECRET-OF-A-CHANNEL' where id = 6");
    const report = await move(db, "one-api", { from: `sqlite:${peer.path}` });
    expect(report.findings.filter(({ table }) => table === "channels").map(({ id }) => id)).toEqual(
      expect.arrayContaining(["6", "7", "10"]),
    );
    expect(JSON.stringify(report.findings)).not.toContain("SECRET");
  });

  test("among codes do not stop the cut-over", async () => {
    await begin();
    await using peer = await copyPeer("new-api");
    const code = "dad1998a9bee4ce0bdcabaa4db232c9d";
    peer.change(`update redemptions set key = upper('${code}') where key = 'f58047083c4d442f9697bf2c722be953'`);
    peer.change("update redemptions set deleted_at = null");
    peer.change("update redemptions set status = 1, key = 'not-a-code' where name = 'void'");
    peer.change("update redemptions set quota = 0 where key = '48c10938e5984cc7b2dc2db2403bf624'");
    const from = `sqlite:${peer.path}`;
    const { findings } = await move(db, "new-api", { from, isApplied: false });
    const lost = findings.filter(({ table }) => table === "redemptions").map(({ text }) => text);
    expect(lost.toSorted()).toEqual([
      "It is not 32 hexadecimal digits.",
      "It is worth nothing.",
      "The same code exists here already; capital letters make no difference.",
    ]);
    await move(db, "new-api", { from });
    expect(await endMove(db, "new-api", { from })).toMatchObject({ made: 1, leftOut: 2 });
    await moneyIsRight();
  });

  test("meet what an admin has archived or deleted here since, and the rest is moved", async () => {
    await begin();
    await using peer = await copyPeer("one-api");
    const from = `sqlite:${peer.path}`;
    await db.sql`delete from ability`;
    await move(db, "one-api", { from });
    await db.sql`update model set archived_at = now(), status = 'disabled' where name = 'gpt-4o'`;
    await db.sql`delete from ability where group_name = 'svip' or model = 'gpt-4o'`;
    await db.sql`delete from channel_credential where channel_id in (select id from channel where name = 'Flaky compatible')`;
    peer.change("update options set value = json_set(value, '$.\"gpt-4o\"', 9) where key = 'ModelRatio'");
    peer.change("update channels set id = 99 where id = 1");
    const { findings, counts } = await move(db, "one-api", { from });
    expect(findings).toContainEqual(
      expect.objectContaining({
        level: "decide",
        table: "models",
        id: "gpt-4o",
        text: expect.stringContaining("archived"),
      }),
    );
    expect(findings).toContainEqual(
      expect.objectContaining({ table: "channels", id: "99", text: expect.stringContaining("does not serve gpt-4o") }),
    );
    expect(counts.get("channels")).toMatchObject({ made: 1 });
    await endMove(db, "one-api", { from });
    await moneyIsRight();
  });

  test("of an unusual unit are converted to the same money", async () => {
    await begin();
    await using peer = await copyPeer("one-api");
    peer.change("insert into options (key, value) values ('QuotaPerUnit', '1000000')");
    const report = await move(db, "one-api", { from: `sqlite:${peer.path}` });
    expect(report.movedQuota).toBe(230_973_923n);
    const [price] = await db.sql<{ input: string }>`
      select trim_scale(input_usd_per_m) as input from model_price where model = 'gpt-4o'`;
    expect(price?.input).toBe("1.25");
    await moneyIsRight();
  });
});

describe("the source", () => {
  test("of another program is refused before anything is written", async () => {
    await begin();
    await expect(move(db, "new-api", { from: `sqlite:${peerFile("one-api")}` })).rejects.toThrow(
      "a database of one-api",
    );
    await expect(openSource("sqlite:/nowhere.db")).rejects.toThrow("does not exist");
    await expect(openSource("http://example.org")).rejects.toThrow("--from has to be");
  });

  test("in Postgres gives the same as its file", async () => {
    await begin();
    await using peer = await createTestDatabase();
    await copyToPostgres(peer.url, peerFile("one-api"));
    await move(db, "one-api", { from: `${peer.url}` });
    const fromServer = await state();
    await beginMoved("one-api");
    expect(await state()).toBe(fromServer);
  });

  test("in MySQL may be written as Go programs write it", () => {
    expect(urlOfGoAddress("root:p@ss@tcp(db:3306)/oneapi?parseTime=true")).toBe("mysql://root:p%40ss@db:3306/oneapi");
    expect(urlOfGoAddress("postgres://db/oneapi")).toBeNull();
  });
});

/** The tables of a file of SQLite, in the public schema of an otherwise unused database. */
async function copyToPostgres(url: string, file: string): Promise<void> {
  const source = await openSource(`sqlite:${file}`);
  const target = new SQL(url, { max: 1 });
  try {
    await target.unsafe("drop schema public cascade; create schema public");
    for (const table of ["users", "tokens", "channels", "options", "logs", "redemptions"]) {
      const columns = [...((await source.columnsOf(table)) ?? [])];
      const key = table === "options" ? "key" : "id";
      const typeOf = (name: string) =>
        name === "key" && table === "tokens" ? "char(60)" : name === "id" ? "bigint" : "text";
      await target.unsafe(`create table ${table} (${columns.map((name) => `"${name}" ${typeOf(name)}`).join(", ")})`);
      for await (const row of source.rows(table, key)) {
        const values = columns.map((name) =>
          row[name] === null || row[name] === undefined ? null : String(row[name]),
        );
        const places = columns.map((_, index) => `$${index + 1}`).join(", ");
        await target.unsafe(`insert into ${table} values (${places})`, values);
      }
    }
  } finally {
    await source.close();
    await target.close({ timeout: 1 });
  }
}

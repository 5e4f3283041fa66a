import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ImportReport } from "@sluice/control-plane/moving/service.ts";
import { writeCalls, writeReport } from "@sluice/control-plane/moving/write-report.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { alikePrograms, copyPeer, createLiteLlm, endMove, move, moveSingleCalls } from "../../support/moving/peers.ts";
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

/** The rows of each step and those of the source: none may be missing in the counts. */
function countOf(report: ImportReport, step: string): number {
  const counts = report.counts.get(step);
  return counts === undefined ? 0 : counts.made + counts.changed + counts.unchanged + counts.kept + counts.leftOut;
}

const unreadable = (report: ImportReport, table: string): number =>
  report.findings.filter(({ table: of, text }) => of === table && text.startsWith("The row can't be read")).length;

const textsOf = (report: ImportReport, table: string, id: string): string =>
  report.findings
    .filter((finding) => finding.table === table && finding.id === id)
    .map(({ text }) => text)
    .join("\n");

/** Rows that real databases have, and some that nobody should have. */
const hostile = [
  "update users set email = 'BOB@example.com' where username = 'alice'",
  "update users set email = 'not an address', username = 'with space' where username = 'carol'",
  `update users set username = '${"n".repeat(300)}', display_name = '${"d".repeat(99)}😀${"d".repeat(4_900)}' where username = 'dave'`,
  "update users set \"group\" = '' where username = 'erin'",
  "update users set \"group\" = 'VIP' where username = 'frank'",
  "update users set quota = 9007199254740993 where username = 'grace'",
  "update users set quota = 99999999999999999999 where username = 'heidi'",
  "update users set display_name = cast(x'c328' as text), password = 'plain' where username = 'ivan'",
  "update users set display_name = 'a' || char(0) || char(8238) || 'b', role = 7, status = 0 where username = 'olivia'",
  "update tokens set user_id = 4711 where id = 2",
  "update tokens set key = 'has a space in it and is long enough' where id = 3",
  "update tokens set expired_time = 99999999999999 where id = 4",
  "update tokens set expired_time = 0 where id = 5",
  "update tokens set remain_quota = 'lots', unlimited_quota = 0 where id = 6",
  `update tokens set name = '${"k".repeat(1_000)}' where id = 7`,
  "update tokens set status = 77 where id = 8",
  "update channels set type = 0 where id = 1",
  "update channels set models = ' gpt-4o , ,gpt-4o,, gpt-4o-mini', \"group\" = 'default,,VIP' where id = 2",
  "update channels set model_mapping = 'null', priority = -9223372036854775808 where id = 3",
  "update channels set model_mapping = '[1]', weight = 4294967296 where id = 4",
  "update channels set base_url = 'javascript:alert(1)' where id = 5",
  "update channels set key = '', base_url = 'https://user:secret@host.example' where id = 6",
  `update channels set models = '${"m".repeat(500)},with space,ok/model' where id = 7`,
  "update channels set name = '' where id = 8",
];

describe.each(alikePrograms)("a hostile database of %s", (program) => {
  test("is moved as far as it goes, every odd row is reported, and nothing is dropped in silence", async () => {
    await using peer = await copyPeer(program);
    for (const sql of hostile) {
      peer.change(sql);
    }
    const from = `sqlite:${peer.path}`;
    const report = await move(db, program, { from });
    const [users, tokens, channels] = [13, program === "one-api" ? 38 : 27, 14];
    expect(countOf(report, "users") + unreadable(report, "users")).toBe(users);
    expect(countOf(report, "keys") + unreadable(report, "tokens")).toBe(tokens);
    expect(countOf(report, "channels") + unreadable(report, "channels")).toBe(channels);
    expect(unreadable(report, "users")).toBe(1);
    expect(textsOf(report, "users", "3") + textsOf(report, "users", "2")).toContain("another account has it");
    expect(textsOf(report, "users", "4")).toContain("is invalid");
    expect(textsOf(report, "users", "10")).toContain("not stored as bcrypt");
    expect(textsOf(report, "users", "13")).toContain("status 0 is unknown");
    expect(textsOf(report, "tokens", "2")).toContain("user does not exist");
    expect(textsOf(report, "tokens", "3")).toContain("22 to 128 characters");
    expect(textsOf(report, "tokens", "4")).toContain("is not a time");
    expect(textsOf(report, "tokens", "6")).toContain("is not an integer");
    expect(textsOf(report, "tokens", "8")).toContain("status 77 is unknown");
    expect(textsOf(report, "channels", "1")).toContain("type 0");
    expect(textsOf(report, "channels", "5")).toContain("not an HTTP address");
    expect(textsOf(report, "groups", "VIP")).toContain("It is called");
    expect(textsOf(report, "models", "with space")).toContain("not moved");
    expect(writeReport(report)).not.toContain("user:secret");
    const [dave] = await db.sql<{
      name: string;
    }>`select display_name as name from user_profile where display_name like 'ddd%'`;
    expect(dave?.name).toBe("d".repeat(99));
    expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
    const again = await move(db, program, { from });
    expect([...again.counts.values()].every(({ made, changed, kept }) => made + changed + kept === 0)).toBe(true);
    await endMove(db, program, { from });
    expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
  });
});

describe("cells that customers there can fill", () => {
  test("begin no line of the report, and say nothing to the terminal that shows it", async () => {
    await using peer = await copyPeer("one-api");
    const ending = "char(27) || ']0;title' || char(7) || char(10) || 'FORGED'";
    peer.change(`update users set email = 'x' || ${ending} where id = 2`);
    peer.change(`update users set "group" = 'q' || ${ending} where id = 3`);
    peer.change(`update tokens set subnet = 'y' || ${ending} where id = 3`);
    peer.change(`update channels set models = 'z' || ${ending} || '${"m".repeat(5_000)}' where id = 3`);
    peer.change(callRow({ user: `'9' || ${ending}` }));
    const from = `sqlite:${peer.path}`;
    const report = await move(db, "one-api", { from });
    const calls = await moveSingleCalls(db, "one-api", { from });
    for (const text of [writeReport(report), writeCalls(calls, true)]) {
      expect(text).toContain("title FORGED");
      expect(text).not.toMatch(/^FORGED/m);
      expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
      expect(Math.max(...text.split("\n").map(({ length }) => length))).toBeLessThan(2_100);
    }
  });

  test("count as no use where no call can have used so much, and the sums of all days fit", async () => {
    await using peer = await copyPeer("one-api");
    const from = `sqlite:${peer.path}`;
    const before = (await move(db, "one-api", { from, isApplied: false })).usage;
    for (let day = 0; day < 12; day += 1) {
      peer.change(callRow({ at: 1_700_000_000 + day * 86_400, tokens: 900_000_000_000_000_000n }));
    }
    const report = await move(db, "one-api", { from });
    expect(unreadable(report, "logs")).toBe(12);
    expect(report.usage?.here).toEqual(before?.there);
    expect((await moveSingleCalls(db, "one-api", { from })).findings).toHaveLength(12);
  });

  test("that are alike once they are cut are one model", async () => {
    await using peer = await copyPeer("one-api");
    for (const last of ["😀", "🌀"]) {
      peer.change(callRow({ model: `${"m".repeat(199)}${last}` }));
    }
    const from = `sqlite:${peer.path}`;
    await move(db, "one-api", { from });
    await moveSingleCalls(db, "one-api", { from });
    const rows = await db.sql`select model, calls::int as calls from imported_usage where model like 'mmm%'`;
    expect([...rows]).toEqual([{ model: "m".repeat(199), calls: 2 }]);
  });
});

type CallCells = { readonly user: string; readonly at: number; readonly tokens: bigint; readonly model: string };

/** Adds a call to a peer; the user is an expression. */
function callRow({ user = "2", at = 1_700_000_000, tokens = 10n, model = "gpt-4o" }: Partial<CallCells>): string {
  return `insert into logs (user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens, completion_tokens)
    values (${user}, ${at}, 2, '', 'a', 'k', '${model}', 3, ${tokens}, 5)`;
}

describe("ratios of groups", () => {
  test("with an exponent are exact, and values that are not numbers of at least 0 are in the report", async () => {
    await using peer = await copyPeer("one-api");
    peer.change(`insert or replace into options (key, value)
      values ('GroupRatio', '{"default": 1E0, "vip": 7.5e-1, "svip": "0.5", "odd": -1, "tiny": 1e-99}')`);
    const report = await move(db, "one-api", { from: `sqlite:${peer.path}` });
    const rows = await db.sql<{ name: string; multiplier: string }>`
      select name, multiplier::text from user_group where name in ('default', 'vip', 'svip') order by name`;
    expect(rows.map(({ name, multiplier }) => [name, Number(multiplier)])).toEqual([
      ["default", 1],
      ["svip", 1],
      ["vip", 0.75],
    ]);
    expect(textsOf(report, "options", "GroupRatio")).toContain(
      'The values of "svip", "odd", "tiny" are not numbers of at least 0',
    );
  });
});

describe("groups that are here already", () => {
  test("are for the operator to decide about if others would pay differently", async () => {
    await using peer = await copyPeer("one-api");
    const from = `sqlite:${peer.path}`;
    await move(db, "one-api", { from });
    peer.change("insert or replace into options (key, value) values ('GroupRatio', '{\"default\": 1, \"vip\": 0.6}')");
    const levelsOf = async (instance: string) =>
      (await move(db, "one-api", { from, instance, isApplied: false })).findings
        .filter(({ table, text }) => table === "groups" && text.includes("for all accounts that are in it"))
        .map(({ level, id }) => `${level} ${id}`);
    expect(await levelsOf("second")).toEqual(["decide svip", "decide vip"]);
    expect(await levelsOf("one-api")).toEqual(["note svip", "note vip"]);
  });
});

describe("balances that no account can have", () => {
  test("are named and left out, and the users are moved", async () => {
    await using peer = await copyPeer("one-api");
    peer.change("update users set quota = 999999999999999999, role = 1 where id > 1");
    const from = `sqlite:${peer.path}`;
    const report = await move(db, "one-api", { from });
    expect(report.counts.get("users")).toMatchObject({ made: 13 });
    expect(report.movedQuota).toBe(0n);
    expect(report.findings.filter(({ text }) => text.includes("more than an account can have"))).toHaveLength(12);
    peer.change("update users set quota = 700 where id = 2");
    expect((await move(db, "one-api", { from })).movedQuota).toBe(700n);
    peer.change("update users set quota = -999999999999999999 where id = 2");
    await endMove(db, "one-api", { from });
    expect((await move(db, "one-api", { from, isDrained: true })).movedQuota).toBe(0n);
    expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
  });
});

describe("rows that are nearly alike", () => {
  test("codes that differ in capital letters only are one here, and the other is in the report", async () => {
    await using peer = await copyPeer("one-api");
    peer.change("update redemptions set key = 'abcdefabcdefabcdefabcdefabcdefab', status = 1 where id = 1");
    peer.change("update redemptions set key = 'ABCDEFABCDEFABCDEFABCDEFABCDEFAB', status = 1 where id = 2");
    const from = `sqlite:${peer.path}`;
    const report = await move(db, "one-api", { from, isApplied: false });
    expect(textsOf(report, "redemptions", "1") + textsOf(report, "redemptions", "2")).toContain(
      "The same code exists here already",
    );
    await move(db, "one-api", { from });
    expect(await endMove(db, "one-api", { from })).toMatchObject({ leftOut: 1 });
    expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
  });

  test("a channel with keys on several lines that is not marked so is in the report, without its keys", async () => {
    await using peer = await copyPeer("one-api");
    peer.change("update channels set key = 'sk-first-of-two' || char(10) || 'sk-second-of-two' where id = 1");
    const report = await move(db, "one-api", { from: `sqlite:${peer.path}` });
    expect(textsOf(report, "channels", "1")).not.toBe("");
    expect(writeReport(report)).not.toContain("of-two");
  });
});

describe("a hostile database of LiteLLM", () => {
  test("is moved as far as it goes, every odd row is reported, and nothing is dropped in silence", async () => {
    await using lite = await createLiteLlm();
    for (const sql of [
      `update "LiteLLM_UserTable" set user_email = 'ALICE@EXAMPLE.COM ' where user_id = 'bob@example.com'`,
      `update "LiteLLM_UserTable" set max_budget = 'NaN' where user_id = 'carol'`,
      `update "LiteLLM_UserTable" set max_budget = 1e300, password = 'plain' where user_id = 'dave'`,
      `update "LiteLLM_UserTable" set rpm_limit = 9223372036854775807, tpm_limit = 0, metadata = '[]' where user_id = 'erin'`,
      `update "LiteLLM_TeamTable" set members_with_roles = '"odd"', admins = '{carol}' where team_id = 'team-services'`,
      `update "LiteLLM_TeamTable" set team_alias = repeat('t', 500), models = '{no-default-models}' where team_id = 'team-blocked'`,
      `update "LiteLLM_VerificationToken" set token = 'typed-by-hand', key_name = null where key_alias = 'alice-limited'`,
      `update "LiteLLM_VerificationToken" set expires = '294276-01-01' where key_alias = 'bob-monthly'`,
      `update "LiteLLM_VerificationToken" set max_budget = -5, spend = 'Infinity' where key_alias = 'orphan'`,
      `update "LiteLLM_VerificationToken" set team_id = 'gone', models = array_fill('x'::text, array[300]) where key_alias = 'all-proxy'`,
      `update "LiteLLM_ProxyModelTable" set litellm_params = '"text"', model_info = null where model_id = 'm-1'`,
      `update "LiteLLM_ProxyModelTable" set litellm_params = '{"model": 5, "api_base": ["x"]}' where model_id = 'm-2'`,
      `update "LiteLLM_ProxyModelTable" set litellm_params = '{"model": "openai/x", "api_base": "file:///etc/passwd"}',
        model_info = '{"input_cost_per_token": "free", "output_cost_per_token": -1}' where model_id = 'm-4'`,
      `update "LiteLLM_DeprecatedVerificationToken" set active_token_id = 'gone'`,
    ]) {
      await lite.change(sql);
    }
    const report = await move(db, "litellm", { from: lite.url });
    expect(countOf(report, "users") + unreadable(report, "UserTable")).toBe(7);
    expect(countOf(report, "organisations") + unreadable(report, "TeamTable")).toBe(3);
    // The key of a login, and the old key of one that is gone, are not keys of customers.
    expect(countOf(report, "keys") + unreadable(report, "VerificationToken")).toBe(14);
    expect(textsOf(report, "UserTable", "carol")).toContain("is not a number");
    expect(textsOf(report, "UserTable", "dave")).toContain("is not a number");
    expect(textsOf(report, "users", "bob@example.com")).toContain("another account has it");
    expect(report.findings.some(({ text }) => text.includes("not stored by its SHA-256"))).toBe(true);
    expect(report.findings.some(({ text }) => text.includes('team "gone" does not exist'))).toBe(true);
    expect(report.findings.some(({ text }) => text.includes("The key that replaces it"))).toBe(true);
    expect(writeReport(report)).not.toContain("typed-by-hand");
    expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
    const again = await move(db, "litellm", { from: lite.url });
    expect([...again.counts.values()].every(({ made, changed, kept }) => made + changed + kept === 0)).toBe(true);
    await endMove(db, "litellm", { from: lite.url });
  });
});

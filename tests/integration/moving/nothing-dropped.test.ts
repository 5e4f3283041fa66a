import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ImportReport } from "@sluice/control-plane/moving/service.ts";
import { writeReport } from "@sluice/control-plane/moving/write-report.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { alikePrograms, copyPeer, createLiteLlm, move } from "../../support/moving/peers.ts";
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

function said(report: ImportReport, table: string): Readonly<Record<string, string>> {
  const of = report.findings.filter((finding) => finding.table === table);
  return Object.fromEntries(of.map(({ level, id, text }) => [id, `${level}: ${text}`]));
}

describe.each(alikePrograms)("the report about a newer database of %s", (program) => {
  test("names every column with values and every table with rows that this import does not know", async () => {
    await using peer = await copyPeer(program);
    for (const sql of [
      "alter table users add column loyalty integer default 0",
      "alter table users add column badge text default ''",
      "update users set loyalty = 3 where id in (2, 3)",
      "alter table tokens add column rate text",
      "update tokens set rate = '10/m' where id = 1",
      "alter table channels add column mystery text default '{}'",
      "alter table logs add column carbon real",
      "update logs set carbon = 0.5 where id = (select max(id) from logs where type = 2)",
      "create table loyalty_points (id integer primary key, points integer)",
      "insert into loyalty_points (points) values (1), (2)",
      "create table nothing_in_it (id integer primary key)",
    ]) {
      peer.change(sql);
    }
    const report = await move(db, program, { from: `sqlite:${peer.path}`, isApplied: false });
    expect(said(report, "users")["column loyalty"]).toStartWith("lost: Not moved; 2 rows have a value in it.");
    expect(said(report, "users")["column badge"]).toBeUndefined();
    expect(said(report, "tokens")["column rate"]).toContain("1 row has a value in it");
    expect(said(report, "channels")["column mystery"]).toBeUndefined();
    expect(said(report, "logs")["column carbon"]).toContain("1 row has");
    expect(said(report, "loyalty_points")).toEqual({ "2 rows": expect.stringContaining("unknown to this import") });
    expect(said(report, "nothing_in_it")).toEqual({});
    expect(said(report, "users")["column aff_code"]).toContain("links of invitations");
  });

  test("of a database that the program itself has written names no unknown table or column", async () => {
    const report = await move(db, program, { isApplied: false });
    expect(report.findings.filter(({ text }) => text.includes("unknown to this import"))).toEqual([]);
    expect(said(report, "abilities")).toEqual({});
  });

  test("names abilities that went stale, that are off, and that are missing", async () => {
    await using peer = await copyPeer(program);
    for (const sql of [
      "insert into abilities (\"group\", model, channel_id, enabled) values ('default', 'gpt-4o', 4711, 1)",
      "insert into abilities (\"group\", model, channel_id, enabled) values ('default', 'model-of-yore', 1, 1)",
      "insert into abilities (\"group\", model, channel_id, enabled) values ('group-of-yore', 'gpt-4o', 1, 1)",
      "update abilities set enabled = 0 where \"group\" = 'default' and model = 'gpt-4o' and channel_id = 1",
      "delete from abilities where \"group\" = 'vip' and model = 'gpt-4o' and channel_id = 1",
    ]) {
      peer.change(sql);
    }
    const report = await move(db, program, { from: `sqlite:${peer.path}`, isApplied: false });
    expect(said(report, "abilities")).toEqual({
      "default, gpt-4o, channel 4711": "lost: It is stale: the channel does not exist.",
      "default, model-of-yore, channel 1": "lost: It is stale: the channel does not have the model any more.",
      "group-of-yore, gpt-4o, channel 1": "lost: It is stale: the channel does not serve the group any more.",
      "default, gpt-4o, channel 1": expect.stringContaining("decide: It is off there, though its channel is on"),
      "vip, gpt-4o, channel 1": expect.stringContaining("note: It is missing there"),
    });
  });

  test("is bounded when thousands of abilities are stale", async () => {
    await using peer = await copyPeer(program);
    peer.change(`with recursive n(x) as (select 1 union all select x + 1 from n where x < 5000)
      insert into abilities ("group", model, channel_id, enabled) select 'default', 'stale-' || x, 4711, 1 from n`);
    const report = await move(db, program, { from: `sqlite:${peer.path}`, isApplied: false });
    const stale = said(report, "abilities");
    expect(Object.keys(stale)).toHaveLength(51);
    expect(stale["4950 further rows"]).toContain("differ from the lists of their channels");
  });
});

describe("the report about channels", () => {
  test("names settings that are not moved and what follows, without their values", async () => {
    await using peer = await copyPeer("new-api");
    peer.change(`update channels set auto_ban = 0, setting = '{"proxy":"socks5://user:hidden@10.0.0.1:1080","force_format":false,
      "system_prompt":"hidden"}' where id = 4`);
    peer.change(`update channels set setting = '{"proxy":"hidden' where id = 5`);
    const report = await move(db, "new-api", { from: `sqlite:${peer.path}`, isApplied: false });
    const texts = report.findings.filter(({ id, table }) => table === "channels" && id === "4").map(({ text }) => text);
    expect(texts.join("\n")).toContain(
      "Its settings proxy, system_prompt are not moved. Its calls went through a proxy",
    );
    expect(texts.join("\n")).toContain("It puts a prompt before every call");
    expect(texts.join("\n")).toContain("It is never switched off after errors there");
    const broken = report.findings.filter(({ id, table }) => table === "channels" && id === "5");
    expect(broken.map(({ text }) => text).join("\n")).toContain("What it has in setting can't be read: it is not JSON");
    expect(writeReport(report)).not.toContain("hidden");
  });
});

test("the report about a newer database of LiteLLM names unknown columns with values and tables with rows", async () => {
  await using lite = await createLiteLlm();
  const known = await move(db, "litellm", { from: lite.url, isApplied: false });
  expect(known.findings.filter(({ text }) => text.includes("unknown to this import"))).toEqual([]);
  await lite.change(`
    alter table "LiteLLM_UserTable" add column mood text;
    update "LiteLLM_UserTable" set mood = 'good' where user_id = 'carol';
    alter table "LiteLLM_VerificationToken" add column colour jsonb default '{}';
    update "LiteLLM_TeamTable" set team_member_permissions = '{/key/generate}' where team_id = 'team-services';
    create table "LiteLLM_Wishes" (id text primary key);
    insert into "LiteLLM_Wishes" values ('one')`);
  const report = await move(db, "litellm", { from: lite.url, isApplied: false });
  expect(said(report, "UserTable")["column mood"]).toContain("1 row has a value in it");
  expect(said(report, "VerificationToken")["column colour"]).toBeUndefined();
  expect(said(report, "TeamTable")["column team_member_permissions"]).toContain("roles decide that here");
  expect(said(report, "LiteLLM_Wishes")["1 row"]).toContain("unknown to this import");
});

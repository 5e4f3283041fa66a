import { afterAll, beforeAll, expect, test } from "bun:test";
import type { RatioProgram } from "@sluice/control-plane/moving/model.ts";
import type { CallsReport } from "@sluice/control-plane/moving/move-calls.ts";
import type { ImportReport } from "@sluice/control-plane/moving/service.ts";
import { openSource } from "@sluice/control-plane/moving/source/open-source.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { SQL } from "bun";
import { copyToPostgres, MariaDb } from "../../support/moving/peer-servers.ts";
import { alikePrograms, copyPeer, endMove, move, moveSingleCalls, peerFile } from "../../support/moving/peers.ts";
import { addSecondFactorTables, hashBackupCode } from "../../support/moving/second-factors.ts";
import { createTestDatabase } from "../../support/postgres/test-database.ts";
import { describeUnless, unlessInstalled } from "../../support/service/obstacles.ts";

const timeoutMs = 180_000;

type Outcome = {
  readonly state: string;
  readonly report: ImportReport;
  readonly calls: CallsReport;
  readonly isSameAgain: boolean;
};

/** Moves a database into a fresh one, twice, and cuts over. */
async function moveAll(program: RatioProgram, from: string): Promise<Outcome> {
  await using database = await createTestDatabase();
  const db = openDatabase({ url: database.url, poolMax: 2, applicationName: "test" });
  try {
    const report = await move(db, program, { from });
    const calls = await moveSingleCalls(db, program, { from });
    const again = await move(db, program, { from });
    await endMove(db, program, { from });
    expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
    const tables = [
      await db.sql`select p.email, p.username, p.status, p.password_hash, p.display_name, b.granted, u.group_name,
          p.totp_enabled_at is not null as has_code, (select count(*) from recovery_code r where r.user_id = p.id) as codes
        from user_profile p join gateway_user u on u.id = p.gateway_user_id join budget b on b.gateway_user_id = u.id order by 1`,
      await db.sql`select encode(k.key_hash, 'hex') as key, k.name, k.status, k.expires_at, k.allowed_models, k.allowed_ips,
          k.group_name, b.granted from api_key k left join budget b on b.api_key_id = k.id order by 1`,
      await db.sql`select model, input_usd_per_m, output_usd_per_m, cache_read_usd_per_m, request_usd from model_price order by 1`,
      await db.sql`select c.name, c.status, (select count(*) from channel_credential x where x.channel_id = c.id) as keys,
          a.model, a.group_name, a.priority, a.weight, a.upstream_model
        from channel c left join ability a on a.channel_id = c.id order by 1, 4, 5`,
      await db.sql`select name, multiplier from user_group order by 1`,
      await db.sql`select encode(digest, 'hex') as code from redemption_code order by 1`,
      await db.sql`select day, model, calls, input_tokens, output_tokens, quota from imported_usage order by 1, 2, 6, 3`,
      await db.sql`select source_id, made_at, model, key_name, input_tokens, output_tokens, quota from imported_call order by 1`,
    ];
    return {
      state: JSON.stringify(tables, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value), 1),
      report,
      calls,
      isSameAgain: [...again.counts.values()].every(({ made, changed, kept }) => made + changed + kept === 0),
    };
  } finally {
    await db.close(500);
  }
}

/** The fixture with what newer versions have: several keys of a channel in one row, authenticators, rows that were deleted. */
async function newerPeer(program: RatioProgram): ReturnType<typeof copyPeer> {
  const peer = await copyPeer(program);
  if (program === "new-api") {
    addSecondFactorTables(peer.change);
    peer.change(
      "insert into two_fas (id, user_id, secret, is_enabled) values (1, 2, 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', 1)",
    );
    peer.change(`insert into two_fa_backup_codes (id, user_id, code_hash, is_used)
      values (1, 2, '${await hashBackupCode("ABCD-0189")}', 0)`);
    peer.change("alter table channels add column channel_info json");
    peer.change(`update channels set key = 'sk-one-of-several' || char(10) || 'sk-another-of-several',
      channel_info = '{"is_multi_key":true,"multi_key_status_list":{"1":2}}' where id = 1`);
  }
  // More rows than a page has, many of them of one channel.
  peer.change(`with recursive n(x) as (select 1 union all select x + 1 from n where x < 2300)
    insert into abilities ("group", model, channel_id, enabled) select 'default', 'stale-' || x, 1, 1 from n`);
  peer.change(`with recursive n(x) as (select 1 union all select x + 1 from n where x < 2300)
    insert into logs (user_id, created_at, type, content, model_name, quota, prompt_tokens, completion_tokens)
    select 3, 1700000000 + x, 2, '', 'gpt-4o', 3, 10, 5 from n`);
  return peer;
}

function expectSame(there: Outcome, file: Outcome): void {
  expect(JSON.parse(there.state)).toEqual(JSON.parse(file.state));
  expect([...there.report.counts]).toEqual([...file.report.counts]);
  expect(there.report.movedQuota).toBe(file.report.movedQuota);
  expect(there.report.usage).toEqual(file.report.usage);
  expect(there.report.prices).toEqual(file.report.prices);
  expect([...there.report.leftOut]).toEqual([...file.report.leftOut]);
  const texts = ({ report }: Outcome): string[] =>
    report.findings.map(({ level, table, id, text }) => `${level} ${table} ${id} ${text}`).toSorted();
  expect(texts(there)).toEqual(texts(file));
  expect(there.calls).toEqual(file.calls);
  expect(there.isSameAgain).toBe(true);
}

test.each(alikePrograms)(
  "a database of %s on Postgres is moved as its file of SQLite is",
  async (program) => {
    await using peer = await newerPeer(program);
    await using server = await copyToPostgres(peer.path);
    expectSame(await moveAll(program, server.url), await moveAll(program, `sqlite:${peer.path}`));
  },
  timeoutMs,
);

describeUnless(unlessInstalled("mariadbd", "mariadb-install-db", "my_print_defaults"), "on a server of MySQL", () => {
  let server: MariaDb;
  beforeAll(async () => {
    server = await MariaDb.start();
  }, timeoutMs);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  }, timeoutMs);

  test.each(alikePrograms)(
    "a database of %s is moved as its file of SQLite is, by either form of its address",
    async (program) => {
      await using peer = await newerPeer(program);
      const { url, goAddress } = await server.copy(peer.path, program.replace("-", "_"));
      const file = await moveAll(program, `sqlite:${peer.path}`);
      expectSame(await moveAll(program, goAddress), file);
      expect((await moveAll(program, url)).state).toBe(file.state);
    },
    timeoutMs,
  );

  test("a database is read as of one moment, also where that is not the default of the server", async () => {
    const { url } = await server.copy(peerFile("one-api"), "one_moment");
    const source = await openSource(url);
    const other = new SQL(url, { max: 1 });
    try {
      const before = await source.countOf("users");
      await other.unsafe("delete from users where id > 5");
      expect(await source.countOf("users")).toBe(before);
    } finally {
      await other.close({ timeout: 1 });
      await source.close();
    }
  });
});

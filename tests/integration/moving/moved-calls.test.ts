import { Database as Sqlite } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { withCalls } from "@sluice/control-plane/moving/read-source.ts";
import { openSource } from "@sluice/control-plane/moving/source/open-source.ts";
import { writeCalls } from "@sluice/control-plane/moving/write-report.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { loginUser } from "../../support/accounts/logins.ts";
import {
  alikePrograms,
  beginClosing,
  copyPeer,
  createMovedDatabase,
  endMove,
  move,
  moveSingleCalls,
  peerFile,
} from "../../support/moving/peers.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.ts";
import { masterKeyBytes, type SluiceProcess, SluiceRig } from "../../support/service/sluice.ts";

const command = join(import.meta.dir, "../../../control-plane/src/commands/import.ts");
const calls = { "one-api": 272, "new-api": 262 } as const;
const quotas = { "one-api": 1_788_038n, "new-api": 2_622_588n } as const;

/** Gives a peer many more calls than a page has. */
const manyCalls = `with recursive n(x) as (select 1 union all select x + 1 from n where x < 2500)
  insert into logs (user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens, completion_tokens)
  select 2, 1700000000 + x, 2, '', 'alice', 'key ' || x, 'gpt-4o', 3, 10, 5 from n`;

describe.each(alikePrograms)("single calls of %s", (program) => {
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
  const beginMoved = async (): Promise<void> => {
    await db.close(500);
    await database.drop();
    database = await createMovedDatabase(program);
    db = openDatabase({ url: database.url, poolMax: 4, applicationName: "test" });
  };

  const sum = async (): Promise<{ readonly calls: bigint; readonly quota: bigint }> => {
    const [row] = await db.sql<{ calls: bigint; quota: bigint }>`
      select count(*) as calls, coalesce(sum(quota), 0)::bigint as quota from imported_call`;
    return { calls: BigInt(row?.calls ?? 0), quota: BigInt(row?.quota ?? 0) };
  };

  test("are moved on request, each with what it used, and come to the same as the sums by day", async () => {
    await beginMoved();
    expect(await sum()).toEqual({ calls: 0n, quota: 0n });
    const report = await moveSingleCalls(db, program);
    expect(report).toMatchObject({ made: BigInt(calls[program]), unchanged: 0n, leftOut: 0n });
    expect(await sum()).toEqual({ calls: BigInt(calls[program]), quota: quotas[program] });
    const file = new Sqlite(peerFile(program), { readonly: true });
    const there = file.query("select * from logs where type = 2 order by id limit 1").get() as Record<string, unknown>;
    file.close();
    const [here] = await db.sql`
      select extract(epoch from made_at)::int as at, model, key_name, input_tokens::int as input, output_tokens::int as output,
        quota::int as quota from imported_call where source_id = ${String(there["id"])}`;
    expect(here).toEqual({
      at: there["created_at"],
      model: there["model_name"],
      key_name: there["token_name"],
      input: there["prompt_tokens"],
      output: there["completion_tokens"],
      quota: there["quota"],
    });
    const differing = await db.sql`
      select from (select gateway_user_id, (made_at at time zone 'utc')::date as day, model, sum(quota) as quota, count(*) as calls
          from imported_call group by 1, 2, 3) c
        full join imported_usage u using (gateway_user_id, day, model)
      where c.quota is distinct from u.quota or c.calls is distinct from u.calls`;
    expect(differing).toHaveLength(0);
  });

  test("charge nothing, and are in no log or sum of calls here", async () => {
    await beginMoved();
    await moveSingleCalls(db, program);
    expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
    expect(await db.sql`select from usage_log`).toHaveLength(0);
    expect(await db.sql`select from budget where used <> 0 and gateway_user_id is not null`).toHaveLength(0);
  });

  test("are only counted by a rehearsal", async () => {
    const report = await moveSingleCalls(db, program, { isApplied: false });
    expect(report.made).toBe(BigInt(calls[program]));
    expect(await sum()).toEqual({ calls: 0n, quota: 0n });
    expect(writeCalls(report, false)).toContain(`would be moved: ${calls[program]} new, 0 unchanged, 0 left out`);
  });

  test("are the same after another run, which brings what was called since, also after the cut-over", async () => {
    await using peer = await copyPeer(program);
    const from = `sqlite:${peer.path}`;
    await beginMoved();
    await moveSingleCalls(db, program, { from });
    expect(await moveSingleCalls(db, program, { from })).toMatchObject({ made: 0n, unchanged: BigInt(calls[program]) });
    await endMove(db, program, { from });
    peer.change(manyCalls);
    expect(await moveSingleCalls(db, program, { from })).toMatchObject({ made: 2_500n });
    expect(await sum()).toEqual({ calls: BigInt(calls[program] + 2_500), quota: quotas[program] + 7_500n });
  });

  test("that were interrupted stay page by page, and the next run brings the others", async () => {
    await using peer = await copyPeer(program);
    peer.change(manyCalls);
    const from = `sqlite:${peer.path}`;
    await move(db, program, { from });
    await db.sql`
      create function stop_it() returns trigger language plpgsql as $$ begin raise exception 'stopped'; end $$`;
    await db.sql`
      create trigger stop_it before insert on imported_call for each row
        when (new.key_name = 'key 1500') execute function stop_it()`;
    await expect(moveSingleCalls(db, program, { from })).rejects.toThrow("stopped");
    const half = (await sum()).calls;
    expect(half).toBeGreaterThan(900n);
    expect(half).toBeLessThan(BigInt(calls[program] + 2_500));
    await db.sql`drop trigger stop_it on imported_call`;
    expect(await moveSingleCalls(db, program, { from })).toMatchObject({ unchanged: half });
    expect((await sum()).calls).toBe(BigInt(calls[program] + 2_500));
  });

  test("that can't be read, and those of users who were not moved, are in the report", async () => {
    await using peer = await copyPeer(program);
    peer.change("update logs set quota = 'lots' where id = (select min(id) from logs where type = 2)");
    peer.change("update logs set user_id = 4711 where user_id = 4 and type = 2");
    const from = `sqlite:${peer.path}`;
    await move(db, program, { from });
    const report = await moveSingleCalls(db, program, { from });
    const text = writeCalls(report, true);
    expect(text).toContain('"lots" is not an integer');
    expect(text).toMatch(
      /user 4711: The user was not moved, or has closed the account here, so \d+ single calls stay there/,
    );
    expect(report.made + report.leftOut).toBe(BigInt(calls[program] - 1));
  });

  test("do not come back for an account that was closed here", async () => {
    await beginMoved();
    await db.sql`insert into account_closing (user_id, requested_by, agreed_quota, closes_at, done_at)
      select p.id, 'owner', 0, now(), now() from import_item i join user_profile p using (gateway_user_id)
      where i.kind = 'user' and i.source_id = '2'`;
    const report = await moveSingleCalls(db, program);
    expect(report.made + report.leftOut).toBe(BigInt(calls[program]));
    expect(writeCalls(report, true)).toContain("user 2: The user was not moved, or has closed the account here");
    const rows = await db.sql`
      select from imported_call join import_item i using (gateway_user_id) where i.kind = 'user' and i.source_id = '2'`;
    expect(rows).toHaveLength(0);
  });

  test("do not stay for an account that is closed while they are moved", async () => {
    await beginMoved();
    await using closing = await beginClosing(db, "2");
    const moving = moveSingleCalls(db, program);
    await closing.waitForWaiters(1);
    await closing.release();
    expect(writeCalls(await moving, true)).toContain("user 2: The user was not moved, or has closed the account here");
    const rows = await db.sql`
      select from imported_call join import_item i using (gateway_user_id) where i.kind = 'user' and i.source_id = '2'`;
    expect(rows).toHaveLength(0);
  });

  test("are read without keeping the program from writing", async () => {
    await using peer = await copyPeer(program);
    peer.change(manyCalls);
    let pages = 0;
    await withCalls(`sqlite:${peer.path}`, [], async (read) => {
      for await (const _ of read) {
        const file = new Sqlite(peer.path);
        file.run("pragma busy_timeout = 0");
        file.run("update users set quota = quota - 1 where id = 2");
        file.close();
        pages += 1;
      }
    });
    expect(pages).toBeGreaterThan(2);
    const source = await openSource(`sqlite:${peer.path}`);
    for await (const _ of source.rows("users", "id")) {
      // Where all has to be of one moment, it would wait.
      expect(() => peer.change("update users set quota = quota - 1")).toThrow("locked");
      break;
    }
    await source.close();
  });

  test("are moved by the command, whose report says how many", async () => {
    const child = Bun.spawn(
      [process.execPath, command, program, "--from", `sqlite:${peerFile(program)}`, "--usage-rows", "--apply"],
      {
        env: {
          PATH: process.env["PATH"] ?? "",
          NODE_ENV: "test",
          DATABASE_URL: database.url,
          MASTER_KEY: masterKeyBytes.toString("base64"),
        },
        stdout: "pipe",
        stderr: "ignore",
      },
    );
    expect(await new Response(child.stdout).text()).toContain(
      `Single calls: ${calls[program]} new, 0 unchanged, 0 left out`,
    );
    expect(await child.exited).toBe(0);
  });
});

describe("a customer whose single calls were moved", () => {
  let rig: SluiceRig;
  let service: SluiceProcess;
  beforeAll(async () => {
    rig = await SluiceRig.create("http://127.0.0.1:9");
    await using peer = await copyPeer("one-api");
    peer.change(manyCalls);
    await move(rig.db, "one-api", { from: `sqlite:${peer.path}` });
    await moveSingleCalls(rig.db, "one-api", { from: `sqlite:${peer.path}` });
    service = await rig.start("one-process");
  });
  afterAll(() => rig.close());

  const get = (path: string, cookie: string): Promise<Response> =>
    fetch(`${service.url}${path}`, { headers: { cookie } });

  test("gets all of them as a file, or those of some days, and nobody else's", async () => {
    const login = await fetch(`${service.url}/backend/auth/login/`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "alice", password: "Alice-Pw-2026!" }),
    });
    const cookie = (login.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    expect(await (await get("/backend/usage/earlier/", cookie)).json()).toMatchObject({ earlier: { has_calls: true } });
    const file = await (await get("/backend/usage/earlier/calls/export/", cookie)).text();
    const [head, ...lines] = file.trimEnd().split("\r\n");
    expect(head).toBe("made_at,gateway,key_name,model,input_tokens,output_tokens,quota");
    expect(lines).toHaveLength(69 + 2_500);
    expect(lines[0]).toBe("2023-11-14T22:13:21.000Z,one-api,key 1,gpt-4o,10,5,3");
    expect(lines.reduce((sum, line) => sum + Number(line.split(",").at(-1)), 0)).toBe(49_431 + 7_500);
    const day = await get("/backend/usage/earlier/calls/export/?from_day=2023-11-14&to_day=2023-11-14", cookie);
    expect((await day.text()).trimEnd().split("\r\n")).toHaveLength(2_501);
    const stranger = await loginUser(rig);
    expect((await (await get("/backend/usage/earlier/calls/export/", stranger.cookie)).text()).trimEnd()).toBe(
      head ?? "",
    );
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { ListServer, listAdmin } from "../../support/admin/list-server.ts";
import { patienceMs } from "../../support/values/patience.ts";

let scene: ListServer;

beforeAll(async () => {
  scene = await ListServer.start();
});

afterAll(() => scene.stop());

describe("an export", () => {
  test("has every row of the pages, in their order, as CSV and as JSON", async () => {
    await scene.addAudits("file.rows", 2_345);
    const file = await scene.ask("audit/export/?format=json&action=file.rows&sort=at");
    expect(file.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const rows = (await file.json()) as Record<string, unknown>[];
    expect(rows).toHaveLength(2_345);
    const { rows: first } = await scene.page("audit/list/?action=file.rows&sort=at&limit=100");
    expect(rows.slice(0, 100)).toEqual([...first]);
    const csv = await scene.ask("audit/export/?action=file.rows&sort=at");
    expect(csv.headers.get("content-disposition")).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/);
    expect(csv.headers.get("x-content-type-options")).toBe("nosniff");
    const lines = (await csv.text()).split("\r\n");
    expect(lines).toHaveLength(2_347);
    expect(lines[0]).toBe(Object.keys(first[0] ?? {}).join(","));
    expect(lines[1]?.split(",")[0]).toBe(String(first[0]?.["audit_id"]));
    const empty = await scene.ask("audit/export/?format=json&action=no.such");
    expect(await empty.json()).toEqual([]);
  });

  test("starts no formula in a spreadsheet, and leaves our own numbers as numbers", async () => {
    const texts = [
      '=HYPERLINK("http://x","y")',
      "+1",
      "-1",
      "@x",
      "\tx",
      "\rx",
      'a "quoted", text',
      "two\nlines",
      "＝1",
    ];
    await scene.db.sql`insert into user_group (name) values ('formulas')`;
    for (const [index, name] of texts.entries()) {
      await scene.db.sql`
        insert into api_key (gateway_user_id, key_hash, key_prefix, key_last_four, name, group_name)
        select max(id), ${crypto.getRandomValues(new Uint8Array(32))}, 'sk-form', ${`f00${index}`}, ${name}, 'formulas'
        from gateway_user`;
    }
    const csv = await (await scene.ask("key/export/?group_name=formulas&sort=created_at")).text();
    const expected = [`"'=HYPERLINK(""http://x"",""y"")"`, "'+1", "'-1", "'@x", "'\tx", `"'\rx"`];
    for (const cell of [...expected, '"a ""quoted"", text"', '"two\nlines"', "'＝1"]) {
      expect(csv).toContain(`,${cell},sk-form,`);
    }
    const ledger = await (await scene.ask("ledger/export/?sort=created_at")).text();
    expect(ledger).toContain(",-1,-1,");
    expect(ledger).not.toContain("'-1");
  });

  test("is recorded before it is sent: who, what, how many rows", async () => {
    await (await scene.ask("order/export/?status=settled")).text();
    const [row] = await scene.db.sql<{ actor_name: string; subject_id: string; after: object }>`
      select actor_name, subject_id, after from audit_log where action = 'list.export' order by id desc limit 1`;
    expect(row).toEqual({
      actor_name: "plain admin",
      subject_id: "orders",
      after: { format: "csv", rows: 30, query: { status: "settled" } },
    });
  });

  test("of more rows than a file can hold is refused with the reason and not recorded", async () => {
    const small = scene.serve(scene.db, 29);
    const before = await scene.db.sql`select 1 from audit_log where action = 'list.export'`;
    const refused = await scene.ask("order/export/", small);
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      error: { code: "too_broad", message: expect.stringContaining("29") },
    });
    expect(await scene.db.sql`select 1 from audit_log where action = 'list.export'`).toHaveLength(before.length);
    expect((await scene.ask("order/export/?limit=25", small)).status).toBe(400);
    await small.stop();
  });

  test("of rows whose ids can't be any is refused with the reason, as their page is", async () => {
    for (const wrong of ["one", "1e3", "9".repeat(30)]) {
      for (const what of ["list", "export"]) {
        const refused = await scene.ask(`user/${what}/?rows=${wrong}`);
        expect([wrong, what, refused.status]).toEqual([wrong, what, 400]);
        expect(await refused.json()).toMatchObject({ error: { code: "invalid_parameter" } });
      }
    }
  });

  test("that can't be read to its end breaks off, so that nobody takes it for complete", async () => {
    // The rows are counted, the file is recorded, and then come the pages.
    let reads = 0;
    const failing: Database = {
      ...scene.db,
      withTransaction: (work, options) => {
        reads += 1;
        return reads > 3 ? Promise.reject(new Error("the database is gone")) : scene.db.withTransaction(work, options);
      },
    };
    const server = scene.serve(failing);
    const file = await scene.ask("audit/export/?action=file.rows", server);
    expect(file.status).toBe(200);
    await expect(file.text()).rejects.toThrow();
    await server.stop();
  });

  test("that nobody reads any more makes room for others; more than four at a time are refused", async () => {
    await scene.addAudits("many.rows", 10_002);
    const server = scene.serve(scene.db);
    const open = await Promise.all([1, 2, 3, 4].map(() => scene.ask("audit/export/?action=many.rows", server)));
    const readers = open.map((file) => file.body?.getReader());
    await Promise.all(readers.map((reader) => reader?.read()));
    await Promise.all(readers.map((reader) => reader?.cancel()));
    const deadline = performance.now() + patienceMs;
    let last = 0;
    while (last !== 200) {
      const next = await scene.ask("audit/export/?action=no.such", server);
      await next.text();
      last = next.status;
      expect(performance.now()).toBeLessThan(deadline);
    }
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      const head = await fetch(`${server.url}/backend/admin/audit/export/`, { method: "HEAD", headers: listAdmin });
      expect(head.status).toBe(200);
    }
    expect((await scene.ask("audit/export/?action=no.such", server)).status).toBe(200);
    await server.stop();
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { repositoryRoot, startProgram } from "../support/service/start-process.ts";
import { readingReason, type TraceCaller, TraceScene } from "../support/trace/trace-scene.ts";

let scene: TraceScene;

beforeAll(async () => {
  scene = await TraceScene.start();
});

afterAll(() => scene?.close());

describe("a payload", () => {
  let user: TraceCaller;
  const prompt = `what is ${crypto.randomUUID()}`;
  let made: { requestId: string; day: string };

  beforeAll(async () => {
    user = await scene.enter();
    made = await scene.callAs(user.apiKey, { messages: [{ role: "user", content: prompt }] });
  });

  test("is shown to a super-admin with a reason, after the access was recorded", async () => {
    const before = await scene.linkCount();
    const { status, body } = await scene.read(made);
    expect(status).toBe(200);
    const { request, response, access } = body as {
      request: { encoding: string; content: string; bytes: number; is_truncated: boolean };
      response: { content: string; is_truncated: boolean };
      access: { number: number; hash: string };
    };
    expect(JSON.parse(request.content)).toMatchObject({ messages: [{ role: "user", content: prompt }] });
    expect([request.encoding, request.bytes, request.is_truncated]).toEqual(["text", request.content.length, false]);
    expect(JSON.parse(response.content)).toHaveProperty("choices");
    expect(access.number).toBe(before + 1);
    const list = await scene.admin.get("/backend/admin/trace/access/list/", { request_id: made.requestId });
    expect(list.body["accesses"]).toEqual([
      expect.objectContaining({ ...access, reason: readingReason, request_id: made.requestId }),
    ]);
    const detail = await scene.admin.get("/backend/admin/trace/detail/", { request_id: made.requestId });
    expect(detail.body["accesses"]).toEqual([expect.objectContaining({ number: access.number })]);
    await scene.sluice.logged(access.hash);
  });

  test.each([
    ["nothing", {}],
    ["an empty text", { reason: "" }],
    ["spaces", { reason: "          " }],
    ["three letters", { reason: "why" }],
    ["invisible characters", { reason: "\u200b\u202e\u3164\u2800\u00ad\u2060\u0007\ufe0f" }],
  ])("is refused without a reason: %s", async (_what, said) => {
    const before = await scene.linkCount();
    expect(codeOf(await scene.read(made, said))).toEqual([400, "reason_required"]);
    expect(await scene.linkCount()).toBe(before);
  });

  test("is refused to an admin, to its own user and to anonymous callers", async () => {
    const before = await scene.linkCount();
    const callers = [scene.admin, consoleClient(scene.sluice.url, user.cookie), consoleClient(scene.sluice.url, null)];
    const codes = await Promise.all(
      callers.map(async (as) => codeOf(await scene.read(made, { reason: readingReason }, as)).join(" ")),
    );
    expect(codes).toEqual(["403 super_admin_required", "401 unauthenticated", "401 unauthenticated"]);
    expect(await scene.linkCount()).toBe(before);
  });

  test("is refused when the login is too old", async () => {
    const late = await loginAdmin(scene.rig);
    await scene.rig.db.sql`
      update session set created_at = now() - interval '61 minutes' where admin_id = ${late.adminId}::bigint`;
    expect(
      codeOf(await scene.read(made, { reason: readingReason }, consoleClient(scene.sluice.url, late.cookie))),
    ).toEqual([403, "step_up_required"]);
  });

  test("is not shown when the access can't be recorded", async () => {
    const before = await scene.linkCount();
    await scene.rig.db.withTransaction(async (tx) => {
      await tx.sql`select * from payload_access_head for update`;
      const answer = await scene.read(made);
      expect(codeOf(answer)).toEqual([503, "audit_unavailable"]);
      expect(JSON.stringify(answer.body)).not.toContain(prompt);
    });
    expect(await scene.linkCount()).toBe(before);
    expect((await scene.read(made)).status).toBe(200);
  });

  test("that was altered is not shown, and the attempt is in the records", async () => {
    const broken = await scene.callAs(user.apiKey, { messages: [{ role: "user", content: prompt }] });
    await scene.rig.db.sql`
      update payload_segment s set sealed = overlay(sealed placing '\\xff01'::bytea from r.byte_offset + 40)
      from find_payload(${broken.day}::text::date, ${broken.requestId}::uuid) r where s.segment_id = r.segment_id`;
    const before = await scene.linkCount();
    expect(codeOf(await scene.read(broken))).toEqual([500, "decrypt_failed"]);
    expect(await scene.linkCount()).toBe(before + 1);
    await scene.sluice.logged("trace.payload_broken");
  });

  test("is shown to one admin no more often per hour than the setting allows, even to simultaneous requests", async () => {
    const setting = { name: "trace.payload_reads_per_hour", value: 3, version: 0 };
    expect((await scene.superAdmin.post("/backend/admin/settings/save/", setting)).status).toBe(200);
    const one = consoleClient(scene.sluice.url, (await loginAdmin(scene.rig)).cookie);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => scene.read(made, { reason: readingReason }, one)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter((answer) => codeOf(answer)[1] === "too_many_attempts")).toHaveLength(5);
    const other = consoleClient(scene.sluice.url, (await loginAdmin(scene.rig)).cookie);
    expect((await scene.read(made, { reason: readingReason }, other)).status).toBe(200);
  });
});

describe("the chain of accesses", () => {
  const check = async (): Promise<string[]> => {
    const { body } = await scene.admin.get("/backend/admin/trace/access/check/");
    const findings = body["findings"] as { finding: string; link_number: number }[];
    expect(body["holds"]).toBe(findings.length === 0);
    return findings.map(({ finding, link_number: number }) => `${finding}: ${number}`);
  };

  /** Changes the chain as the owner of the database, returns the result of the check, and undoes the change. */
  async function foundAfter(...statements: string[]): Promise<string[]> {
    const kept = await scene.rig.db.sql<{ rows: string; head: string }>`
      select (select jsonb_agg(a)::text from payload_access a) as rows,
        (select jsonb_agg(h)::text from payload_access_head h) as head`;
    for (const statement of statements) {
      await scene.rig.db.query(statement, []);
    }
    const found = await check();
    await scene.rig.db.sql`delete from payload_access`;
    await scene.rig.db.sql`delete from payload_access_head`;
    await scene.rig.db.sql`
      insert into payload_access select * from jsonb_populate_recordset(null::payload_access, ${kept[0]?.rows ?? ""}::text::jsonb)`;
    await scene.rig.db.sql`
      insert into payload_access_head
      select * from jsonb_populate_recordset(null::payload_access_head, ${kept[0]?.head ?? ""}::text::jsonb)`;
    return found;
  }

  test("is intact, and reports an altered, a missing and a forged link", async () => {
    const last = await scene.linkCount();
    expect(last).toBeGreaterThan(4);
    expect(await check()).toEqual([]);
    expect(await foundAfter("update payload_access set reason = 'another one' where number = 2")).toEqual([
      "the link was altered: 2",
    ]);
    expect(await foundAfter("delete from payload_access where number = 3")).toEqual([
      "the audit log knows the link as another, or it is gone: 3",
      "links before this one are gone: 4",
    ]);
    expect(await foundAfter(`delete from payload_access where number = ${last}`)).toEqual([
      `the chain does not end with its last link: ${last - 1}`,
      `the audit log knows the link as another, or it is gone: ${last}`,
    ]);
    // Setting back the head as well shows in the audit log.
    expect(
      await foundAfter(
        `delete from payload_access where number = ${last}`,
        `update payload_access_head h set number = a.number, hash = a.hash from payload_access a where a.number = ${last - 1}`,
      ),
    ).toEqual([`the audit log knows the link as another, or it is gone: ${last}`]);
    expect(
      await foundAfter(
        "update payload_access set reason = 'another one' where number = 2",
        "update payload_access a set hash = payload_access_hash(a) where number = 2",
      ),
    ).toEqual(expect.arrayContaining(["the link does not follow the one before: 3"]));
    expect(await check()).toEqual([]);
  });

  test("is checked by a command, which also reports a missing link that was noted elsewhere", async () => {
    const command = join(repositoryRoot, "control-plane/src/commands/check-accesses.ts");
    const run = async (...words: string[]): Promise<[number, string]> => {
      const env = { DATABASE_URL: scene.rig.database.url };
      const program = startProgram({ command: [process.execPath, command], words, env });
      return [await program.exited, program.output()];
    };
    const { body } = await scene.admin.get("/backend/admin/trace/access/check/");
    const { number, hash } = body["head"] as { number: number; hash: string };
    const whole = `the chain is intact and ends with link ${number}, ${hash}\n`;
    expect(await run("--expect", `${number}:${hash}`)).toEqual([0, whole]);
    const [exitCode, output] = await run("--expect", `${number}:${"0".repeat(64)}`);
    expect([exitCode, output]).toEqual([1, expect.stringContaining(`link ${number}: the expected link differs`)]);
  });
});

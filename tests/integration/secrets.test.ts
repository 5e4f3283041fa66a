import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { keptAct } from "@sluice/control-plane/admin/approvals/service.ts";
import { secretEndpoints } from "@sluice/control-plane/admin/secrets/routes.ts";
import { saveSecretAct } from "@sluice/control-plane/admin/secrets/save-secret.ts";
import { listSecrets, readSecret, SecretReader, saveSecret } from "@sluice/control-plane/admin/secrets/service.ts";
import { findAppRole } from "@sluice/control-plane/db/app-role.ts";
import { MailService } from "@sluice/control-plane/mail/service.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { BrokenSealError, UnknownSealingKeyError } from "@sluice/control-plane/platform/crypto/seal-errors.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { openApprovals } from "../support/payments/admin-billing.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { type EndpointServer, serveEndpoints } from "../support/service/endpoint-server.ts";

const canary = "whsec_canary-0123456789-0123456789";
const keyOf = (name: string): MasterKey => new MasterKey(new Bun.CryptoHasher("sha256").update(name).digest());
const masterKey = keyOf("the key of the secret tests");

let server: TestDatabase;
let db: Database;
let http: EndpointServer;
let changes = 0;

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase({ url: server.url, poolMax: 4, applicationName: "test", role: await findAppRole(server.url) });
  const act = saveSecretAct({
    masterKey,
    ofTwo: new Set(),
    onChange: () => {
      changes += 1;
    },
  });
  const mails = new MailService({ masterKey, clock: systemClock });
  const approvals = openApprovals(db, mails, { acts: [keptAct(act)] });
  const useOf = (name: string) => (name.startsWith("cardpay.") ? ("cardpay" as const) : null);
  const onChange = () => {
    changes += 1;
  };
  http = serveEndpoints(secretEndpoints({ db, approvals, act, useOf, onChange }));
});

beforeEach(async () => {
  await db.sql`delete from secret where name <> ''`;
});

afterAll(async () => {
  await http.stop();
  await db.close(1_000);
  await server.drop();
});

const save = (name: string, value: string): Promise<{ readonly version: number }> =>
  db.withTransaction((tx) => saveSecret(tx, masterKey, name, value));

describe("the store", () => {
  test("returns what was saved last, and null for a name without a secret", async () => {
    expect(await readSecret(db, masterKey, "mail.key")).toBeNull();
    expect(await save("mail.key", "first")).toEqual({ version: 1 });
    expect(await save("mail.key", "zweite Fassung \u{1f511}")).toEqual({ version: 2 });
    expect(await readSecret(db, masterKey, "mail.key")).toBe("zweite Fassung \u{1f511}");
  });

  test("keeps nothing readable in the database", async () => {
    await save("mail.key", canary);
    const [row] = await db.sql<{ sealed: Buffer }>`select sealed from secret`;
    expect(row?.sealed.includes(Buffer.from("canary"))).toBe(false);
  });

  test("does not decrypt a value that was moved to another name", async () => {
    await save("mail.key", "of the mail");
    await save("card.key", "of the card");
    await db.sql`update secret set sealed = (select sealed from secret where name = 'card.key') where name = 'mail.key'`;
    const reading = readSecret(db, masterKey, "mail.key");
    await expect(reading).rejects.toThrow(BrokenSealError);
  });

  test("does not decrypt under another master key", async () => {
    await save("mail.key", "value");
    const reading = readSecret(db, keyOf("another"), "mail.key");
    await expect(reading).rejects.toThrow(UnknownSealingKeyError);
  });

  test("lists names, versions and dates, and nothing else", async () => {
    await save("b.key", canary);
    await save("a.key", canary);
    await save("a.key", canary);
    const listed = await listSecrets(db);
    expect(listed.map(({ name, version }) => [name, version])).toEqual([
      ["a.key", 2],
      ["b.key", 1],
    ]);
    expect(listed.map((entry) => Object.keys(entry))).toEqual([
      ["name", "version", "created_at", "updated_at", "set_by"],
      ["name", "version", "created_at", "updated_at", "set_by"],
    ]);
  });
});

describe("the reader", () => {
  test("asks the store first and the environment only for what it does not have", async () => {
    await save("card.key", "stored");
    const fallbacks = { "card.key": "environment", "mail.key": "environment" };
    const reader = new SecretReader({ db, masterKey, clock: { now: () => 0, tick: () => 0 }, fallbacks });
    expect(await reader.read("card.key")).toBe("stored");
    expect(await reader.read("mail.key")).toBe("environment");
    expect(await reader.read("other.key")).toBeNull();
  });

  test("caches a value for five seconds, and no longer than until it is notified of a change", async () => {
    let nowMs = 0;
    const reader = new SecretReader({ db, masterKey, clock: { now: () => 0, tick: () => nowMs } });
    expect(await reader.read("card.key")).toBeNull();
    await save("card.key", "first");
    nowMs = 4_999;
    expect(await reader.read("card.key")).toBeNull();
    nowMs = 5_000;
    expect(await reader.read("card.key")).toBe("first");
    await save("card.key", "second");
    reader.forget();
    expect(await reader.read("card.key")).toBe("second");
  });

  test("fails on a value that can't be decrypted, whatever the environment says, and tries again afterwards", async () => {
    await save("card.key", "stored");
    const parts = { db, clock: { now: () => 0, tick: () => 0 }, fallbacks: { "card.key": "environment" } };
    const reader = new SecretReader({ ...parts, masterKey: keyOf("another") });
    await expect(reader.read("card.key")).rejects.toThrow(UnknownSealingKeyError);
    await db.sql`delete from secret where name = 'card.key'`;
    expect(await reader.read("card.key")).toBe("environment");
  });
});

describe("the endpoints", () => {
  const post = (body: unknown, admin: string | null): Promise<Response> =>
    fetch(`${http.url}/backend/admin/secret/save/`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(admin === null ? {} : { "x-test-admin": admin }) },
      body: JSON.stringify(body),
    });

  test("save a secret, record who did it, and never reveal the value", async () => {
    const before = changes;
    const saved = await post({ name: "cardpay.account_a.webhook_secret", value: `${canary}\n` }, "super");
    expect(saved.status).toBe(200);
    const again = await post({ name: "cardpay.account_a.webhook_secret", value: canary }, "super");
    const listed = await fetch(`${http.url}/backend/admin/secret/list/`, { headers: { "x-test-admin": "super" } });
    const texts = [await saved.text(), await again.text(), await listed.text(), JSON.stringify(http.lines)];
    const audit = await db.sql<{ text: string; actor: string }>`
      select to_jsonb(audit_log)::text as text, actor_name as actor from audit_log where action = 'secret.save' order by id`;
    expect(texts[2]).toContain('"name":"cardpay.account_a.webhook_secret","version":2');
    expect(texts[2]).toContain('"set_by":"super admin"');
    expect(audit.map(({ actor }) => actor)).toEqual(["super admin", "super admin"]);
    expect([...texts, ...audit.map(({ text }) => text)].filter((text) => text.includes("canary"))).toEqual([]);
    expect(await readSecret(db, masterKey, "cardpay.account_a.webhook_secret")).toBe(canary);
    expect(changes).toBe(before + 2);
  });

  test.each([
    ["nobody", null, 401, "unauthenticated"],
    ["an admin who is not a super-admin", "plain", 403, "super_admin_required"],
    ["a super-admin whose login is too old", "stale", 403, "step_up_required"],
  ])("refuse %s", async (_who, admin, status, code) => {
    const refused = await post({ name: "mail.key", value: canary }, admin);
    expect(refused.status).toBe(status);
    expect(await refused.json()).toMatchObject({ ok: false, error: { code } });
    const headers: Record<string, string> = admin === null ? {} : { "x-test-admin": admin };
    const listed = await fetch(`${http.url}/backend/admin/secret/list/`, { headers });
    // Names without values require no fresh login.
    expect(listed.status).toBe(admin === "stale" ? 200 : status);
    expect(await listSecrets(db)).toEqual([]);
  });

  test.each([
    ["an upper-case name", { name: "Mail.Key", value: "x" }, "invalid_name"],
    ["an empty name", { name: "", value: "x" }, "invalid_name"],
    ["a name with a path", { name: "../mail", value: "x" }, "invalid_name"],
    ["a long name", { name: "a".repeat(101), value: "x" }, "invalid_name"],
    ["no value", { name: "mail.key" }, "invalid_value"],
    ["a blank value", { name: "mail.key", value: " \n" }, "invalid_value"],
    ["a value that is not text", { name: "mail.key", value: 1 }, "invalid_value"],
    ["a value of 17 KiB", { name: "mail.key", value: "x".repeat(17 * 1024) }, "invalid_value"],
    ["an unknown field", { name: "mail.key", value: "x", version: 9 }, "unknown_field"],
  ])("refuse %s", async (_what, body, code) => {
    const refused = await post(body, "super");
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ ok: false, error: { code } });
    expect(await listSecrets(db)).toEqual([]);
  });
});

describe("deleting a secret", () => {
  const remove = async (name: string, admin: string | null = "super") => {
    const answer = await fetch(`${http.url}/backend/admin/secret/remove/`, {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", origin: http.url },
        ...(admin === null ? {} : { "x-test-admin": admin }),
      },
      body: JSON.stringify({ name, reason: "no longer used" }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const usesOf = async (name: string) => {
    const answer = await fetch(`${http.url}/backend/admin/secret/uses/?name=${name}`, {
      headers: { "x-test-admin": "super" },
    });
    return ((await answer.json()) as { uses: unknown }).uses;
  };

  test("destroys it, with a reason in the audit log, and the program no longer reads it", async () => {
    await save("old.key", canary);
    const before = changes;
    expect((await remove("old.key")).status).toBe(200);
    expect([await listSecrets(db), changes]).toEqual([[], before + 1]);
    expect((await remove("old.key")).status).toBe(404);
    const [entry] = await db.sql<{ reason: string }>`
      select reason from audit_log where action = 'secret.remove' and subject_id = 'old.key'`;
    expect(entry?.reason).toBe("no longer used");
  });

  test("is refused while something needs it, which is named", async () => {
    await save("cardpay.default.secret_key", canary);
    await save("node.used.relay_key", canary);
    await db.sql`
      insert into exit_node (node_code, name, host, ip, relay_key_secret)
      values ('used', 'Used', 'used.example.org', '203.0.113.9', 'node.used.relay_key')`;
    expect(await usesOf("cardpay.default.secret_key")).toEqual([{ kind: "cardpay", name: "cardpay" }]);
    expect(await usesOf("node.used.relay_key")).toEqual([{ kind: "exit_node", name: "used" }]);
    for (const [name, use] of [
      ["cardpay.default.secret_key", "cardpay"],
      ["node.used.relay_key", "used"],
    ] as const) {
      const { status, text } = await remove(name);
      expect([status, text.includes(`in use: ${use}`)]).toEqual([409, true]);
    }
    expect((await listSecrets(db)).length).toBe(2);
    await db.sql`update exit_node set status = 'disabled', archived_at = now() where node_code = 'used'`;
    expect((await remove("node.used.relay_key")).status).toBe(200);
  });

  test.each([
    [null, 401],
    ["plain", 403],
    ["stale", 403],
  ])("takes a super-admin with a fresh login, and not %s", async (admin, status) => {
    await save("old.key", canary);
    expect((await remove("old.key", admin)).status).toBe(status);
    expect((await listSecrets(db)).length).toBe(1);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { type KeyScene, type KeyUser, makeKey, startKeyScene } from "../support/calls/key-scene.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";

let scene: KeyScene;
let admin: ConsoleClient;
let user: KeyUser;
let as: ConsoleClient;
let keyId: number;
let secret: string;

const reason = "seen in a public repository";

beforeAll(async () => {
  scene = await startKeyScene();
  admin = consoleClient(scene.replicas[0]?.url ?? "", (await loginAdmin(scene.rig, { isSuper: false })).cookie);
});

beforeEach(async () => {
  ({ user, as } = await scene.enter());
  const made = await makeKey(as);
  secret = made.secret;
  keyId = Number(made.key.key_id);
});

afterAll(async () => {
  await scene?.expectMoneyRight();
  await scene?.close();
});

const act = (name: string, fields: object = {}) =>
  admin.post(`/backend/admin/key/${name}/`, { key_id: keyId, reason, ...fields });

async function detail() {
  const { body } = await admin.get("/backend/admin/key/detail/", { key_id: String(keyId) });
  return body as { key: Record<string, unknown> & { updated_at: string }; groups: string[] };
}

/** Every replica has heard of a change. */
const untilStatus = (key: string, status: number) =>
  waitUntil(async () => {
    const calls = await Promise.all(scene.replicas.map((_, index) => scene.call(key, index)));
    return calls.every((call) => call.status === status);
  });

async function auditOf(action: string) {
  return [
    ...(await scene.rig.db.sql<{ actor_kind: string; reason: string; before: object; after: object }>`
      select actor_kind, reason, before, after from audit_log
      where action = ${action} and subject_kind = 'api_key' and subject_id = ${String(keyId)} order by id`),
  ];
}

describe("a lock", () => {
  test("stops a key on every replica, names the reason to the caller, and is not undone by its owner", async () => {
    expect((await scene.call(secret)).status).toBe(200);
    expect(await act("lock")).toMatchObject({ status: 200, body: { key: { lock_reason: reason } } });
    await untilStatus(secret, 403);
    const refused = await fetch(`${scene.replicas[1]?.url}/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "flat", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] }),
    });
    expect(await refused.json()).toMatchObject({
      type: "error",
      error: { type: "permission_error", message: `The operator has locked this API key: ${reason}` },
    });
    const [shown] = (await as.get("/backend/keys/list/")).body["keys"] as { updated_at: string; lock_reason: string }[];
    expect(shown?.lock_reason).toBe(reason);
    for (const name of ["enable", "disable", "rotate"]) {
      const path = `/backend/keys/${name}/`;
      const answer = await as.post(path, { key_id: keyId });
      // An active key is enabled already, so nothing happens.
      expect([name, answer.status]).toEqual([name, name === "enable" ? 200 : 403]);
    }
    const saved = await as.post("/backend/keys/save/", { key_id: keyId, updated_at: shown?.updated_at, name: "free" });
    expect(codeOf(saved)).toEqual([403, "key_locked"]);
    expect((await scene.call(secret)).code).toBe("key_locked");
    expect((await scene.call(user.apiKey)).status).toBe(200);
    expect((await act("unlock")).status).toBe(200);
    await untilStatus(secret, 200);
    expect(await auditOf("api_key.lock")).toMatchObject([
      { actor_kind: "admin", reason, before: { lock_reason: null }, after: { lock_reason: reason } },
    ]);
    expect(await auditOf("api_key.unlock")).toMatchObject([
      { actor_kind: "admin", reason, after: { lock_reason: null } },
    ]);
  });

  test("covers the successor that was made before it, and its owner can still revoke", async () => {
    const rotated = (await as.post("/backend/keys/rotate/", { key_id: keyId, overlap_seconds: 3_600 })).body;
    const successor = String(rotated["secret"]);
    expect((await scene.call(successor)).status).toBe(200);
    expect((await act("lock")).status).toBe(200);
    await untilStatus(successor, 403);
    await untilStatus(secret, 403);
    const next = (rotated["key"] as { key_id: number }).key_id;
    expect((await as.post("/backend/keys/revoke/", { key_id: next })).status).toBe(200);
    await untilStatus(successor, 401);
  });
});

describe("an admin", () => {
  test("revokes a key for good, heard by every replica", async () => {
    expect((await scene.call(secret)).status).toBe(200);
    expect(await act("revoke")).toMatchObject({ status: 200, body: { key: { status: "revoked" } } });
    await untilStatus(secret, 401);
    expect(await auditOf("api_key.revoke")).toMatchObject([{ actor_kind: "admin", reason }]);
    expect(codeOf(await act("lock"))).toEqual([409, "conflict"]);
    expect(codeOf(await act("unlock"))).toEqual([409, "conflict"]);
    expect(codeOf(await as.post("/backend/keys/enable/", { key_id: keyId }))).toEqual([409, "conflict"]);
  });

  test("changes what an owner could change, and only as it was loaded", async () => {
    const { key } = await detail();
    const change = { updated_at: key.updated_at, requests_per_minute: 7, quota_limit: 900_000, name: "kept small" };
    expect(await act("save", change)).toMatchObject({
      status: 200,
      body: { key: { requests_per_minute: 7, quota_limit: 900_000, name: "kept small" } },
    });
    expect(codeOf(await act("save", change))).toEqual([409, "conflict"]);
    const { key: now } = await detail();
    const save = async (fields: object) => codeOf(await act("save", { updated_at: now.updated_at, ...fields }));
    expect(await save({ allowed_models: ["no such model"] })).toEqual([400, "invalid_value"]);
    expect(await save({ is_payload_traced: true })).toEqual([400, "unknown_field"]);
    expect(await save({ reason: "" })).toEqual([400, "invalid_value"]);
    expect(await save({ group: "default" })).toEqual([403, "super_admin_required"]);
    expect(await auditOf("api_key.save")).toMatchObject([
      { actor_kind: "admin", reason, before: { requests_per_minute: null }, after: { requests_per_minute: 7 } },
    ]);
  });

  test("moves a key to a group of its owner, and to no other, as a super-admin", async () => {
    const group = `g${crypto.randomUUID().slice(0, 8)}`;
    await scene.rig.db.sql`insert into user_group (name) values (${group})`;
    const boss = consoleClient(scene.replicas[0]?.url ?? "", (await loginAdmin(scene.rig, { isSuper: true })).cookie);
    const { key, groups } = await detail();
    expect(groups).toEqual(["default"]);
    const move = (name: string) =>
      boss.post("/backend/admin/key/save/", { key_id: keyId, updated_at: key.updated_at, group: name, reason });
    expect(codeOf(await move(group))).toEqual([400, "invalid_value"]);
    expect(await move("default")).toMatchObject({ status: 200, body: { key: { own_group: "default" } } });
  });

  test("gets the same answer for a key that does not exist, whatever is asked", async () => {
    keyId = 999_999_999;
    for (const name of ["lock", "unlock", "revoke"]) {
      expect(codeOf(await act(name))).toEqual([404, "not_found"]);
    }
    expect(codeOf(await admin.get("/backend/admin/key/detail/", { key_id: "999999999" }))).toEqual([404, "not_found"]);
  });
});

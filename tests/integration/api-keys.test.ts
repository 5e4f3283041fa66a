import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ApiKeyId } from "@sluice/contracts/ids";
import { playgroundKeysMax } from "@sluice/contracts/keys";
import { markUse } from "@sluice/control-plane/gateway/keys/store.ts";
import { sha256 } from "@sluice/control-plane/platform/crypto/digest.ts";
import { codeOf } from "../support/accounts/console-client.ts";
import {
  chatBody,
  findKey,
  type Key,
  type KeyScene,
  listKeys,
  type Made,
  makeKey,
  price,
  saveKey,
  startKeyScene,
} from "../support/calls/key-scene.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { promptMs } from "../support/values/patience.ts";

let scene: KeyScene;

beforeAll(async () => {
  scene = await startKeyScene();
});

afterAll(() => scene?.close());

describe("a new key", () => {
  test("is shown once, works at once on every replica, and is stored only as its digest", async () => {
    const { as } = await scene.enter();
    const { secret, key } = await makeKey(as, { name: "  build server " });
    expect(secret).toMatch(/^sk-[A-Za-z0-9]{48}$/);
    expect(key).toMatchObject({
      name: "build server",
      key_prefix: secret.slice(0, 7),
      key_last_four: secret.slice(-4),
      group: "default",
      status: "active",
      quota_limit: null,
      first_request_at: null,
    });
    expect((await scene.untilBoth(secret, 200)).ms).toBeLessThan(promptMs);
    const listed = await as.get("/backend/keys/list/");
    expect(JSON.stringify(listed.body)).not.toContain(secret);
    const [row] = await scene.rig.db.sql<{ key_hash: Uint8Array; entry: string }>`
      select k.key_hash, (select string_agg(a::text, '') from audit_log a where a.subject_id = k.id::text) as entry
      from api_key k where k.id = ${key.key_id}::bigint`;
    expect(Buffer.from(sha256(secret)).equals(row?.key_hash ?? new Uint8Array())).toBe(true);
    expect(row?.entry).toContain("api_key.create");
    expect(row?.entry).not.toContain(secret);
    expect(row?.entry).not.toContain(Buffer.from(sha256(secret)).toString("hex"));
  });

  test("of the playground is listed while it works, and ends when there are too many", async () => {
    const { as } = await scene.enter();
    const { key: other } = await makeKey(as, { name: "laptop" });
    const own = { name: "Playground", is_for_playground: true };
    const made: string[] = [];
    for (let index = 0; index < playgroundKeysMax + 1; index += 1) {
      const { key } = await makeKey(as, { ...own, expires_at: new Date(Date.now() + 3_600_000).toISOString() });
      made.push(String(key.key_id));
    }
    // Accounts begin with a key of their own.
    const listed = async (): Promise<string[]> =>
      (await listKeys(as))
        .map(({ key_id }) => String(key_id))
        .filter((id) => BigInt(id) >= BigInt(String(other.key_id)));
    expect(await listed()).toEqual([...made.slice(1).reverse(), String(other.key_id)]);
    await as.post("/backend/keys/revoke/", { key_id: made[1] });
    await scene.rig.db.sql`update api_key set expires_at = now() where id = ${made[2] ?? ""}::bigint`;
    expect(await listed()).toEqual([...made.slice(3).reverse(), String(other.key_id)]);
    // One without an end is listed, and keys of other kinds stay in the list when they have ended.
    const { key: endless } = await makeKey(as, own);
    await as.post("/backend/keys/revoke/", { key_id: other.key_id });
    expect(await listed()).toEqual([String(endless.key_id), ...made.slice(3).reverse(), String(other.key_id)]);
    const statuses = await scene.rig.db.sql<{ status: string }>`
      select status from api_key where id = any (${`{${made.join(",")}}`}::bigint[]) order by id`;
    expect(statuses.map(({ status }) => status).slice(0, 2)).toEqual(["revoked", "revoked"]);
  });

  test("has the requested settings", async () => {
    const { as } = await scene.enter();
    const settings = {
      quota_limit: 5_000_000,
      reset_period: "weekly",
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      allowed_models: ["flat", "gpt-4o-mini"],
      allowed_ips: ["127.0.0.1", "2001:db8::/32"],
      requests_per_minute: 60,
      tokens_per_minute: 100_000,
      concurrency_max: 4,
      is_payload_traced: false,
    };
    const { key } = await makeKey(as, { ...settings, group: "default" });
    expect(key).toMatchObject({ ...settings, quota_used: 0, quota_remaining: 5_000_000 });
    expect(Date.parse(key["period_ends_at"] as string)).toBeGreaterThan(Date.now());
    await scene.expectMoneyRight();
  });

  test("is created once for one idempotency key, however often and when it is requested", async () => {
    const { as } = await scene.enter();
    const wish = { name: "once", quota_limit: 10_000, idempotency_key: "form-0001" };
    const answers = await Promise.all(Array.from({ length: 8 }, () => as.post("/backend/keys/create/", wish)));
    const made = answers.map(({ body: each }) => each as unknown as Made);
    expect(made.filter(({ secret }) => secret !== null)).toHaveLength(1);
    expect(new Set(made.map(({ key }) => key.key_id)).size).toBe(1);
    const reordered = { idempotency_key: "form-0001", quota_limit: 10_000, name: "once" };
    expect((await as.post("/backend/keys/create/", reordered)).body["secret"]).toBeNull();
    const other = await as.post("/backend/keys/create/", { ...wish, quota_limit: 20_000 });
    expect(codeOf(other)).toEqual([422, "idempotency_mismatch"]);
    const spaced = await as.post("/backend/keys/create/", { ...wish, idempotency_key: "with a space" });
    expect(codeOf(spaced)).toEqual([400, "invalid_value"]);
    const { idempotency_key: named, ...rest } = wish;
    const byHeader = await as.post("/backend/keys/create/", rest, { "idempotency-key": named });
    expect([byHeader.body["secret"], (byHeader.body["key"] as Key).key_id]).toEqual([null, made[0]?.key.key_id ?? 0]);
    const { as: stranger } = await scene.enter();
    expect((await makeKey(stranger, wish)).key.key_id).not.toBe(made[0]?.key.key_id ?? 0);
    await scene.expectMoneyRight();
  });

  test("is seen by its first call, and only from then on", async () => {
    const { as } = await scene.enter();
    const { secret, key } = await makeKey(as);
    const ask = () => as.get("/backend/keys/first-request/", { key_id: String(key.key_id) });
    expect((await ask()).body).toMatchObject({ is_seen: false, first_request_at: null });
    expect((await scene.call(secret)).status).toBe(200);
    await waitUntil(async () => (await ask()).body["is_seen"] === true);
    expect(Date.parse((await findKey(as, key.key_id))["first_request_at"] as string)).toBeGreaterThan(
      Date.now() - 60_000,
    );
  });

  test("shows when it was last used", async () => {
    const { as } = await scene.enter();
    const { key } = await makeKey(as);
    await markUse(scene.rig.db, [BigInt(key.key_id) as ApiKeyId]);
    const first = Date.parse((await findKey(as, key.key_id))["last_used_at"] as string);
    await markUse(scene.rig.db, [BigInt(key.key_id) as ApiKeyId, (2n ** 60n) as ApiKeyId]);
    const second = Date.parse((await findKey(as, key.key_id))["last_used_at"] as string);
    expect([Date.now() - second < 60_000, second > first]).toEqual([true, true]);
    const others = (await listKeys(as)).filter(({ key_id }) => key_id !== key.key_id);
    expect(others.map(({ last_used_at }) => last_used_at)).toEqual([null]);
  });

  test("is refused beyond a hundred live ones, and there is room again after one has ended", async () => {
    const { as, user } = await scene.enter();
    await scene.rig.db.sql`
      insert into api_key (gateway_user_id, key_hash, key_prefix, key_last_four, name)
      select ${user.gatewayUserId}::bigint, sha256(('filler ' || n || ${user.apiKey})::bytea), 'sk-fill', 'fill', 'filler ' || n
      from generate_series(1, 97) n`;
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => as.post("/backend/keys/create/", { name: "one more" })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(codeOf(answers.find(({ status }) => status !== 200) ?? { status: 0, body: {} })).toEqual([
      409,
      "too_many_keys",
    ]);
    const { key } = (answers.find(({ status }) => status === 200)?.body ?? {}) as unknown as Made;
    const rotate = { key_id: key.key_id, overlap_seconds: 60 };
    expect(codeOf(await as.post("/backend/keys/rotate/", rotate))).toEqual([409, "too_many_keys"]);
    expect((await as.post("/backend/keys/rotate/", { key_id: key.key_id })).status).toBe(200);
    const [last] = await listKeys(as);
    await as.post("/backend/keys/revoke/", { key_id: last?.key_id });
    await makeKey(as);
  });
});

describe("the status of a key", () => {
  test("changes on every replica at once, and a revoked one never comes back", async () => {
    const { as } = await scene.enter();
    const { secret, key } = await makeKey(as);
    await scene.untilBoth(secret, 200);
    for (const [action, status, seen] of [
      ["disable", "disabled", 401],
      ["enable", "active", 200],
      ["disable", "disabled", 401],
      ["revoke", "revoked", 401],
    ] as const) {
      const answer = await as.post(`/backend/keys/${action}/`, { key_id: key.key_id });
      expect(answer.body["key"]).toMatchObject({ status });
      expect((await scene.untilBoth(secret, seen)).ms).toBeLessThan(promptMs);
    }
    for (const action of ["enable", "disable", "rotate"]) {
      expect(codeOf(await as.post(`/backend/keys/${action}/`, { key_id: key.key_id }))).toEqual([409, "conflict"]);
    }
    expect((await as.post("/backend/keys/revoke/", { key_id: key.key_id })).status).toBe(200);
    const [audit] = await scene.rig.db.sql<{ actions: string }>`
      select string_agg(action, ' ' order by id) as actions from audit_log where subject_id = ${String(key.key_id)}`;
    expect(audit?.actions).toBe("api_key.create api_key.disable api_key.enable api_key.disable api_key.revoke");
  });

  test("does not cut off a running call when it is revoked, and the call is charged", async () => {
    const { as, user } = await scene.enter();
    const { secret, key } = await makeKey(as, { quota_limit: 10 * price });
    scene.provider.reset();
    scene.provider.script([{ silence: { afterChunks: 1 } }]);
    const running = fetch(`${scene.replicas[0]?.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ ...chatBody, stream: true }),
    });
    const held = await scene.provider.waitForHeld(0);
    await as.post("/backend/keys/revoke/", { key_id: key.key_id });
    // A replica that does not know of it yet serves a call, which is charged.
    const { ms, through } = await scene.untilBoth(secret, 401);
    expect(ms).toBeLessThan(promptMs);
    held.release();
    expect(await (await running).text()).toContain("[DONE]");
    await scene.rig.waitForUsedQuota(user.budgetId, BigInt((1 + through) * price));
    await scene.expectMoneyRight();
  });

  test("is not changed by a save based on an older version", async () => {
    const { as } = await scene.enter();
    const { key } = await makeKey(as);
    const stale = { key_id: key.key_id, updated_at: key.updated_at };
    await saveKey(as, key, { name: "second" });
    expect(codeOf(await as.post("/backend/keys/save/", { ...stale, name: "third" }))).toEqual([409, "conflict"]);
    const { updated_at } = await findKey(as, key.key_id);
    const both = await Promise.all(
      ["fourth", "fifth"].map((name) => as.post("/backend/keys/save/", { key_id: key.key_id, updated_at, name })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test("expires on its date, and works again when the date is moved", async () => {
    const { as } = await scene.enter();
    const { secret, key } = await makeKey(as, { expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    await scene.untilBoth(secret, 200);
    await scene.rig.db
      .sql`update api_key set expires_at = now() + interval '1 second' where id = ${key.key_id}::bigint`;
    await scene.untilBoth(secret, 401);
    expect(await findKey(as, key.key_id)).toMatchObject({ status: "expired" });
    expect(await listKeys(as, { status: "live" })).not.toContainEqual(expect.objectContaining({ key_id: key.key_id }));
    await saveKey(as, key, { expires_at: null });
    expect((await scene.untilBoth(secret, 200)).ms).toBeLessThan(promptMs);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { codeOf } from "../support/accounts/console-client.ts";
import { findKey, type Key, type KeyScene, listKeys, makeKey, startKeyScene } from "../support/calls/key-scene.ts";

let scene: KeyScene;

beforeAll(async () => {
  scene = await startKeyScene();
});

afterAll(() => scene?.close());

describe("what is refused", () => {
  test("everything without a login", async () => {
    const { nobody } = scene;
    expect(codeOf(await nobody.get("/backend/keys/list/"))).toEqual([401, "unauthenticated"]);
    for (const action of ["create", "save", "disable", "enable", "rotate", "revoke"]) {
      expect(codeOf(await nobody.post(`/backend/keys/${action}/`, { key_id: 1 }))).toEqual([401, "unauthenticated"]);
    }
  });

  test("another user's key and a missing one get the same response, and nothing changes", async () => {
    const { as: owner } = await scene.enter();
    const { key } = await makeKey(owner);
    const before = await findKey(owner, key.key_id);
    const { as: thief } = await scene.enter();
    for (const key_id of [key.key_id, 9_007_199_254_740_000]) {
      for (const action of ["disable", "enable", "rotate", "revoke"]) {
        expect(codeOf(await thief.post(`/backend/keys/${action}/`, { key_id }))).toEqual([404, "not_found"]);
      }
      const change = { key_id, updated_at: before.updated_at, name: "mine now" };
      expect(codeOf(await thief.post("/backend/keys/save/", change))).toEqual([404, "not_found"]);
      const seen = await thief.get("/backend/keys/first-request/", { key_id: String(key_id) });
      expect(codeOf(seen)).toEqual([404, "not_found"]);
    }
    expect(await findKey(owner, key.key_id)).toEqual(before);
    expect((await listKeys(thief)).map(({ key_id }) => key_id)).not.toContain(key.key_id);
  });

  test.each([
    ["name", { name: "   " }],
    ["name", { name: "x".repeat(10_000) }],
    ["name", { name: "a\u0000b" }],
    ["name", { name: "a\ud800b" }],
    ["quota_limit", { quota_limit: 0 }],
    ["quota_limit", { quota_limit: -1 }],
    ["quota_limit", { quota_limit: 1.5 }],
    ["quota_limit", { quota_limit: 1e300 }],
    ["quota_limit", { quota_limit: "5" }],
    ["reset_period", { quota_limit: 5, reset_period: "hourly" }],
    ["reset_period", { reset_period: "daily" }],
    ["expires_at", { expires_at: "tomorrow" }],
    ["expires_at", { expires_at: "2001-01-01T00:00:00Z" }],
    ["expires_at", { expires_at: "2999-01-01T00:00:00Z" }],
    ["allowed_models", { allowed_models: [] }],
    ["allowed_models", { allowed_models: ["no-such-model"] }],
    ["allowed_ips", { allowed_ips: ["10.0.0.0/33"] }],
    ["allowed_ips", { allowed_ips: ["10.1"] }],
    ["allowed_ips", { allowed_ips: ["0x7f000001"] }],
    ["allowed_ips", { allowed_ips: ["fe80::1%eth0"] }],
    ["allowed_ips", { allowed_ips: ["example.org"] }],
    ["requests_per_minute", { requests_per_minute: 0 }],
    ["concurrency_max", { concurrency_max: 2 ** 40 }],
    ["group", { group: "node-test" }],
    ["body", { status: "active" }],
  ])("a wrong %s, by its field", async (field, settings) => {
    const { as } = await scene.enter();
    const answer = await as.post("/backend/keys/create/", { name: "mine", ...settings });
    const codes: Record<string, string> = { name: "invalid_name", body: "unknown_field" };
    expect(codeOf(answer)).toEqual([400, codes[field] ?? "invalid_value"]);
    const { fields } = answer.body["error"] as { fields: Record<string, string> };
    expect(Object.keys(fields).map((name) => name.split(".")[0])).toContain(field);
    expect(await listKeys(as)).toHaveLength(1);
  });

  test.each(["1'--", "-1", "1e3", "9223372036854775808", "0", ""])("the id %p", async (key_id) => {
    const { as } = await scene.enter();
    expect(codeOf(await as.get("/backend/keys/first-request/", { key_id }))).toEqual([400, "invalid_id"]);
    expect(codeOf(await as.get("/backend/keys/list/", { cursor: key_id }))).toEqual([400, "invalid_parameter"]);
  });

  test.each(["-1", "0", "101", "1e9", "x"])("a page of %p", async (limit) => {
    const { as } = await scene.enter();
    expect(codeOf(await as.get("/backend/keys/list/", { limit }))).toEqual([400, "invalid_parameter"]);
  });
});

test("the list goes through all keys page by page, newest first, each once", async () => {
  const { as } = await scene.enter();
  for (const name of ["<img onerror=alert(1)>", "\u202egnp.exe", "three", "four"]) {
    await makeKey(as, { name });
  }
  const seen: Key[] = [];
  for (let cursor: string | undefined; ; ) {
    const { body: page } = await as.get("/backend/keys/list/", {
      limit: "2",
      ...(cursor === undefined ? {} : { cursor }),
    });
    seen.push(...(page["keys"] as Key[]));
    if (page["next_cursor"] === null) {
      break;
    }
    cursor = String(page["next_cursor"]);
  }
  expect(seen.map(({ name }) => name)).toEqual([
    "four",
    "three",
    "\u202egnp.exe",
    "<img onerror=alert(1)>",
    expect.stringMatching(/^first key$/),
  ]);
  const ids = seen.map(({ key_id }) => key_id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
});

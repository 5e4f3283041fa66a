/**
 * The model map: what admins save applies on every replica at once, is recorded, and never overwrites unseen changes.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { MessagesRig } from "../support/messages/messages-rig.ts";
import type { SluiceProcess } from "../support/service/sluice.ts";
import { promptMs } from "../support/values/patience.ts";

const savePath = "/backend/admin/anthropic/model-map/save/";
const listPath = "/backend/admin/anthropic/model-map/list/";

type SavedModel = { name: string; version: number; upstream_model: string; flags: object };
type SaveAnswer = {
  ok: boolean;
  model?: SavedModel;
  models?: SavedModel[];
  error?: { code: string; fields?: Record<string, string> };
};

let messages: MessagesRig;
let second: SluiceProcess;
let cookie: string;

beforeAll(async () => {
  messages = await MessagesRig.start("one-process");
  second = await messages.rig.startProcess();
  ({ cookie } = await loginAdmin(messages.rig));
});
afterAll(() => messages.close());

const entry = (fields: object) => ({
  display_name: "Claude Saved",
  upstream_model: "gpt-4o-mini",
  released_at: "2026-05-01T00:00:00Z",
  version: 0,
  ...fields,
});

async function send(path: string, body: object | null, as = cookie): Promise<[status: number, answer: SaveAnswer]> {
  const answer = await fetch(`${messages.sluice.url}${path}`, {
    method: body === null ? "GET" : "POST",
    headers: { cookie: as, origin: messages.sluice.url, "content-type": "application/json" },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  return [answer.status, (await answer.json()) as SaveAnswer];
}

const save = (fields: object, as = cookie) => send(savePath, entry(fields), as);

/** The status of a replica's response for a name. */
async function statusAt(replica: SluiceProcess, name: string): Promise<number> {
  const answer = await fetch(`${replica.url}/msgcompat/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": messages.user.apiKey, "content-type": "application/json" },
    body: JSON.stringify({ model: name, max_tokens: 100_000, messages: [{ role: "user", content: "Hi" }] }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function msUntil(isSo: () => Promise<boolean>): Promise<number> {
  const startedAtMs = performance.now();
  await waitUntil(isSo);
  return performance.now() - startedAtMs;
}

test("a name that the catalog has, too, is shown on both sides", async () => {
  await messages.rig.addModel("twice-named");
  const [, saved] = await save({ name: "twice-named" });
  expect(saved.model).toMatchObject({ is_in_catalog: true });
  await save({ name: "once-named" });
  const [, { models }] = await send(listPath, null);
  const marks = models?.filter(({ name }) => name.endsWith("-named")) as object[];
  expect(marks).toMatchObject([
    { name: "once-named", is_in_catalog: false },
    { name: "twice-named", is_in_catalog: true },
  ]);
  const rowOf = async (name: string) => {
    const [, answer] = await send(`/backend/admin/model/list/?name=${name}`, null);
    return (answer as unknown as { rows: object[] }).rows[0];
  };
  expect(await rowOf("twice-named")).toMatchObject({ mapped_to: "gpt-4o-mini" });
  expect(await rowOf("gpt-4o-mini")).toMatchObject({ mapped_to: null });
});

test("an entry saved on one replica is used by another at once, and so is each change", async () => {
  const name = "claude-saved";
  expect(await statusAt(second, name)).toBe(404);
  const [status, answer] = await save({ name, flags: { max_output: 77 } });
  expect([status, answer.model]).toEqual([
    200,
    {
      name,
      display_name: "Claude Saved",
      upstream_model: "gpt-4o-mini",
      flags: { max_output: 77 },
      is_enabled: true,
      released_at: "2026-05-01T00:00:00.000Z",
      is_in_catalog: false,
      version: 1,
    } as never,
  ]);
  for (const replica of [messages.sluice, second]) {
    expect(await msUntil(async () => (await statusAt(replica, name)) === 200)).toBeLessThan(promptMs);
  }
  expect(messages.upstreamBody(messages.provider.requests.length - 1)).toMatchObject({ max_tokens: 77 });
  const [, changed] = await save({ name, is_enabled: false, version: 1 });
  expect(changed.model?.version).toBe(2);
  expect(await msUntil(async () => (await statusAt(second, name)) === 404)).toBeLessThan(promptMs);
});

test("a change to an entry that someone else changed meanwhile is a conflict and changes nothing", async () => {
  const name = "claude-contested";
  await save({ name });
  expect((await save({ name }))[0]).toBe(409);
  const rivals = await Promise.all(
    ["a", "b", "c", "d"].map((display) => save({ name, display_name: display, version: 1 })),
  );
  expect(rivals.map(([status]) => status).toSorted()).toEqual([200, 409, 409, 409]);
  expect((await save({ name: "claude-never-was", version: 3 }))[1].error?.code).toBe("conflict");
  const firsts = await Promise.all(["a", "b", "c"].map(() => save({ name: "claude-raced" })));
  expect(firsts.map(([status]) => status).toSorted()).toEqual([200, 409, 409]);
});

test("each change is in the audit log with the previous values and who did it, a refused one is not", async () => {
  const name = "claude-audited";
  await save({ name });
  await save({ name, upstream_model: "other", version: 1 });
  await save({ name, upstream_model: "third", version: 1 });
  const rows = await messages.rig.db.sql<{ action: string; actor_kind: string; before: string; after: string }>`
    select action, actor_kind, before->>'upstreamModel' as before, after->>'upstreamModel' as after from audit_log
    where subject_kind = 'messages_model' and subject_id = ${name} order by id`;
  expect(rows).toEqual([
    { action: "messages_model.add", actor_kind: "admin", before: null, after: "gpt-4o-mini" },
    { action: "messages_model.change", actor_kind: "admin", before: "gpt-4o-mini", after: "other" },
  ] as never);
});

test("errors name each field", async () => {
  const codes: Record<string, string> = { name: "invalid_name", body: "unknown_field" };
  const wrong: [object, string][] = [
    [{ name: "" }, "name"],
    [{ name: "a b" }, "name"],
    [{ name: "a\r\nb" }, "name"],
    [{ name: "x", upstream_model: "" }, "upstream_model"],
    [{ name: "x", released_at: "yesterday" }, "released_at"],
    [{ name: "x", released_at: "0000-01-01T00:00:00Z" }, "released_at"],
    [{ name: "x", released_at: "9999-12-31T23:59:59-12:00" }, "released_at"],
    [{ name: "x", version: -1 }, "version"],
    [{ name: "x", flags: { token_param: "both" } }, "flags.token_param"],
    [{ name: "x", flags: { unknown: true } }, "flags"],
    [{ name: "x", flags: { max_output: 0 } }, "flags.max_output"],
    [{ name: "x", extra: 1 }, "body"],
  ];
  for (const [fields, field] of wrong) {
    const [status, { error }] = await save(fields);
    expect([status, error?.code, Object.keys(error?.fields ?? {})]).toEqual([
      400,
      codes[field] ?? "invalid_value",
      [field],
    ]);
  }
});

test("only admins see and change the map", async () => {
  const { cookie: asUser } = await loginUser(messages.rig);
  for (const [as, status] of [
    ["", 401],
    [asUser, 401],
  ] as const) {
    expect((await save({ name: "claude-stranger" }, as))[0]).toBe(status);
    expect((await send(listPath, null, as))[0]).toBe(status);
  }
  const [status, { models }] = await send(listPath, null);
  expect(status).toBe(200);
  expect(models?.map(({ name }) => name)).toContain("claude-test");
  expect(models?.map(({ name }) => name)).not.toContain("claude-stranger");
});

test("the seed fills the map with the names that clients ask for, and keeps what was changed", async () => {
  const seed = async () => {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "../../control-plane/src/commands/seed.ts")], {
      env: {
        PATH: process.env["PATH"] ?? "",
        NODE_ENV: "test",
        DATABASE_URL: messages.rig.database.url,
        DATA_DIR: messages.sluice.dataDirectory,
        MASTER_KEY: new Bun.CryptoHasher("sha256").update("the master key of tests").digest("base64"),
        SANDBOX_URL: messages.provider.url,
      },
      stdout: "ignore",
      stderr: "pipe",
    });
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, expect.any(String)] as never);
  };
  await seed();
  const name = "claude-sonnet-4-5-20250929";
  await waitUntil(async () => (await statusAt(second, name)) === 200);
  expect(await statusAt(second, `${name}[1m]`)).toBe(200);
  // Clients request longer responses than the model gives; a channel that speaks their API gets what they request.
  const [, { models: seeded }] = await send(listPath, null);
  expect(seeded?.find((each) => each.name === name)?.flags).toMatchObject({ max_output: 16_384 });
  const [status] = await save({ name, is_enabled: false, version: 1 });
  expect(status).toBe(200);
  await seed();
  await waitUntil(async () => (await statusAt(second, name)) === 404);
  const [, { models }] = await send(listPath, null);
  expect(models?.filter(({ name: each }) => each === name)).toMatchObject([{ version: 2 }]);
});

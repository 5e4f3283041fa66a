import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { sealedColumns } from "@sluice/control-plane/admin/master-key/sealed-columns.ts";
import { readSecret, saveSecret } from "@sluice/control-plane/admin/secrets/service.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { callPauseMs } from "../support/calls/call-pause.ts";
import { chat, type SeenCall } from "../support/calls/chat-call.ts";
import { holdLock } from "../support/postgres/held-lock.ts";
import { masterKeyBytes, SluiceRig } from "../support/service/sluice.ts";
import { repositoryRoot, type StartedProgram, startProgram } from "../support/service/start-process.ts";
import { countUnder, fillSealed, paymentSecret, readSealed } from "../support/trace/sealed-values.ts";

const secretCount = process.env["TEST_FULL"] === "1" ? 5_000 : 600;
const command = join(repositoryRoot, "control-plane/src/commands/rotate-secrets.ts");
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const newBytes = randomBytes(32);
const oldKey = new MasterKey(masterKeyBytes);
const newKey = new MasterKey(newBytes);
const ring = new MasterKey(newBytes, oldKey);
const oldThenNew = { MASTER_KEY: base64(masterKeyBytes), MASTER_KEY_PREVIOUS: base64(newBytes) };
const newThenOld = { MASTER_KEY: base64(newBytes), MASTER_KEY_PREVIOUS: base64(masterKeyBytes) };
const newOnly = { MASTER_KEY: base64(newBytes) };

let rig: SluiceRig;
let provider: SandboxProvider;

beforeAll(async () => {
  provider = await startSandboxProvider({ port: 0 });
});

afterAll(async () => {
  await provider.stop();
});

beforeEach(async () => {
  rig = await SluiceRig.create(provider.url);
});

afterEach(async () => {
  await rig.close();
});

function rotate(keys: Record<string, string>, ...words: string[]): StartedProgram {
  const env = { DATABASE_URL: rig.database.url, NODE_ENV: "production", ...keys };
  return startProgram({ command: [process.execPath, command], words, env });
}

async function outcomeOf(program: StartedProgram): Promise<{ exitCode: number; output: string }> {
  const exitCode = await program.exited;
  return { exitCode, output: program.output() };
}

/** Calls each of these addresses in sequence until it is stopped; returns what every call saw. */
function keepCalling(urls: readonly string[], apiKey: string): { stop: () => Promise<SeenCall[]> } {
  let isStopped = false;
  const seen: SeenCall[] = [];
  const callers = urls.map(async (url) => {
    while (!isStopped) {
      seen.push(await chat({ url, apiKey }, { model: "gpt-4o-mini", max_tokens: 5 }));
      await Bun.sleep(callPauseMs);
    }
  });
  return {
    stop: async () => {
      isStopped = true;
      await Promise.all(callers);
      return seen;
    },
  };
}

test("the key is rotated while replicas serve calls, through a kill in the middle, and nothing is left", async () => {
  const { apiKey } = await rig.addUser();
  await fillSealed(rig.db, oldKey, secretCount);
  const first = await rig.startProcess(oldThenNew);
  const second = await rig.startProcess(newThenOld);
  const before = await readSealed(rig.db, ring);
  const calls = keepCalling([first.url, second.url], apiKey);
  // A locked row, for which it waits, keeps it from getting to the end before it is killed.
  const held = await holdLock(rig.db, (tx) => tx.sql`select 1 from secret where name = 'filler.99' for update`);
  const killed = rotate(newThenOld);
  await killed.waitFor("secret.sealed: 100 of");
  killed.signal("SIGKILL");
  await killed.exited;
  await held.release();
  const [oldRows, newRows] = [await countUnder(rig.db, oldKey.id), await countUnder(rig.db, newKey.id)];
  expect(oldRows).toBeGreaterThan(0);
  expect(newRows).toBeGreaterThanOrEqual(100);
  expect(await readSecret(rig.db, ring, "cardpay.default.webhook_secret")).toBe(paymentSecret);
  // A replica that starts now finds both.
  const third = await rig.startProcess(newThenOld);
  await third.logged("secrets.under_previous_key");
  const { exitCode, output } = await outcomeOf(rotate(newThenOld));
  expect([exitCode, output]).toEqual([0, expect.stringContaining(`nothing is left under key ${oldKey.id}`)]);
  const seen = await calls.stop();
  expect(seen.length).toBeGreaterThan(2);
  expect(seen.filter(({ isWhole }) => !isWhole)).toEqual([]);
  expect(await countUnder(rig.db, oldKey.id)).toBe(0);
  const after = await readSealed(rig.db, newKey);
  expect([...before].filter(([place, value]) => after.get(place) !== value)).toEqual([]);
  // The old key is taken away.
  const last = await rig.startProcess(newOnly);
  expect(await chat({ url: last.url, apiKey }, { model: "gpt-4o-mini", max_tokens: 5 })).toMatchObject({
    status: 200,
    isWhole: true,
  });
  const audited = await rig.db.sql<{ rows: number; actor_kind: string; text: string }>`
    select (after->>'rows')::integer as rows, actor_kind, to_jsonb(audit_log)::text as text from audit_log
    where action = 'secrets.rotate'`;
  // One entry for each transaction, of the killed run, too: their sum is every row that moved.
  expect(audited.reduce((sum, { rows }) => sum + rows, 0)).toBe(before.size);
  expect(new Set(audited.map(({ actor_kind }) => actor_kind))).toEqual(new Set(["command"]));
  expect(audited.filter(({ text }) => text.includes("value ") || text.includes("whsec"))).toEqual([]);
  expect(await rig.checkMoney()).toEqual([]);
});

test("a dry run and a run with a wrong old key change nothing, and report what exists", async () => {
  await fillSealed(rig.db, oldKey, 5);
  const [count, values] = [await countUnder(rig.db, oldKey.id), await readSealed(rig.db, oldKey)];
  const dry = await outcomeOf(
    rotate({ MASTER_KEY: base64(masterKeyBytes), NEW_MASTER_KEY: base64(newBytes) }, "--dry-run"),
  );
  expect([dry.exitCode, dry.output]).toEqual([
    0,
    expect.stringContaining(`secret.sealed: 6 rows under key ${oldKey.id}`),
  ]);
  const wrong = base64(randomBytes(32));
  const refused = await outcomeOf(rotate({ MASTER_KEY: wrong, NEW_MASTER_KEY: base64(newBytes) }));
  expect([refused.exitCode, refused.output]).toEqual([
    1,
    expect.stringMatching(/the old key [0-9a-f]{8} decrypts nothing/),
  ]);
  expect(refused.output).not.toContain(wrong);
  const same = await outcomeOf(rotate({ MASTER_KEY: wrong, NEW_MASTER_KEY: wrong }));
  expect([same.exitCode, same.output]).toEqual([1, expect.stringContaining("already the key in use")]);
  const none = await outcomeOf(rotate({ MASTER_KEY: wrong }));
  expect([none.exitCode, none.output]).toEqual([1, expect.stringContaining("the new key is missing")]);
  expect(await countUnder(rig.db, oldKey.id)).toBe(count);
  expect(await readSealed(rig.db, oldKey)).toEqual(values);
});

test("values that can't be decrypted, or are under a third key, are reported and left, and the rest is done", async () => {
  await fillSealed(rig.db, oldKey, 3);
  await rig.db.withTransaction((tx) => saveSecret(tx, new MasterKey(randomBytes(32)), "filler.0", "of a third key"));
  await rig.db
    .sql`update secret set sealed = (select sealed from secret where name = 'filler.2') where name = 'filler.1'`;
  const { exitCode, output } = await outcomeOf(rotate(newThenOld));
  expect(exitCode).toBe(1);
  expect(output).toContain(`secret.sealed of filler.1 names key ${oldKey.id} but can't be decrypted with it`);
  expect(output).toMatch(/under keys that were not given: [0-9a-f]{8}/);
  expect(output).not.toContain("nothing is left");
  expect(await countUnder(rig.db, oldKey.id)).toBe(1);
  expect(await readSecret(rig.db, newKey, "filler.2")).toBe("value 2");
  // It starts with what it can open, and reports that this is not everything.
  const replica = await rig.startProcess(newOnly);
  await replica.logged("secrets.key_missing");
});

test("every encrypted column of the database is in the list of the rotation", async () => {
  const columns = await rig.db.sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea' and column_name ~ 'sealed|wrapped'
      and table_name !~ '^(payload_segment|cached_response$)'`;
  expect(sealedColumns.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(
    columns.map(({ name }) => name).sort(),
  );
});

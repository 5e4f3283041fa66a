import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { UsageSettlement } from "@sluice/control-plane/usage/settlement/usage-settlement.ts";
import { Registry } from "prom-client";
import { type RelayScene, startRelayScene, waitUntil } from "../../support/calls/relay-scene.ts";
import { createLiteLlm, move } from "../../support/moving/peers.ts";
import { masterKeyBytes } from "../../support/service/sluice.ts";
import { untilDayLasts } from "../../support/values/day-that-lasts.ts";

type Line = { readonly kind: string } & Readonly<Record<string, unknown>>;

const command = join(import.meta.dir, "../../../control-plane/src/commands/export.ts");
let folder: string;
let scene: RelayScene;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-export-"));
  scene = await startRelayScene("one-process", { prepare: (rig) => rig.addFlatPriceModel("flat", 617n) });
  await move(scene.rig.db, "one-api");
  await using lite = await createLiteLlm();
  await move(scene.rig.db, "litellm", { from: lite.url });
});
afterAll(async () => {
  await scene.close();
  await rm(folder, { recursive: true, force: true });
});

const environment = (): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  NODE_ENV: "test",
  DATABASE_URL: scene.rig.database.url,
  MASTER_KEY: masterKeyBytes.toString("base64"),
});

async function run(words: readonly string[]): Promise<{ exitCode: number; out: string; said: string }> {
  const child = Bun.spawn([process.execPath, command, ...words], {
    env: environment(),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, said] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { exitCode: await child.exited, out, said };
}

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

async function callTwice(): Promise<string> {
  const { apiKey, gatewayUserId } = await scene.rig.addUser(1_000_000n);
  for (let each = 0; each < 2; each += 1) {
    const response = await fetch(`${scene.sluice.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "flat", messages: [{ role: "user", content: "hello" }], max_tokens: 5 }),
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }
  const { db } = scene.rig;
  await waitUntil(async () => {
    const [row] = await db.sql<{ count: bigint }>`
      select count(*) from usage_log where gateway_user_id = ${gatewayUserId}::bigint`;
    return row?.count === 2n;
  });
  const log = createLog("error", () => undefined);
  const settlement = new UsageSettlement({ db, clock: systemClock, log, registry: new Registry() });
  // Neither reads beyond the oldest transaction of the server, which other tests have open.
  await waitUntil(async () => {
    await settlement.run();
    await rollUsageUp(db, systemClock);
    const [row] = await db.sql<{ calls: bigint | null }>`
      select sum(calls)::bigint as calls from usage_user_sum
      where grain = 'hours' and gateway_user_id = ${gatewayUserId}::bigint`;
    return row?.calls === 2n;
  });
  return gatewayUserId.toString();
}

test("an export that is read back says of accounts, keys, balances and usage what the database says", async () => {
  await untilDayLasts();
  const caller = await callTwice();
  const path = join(folder, "export.jsonl");
  const { exitCode, said } = await run(["--to", path]);
  expect([exitCode, said]).toEqual([0, expect.stringMatching(/^export: \d+ user, /)]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const lines = linesOf(await Bun.file(path).text());
  expect(lines[0]).toMatchObject({ kind: "export", version: 1 });
  const counts = Object.fromEntries(
    Map.groupBy(lines.slice(1, -1), ({ kind }) => kind)
      .entries()
      .map(([kind, all]) => [kind, all.length]),
  );
  expect(lines.at(-1)).toEqual({ kind: "end", counts });

  const { db } = scene.rig;
  const of = (kind: string): Line[] => lines.filter((line) => line.kind === kind);
  const users = await db.sql<{ email: string; id: bigint }>`select email, id from user_profile order by id`;
  expect(of("user").map(({ id, email }) => [id, email])).toEqual(users.map(({ id, email }) => [`${id}`, email]));
  const keys = await db.sql<{ hash: string; name: string }>`
    select encode(key_hash, 'hex') as hash, name from api_key order by id`;
  expect(of("key").map(({ sha256, name }) => [sha256, name])).toEqual(keys.map(({ hash, name }) => [hash, name]));
  const balances = await db.sql<{ id: bigint; left: bigint }>`
    select gateway_user_id as id, granted - used - reserved as left from budget
    where gateway_user_id is not null order by 1`;
  expect(of("balance").map(({ account_id: id, remaining }) => [id, remaining])).toEqual(
    balances.map(({ id, left }) => [`${id}`, `${left}`]),
  );
  expect(of("organisation")).toHaveLength(3);
  expect(of("member").some(({ spend_per_month: spend }) => spend === "2500000")).toBe(true);
  const earlier = of("earlier_usage").map(({ instance, quota }) => [instance, BigInt(quota as string)] as const);
  expect(new Set(earlier.map(([instance]) => instance))).toEqual(new Set(["one-api", "litellm"]));
  const sumOf = (name: string): bigint =>
    earlier.reduce((sum, [instance, quota]) => (instance === name ? sum + quota : sum), 0n);
  const [there] = await db.sql<{ quota: string }>`
    select sum(quota)::text as quota from imported_usage where instance = 'litellm'`;
  expect([sumOf("one-api"), sumOf("litellm")]).toEqual([1_788_038n, BigInt(there?.quota ?? -1)]);
  expect(of("usage").filter(({ account_id: id }) => id === caller)).toEqual([
    expect.objectContaining({ model: "flat", calls: "2", quota: "1234", day: new Date().toISOString().slice(0, 10) }),
  ]);
});

test("no secret is in an export: no key, password, credential or encrypted value", async () => {
  const { out } = await run([]);
  expect(linesOf(out).at(-1)?.kind).toBe("end");
  for (const secret of [
    "$2a$",
    "$argon2id$",
    "scrypt:",
    "sk-fixture",
    "sk-R5n57ml1x6cal0ta08C953D5",
    "sealed",
    "password",
  ]) {
    expect([secret, out.includes(secret)]).toEqual([secret, false]);
  }
});

test("standard output that is redirected to a file holds the same lines as --to, after what was in it", async () => {
  const [path, redirected] = [join(folder, "named.jsonl"), join(folder, "redirected.jsonl")];
  expect((await run(["--to", path])).exitCode).toBe(0);
  await Bun.write(redirected, "before\n");
  const shell = ["/bin/sh", "-c", '"$0" "$1" >> "$2"', process.execPath, command, redirected];
  expect(await Bun.spawn(shell, { env: environment(), stderr: "ignore" }).exited).toBe(0);
  const [named = [], piped = []] = await Promise.all(
    [path, redirected].map(async (each) => (await Bun.file(each).text()).trimEnd().split("\n")),
  );
  expect(piped[0]).toBe("before");
  expect(piped.slice(2)).toEqual(named.slice(1));
});

test("an export to a full disk fails", async () => {
  const shell = ["/bin/sh", "-c", '"$0" "$1" > /dev/full', process.execPath, command];
  expect(await Bun.spawn(shell, { env: environment(), stderr: "ignore" }).exited).toBe(1);
});

test("an older export is not overwritten, and one that is cut off has no last line", async () => {
  const path = join(folder, "twice.jsonl");
  expect((await run(["--to", path])).exitCode).toBe(0);
  const before = await Bun.file(path).text();
  const again = await run(["--to", path]);
  expect([again.exitCode, again.said]).toEqual([1, expect.stringContaining("EEXIST")]);
  expect(await Bun.file(path).text()).toBe(before);
});

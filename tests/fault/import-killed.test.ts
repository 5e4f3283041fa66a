import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { alikePrograms, createLiteLlm, liteSaltKey, peerFile } from "../support/moving/peers.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { masterKeyBytes } from "../support/service/sluice.ts";

const isFull = process.env["TEST_FULL"] === "1";
const command = join(import.meta.dir, "../../control-plane/src/commands/import.ts");
const triesMax = 10;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-import-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs the command; with `killAt`, it gets SIGKILL once it has said that it begins this step. */
async function runImport(target: TestDatabase, words: readonly string[], killAt: string | null): Promise<number> {
  const child = Bun.spawn([process.execPath, command, ...words, "--apply"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      NODE_ENV: "test",
      DATABASE_URL: target.url,
      MASTER_KEY: masterKeyBytes.toString("base64"),
    },
    stdout: "ignore",
    stderr: "pipe",
  });
  let said = "";
  const decoder = new TextDecoder();
  for await (const piece of child.stderr) {
    said += decoder.decode(piece, { stream: true });
    if (killAt !== null && said.includes(`import: ${killAt} ...`)) {
      child.kill("SIGKILL");
    }
  }
  return await child.exited;
}

/** Everything that an import makes, without ids and times. */
async function stateOf(db: Database): Promise<string> {
  const tables = [
    await db.sql`select p.email, lower(p.username) as name, p.status, b.granted, u.group_name from user_profile p
      join gateway_user u on u.id = p.gateway_user_id join budget b on b.gateway_user_id = u.id order by 1`,
    await db.sql`select o.name, b.granted, (select count(*) from organisation_member m where m.organisation_id = o.id) as members
      from organisation o join budget b on b.gateway_user_id = o.gateway_user_id order by 1`,
    await db.sql`select encode(k.key_hash, 'hex') as key, k.status, k.allowed_models, b.granted, b.period from api_key k
      left join budget b on b.api_key_id = k.id order by 1`,
    await db.sql`select model, count(*) as versions, max(input_usd_per_m) as input from model_price group by 1 order by 1`,
    await db.sql`select c.name, a.model, a.group_name, a.priority from channel c left join ability a on a.channel_id = c.id
      order by 1, 2, 3`,
    await db.sql`select kind, source_id, moved_quota from import_item order by 1, 2`,
    await db.sql`select instance, sum(calls)::bigint as calls, sum(quota)::bigint as quota, count(*) as days from imported_usage group by 1`,
    await db.sql`select count(*) as calls, sum(quota)::bigint as quota from imported_call`,
    await db.sql`select change_type, sum(amount) as amount, count(*) as grants from quota_grant group by 1 order by 1`,
  ];
  return JSON.stringify(tables, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
}

/** A database in which an import was killed in this step. On a busy machine it may end before: then with another one, again. */
async function killImport(point: string, words: readonly string[]): Promise<TestDatabase> {
  for (let tries = 1; ; tries += 1) {
    const target = await createTestDatabase();
    const exitCode = await runImport(target, words, point);
    if (exitCode !== 0 || tries === triesMax) {
      expect([point, exitCode]).toEqual([point, 137]);
      return target;
    }
    await target.drop();
  }
}

async function endsTheSame(words: readonly string[], points: readonly string[]): Promise<void> {
  await using whole = await createTestDatabase();
  expect(await runImport(whole, words, null)).toBe(0);
  const wholeDb = openDatabase({ url: whole.url, poolMax: 1, applicationName: "test" });
  const expected = await stateOf(wholeDb);
  await wholeDb.close(500);
  for (const point of points) {
    await using target = await killImport(point, words);
    const db = openDatabase({ url: target.url, poolMax: 1, applicationName: "test" });
    try {
      expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
      expect([point, await runImport(target, words, null)]).toEqual([point, 0]);
      expect(await stateOf(db)).toBe(expected);
      expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
      // A second whole run changes nothing. It begins from the same state after each kill, so that one is enough for most runs.
      if (isFull || point === points.at(-1)) {
        expect(await runImport(target, words, null)).toBe(0);
        expect(await stateOf(db)).toBe(expected);
      }
    } finally {
      await db.close(500);
    }
  }
}

const steps = ["groups", "users", "keys", "models", "channels", "usage", "usage rows"];
const liteSteps = ["users", "organisations", "keys", "channels"];

test.each(alikePrograms)(
  "an import from %s that is killed in any step ends the same when it is run again",
  async (program) => {
    const killedIn = isFull ? steps : ["keys", "usage rows"];
    await endsTheSame([program, "--from", `sqlite:${peerFile(program)}`, "--usage-rows"], killedIn);
  },
);

test("an import from LiteLLM that is killed in any step ends the same when it is run again", async () => {
  await using lite = await createLiteLlm();
  const saltKeyFile = join(folder, "salt-key");
  await writeFile(saltKeyFile, liteSaltKey);
  const words = ["litellm", "--from", lite.url, "--salt-key-file", saltKeyFile];
  await endsTheSame(words, isFull ? liteSteps : ["organisations"]);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "@sluice/control-plane/db/migrate.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@sluice/deploy/start/embedded-postgres";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { loginAdmin } from "../../support/accounts/logins.ts";
import { chat } from "../../support/calls/chat-call.ts";
import { findSystemPostgres, SystemPostgres } from "../../support/postgres/system-postgres.ts";
import { describeUnless, testUnless, unlessInstalled } from "../../support/service/obstacles.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../../support/service/sluice.ts";
import { repositoryRoot, startProgram } from "../../support/service/start-process.ts";
import { listPlaces } from "../../support/trace/stored-places.ts";

const callsBefore = 20;
const secretCommand = "openssl enc -aes-256-ctr -pbkdf2 -pass env:BACKUP_PASSWORD";

let folder: string;
let postgres: EmbeddedPostgres;
let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;
let user: TestUser;

const data = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-backup-"));
  // The database may belong to a separate user, who needs access.
  chmodSync(folder, 0o711);
  provider = startSandboxProvider();
  postgres = await startEmbeddedPostgres({ home: data("live/postgres"), isDurable: false });
  await migrate(postgres.url, () => undefined);
  const database = { url: postgres.url, name: "sluice", drop: async () => undefined };
  rig = await SluiceRig.create(provider.url, { ...database, [Symbol.asyncDispose]: database.drop });
  user = await rig.addUser();
  sluice = await rig.startProcess();
  for (let index = 0; index < callsBefore; index += 1) {
    await chat({ url: sluice.url, apiKey: user.apiKey }, { model: "gpt-4o-mini" });
  }
  await rig.waitForUsageRows(callsBefore);
});

afterAll(async () => {
  await rig?.close();
  await postgres?.destroy();
  await provider?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function run(
  name: "backup" | "restore",
  dataDirectory: string,
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
) {
  const program = startProgram({
    command: [process.execPath, join(repositoryRoot, `deploy/backup/${name}.ts`)],
    words,
    env: { DATA_DIR: data(dataDirectory), BACKUP_PASSWORD: "only here", NODE_ENV: "test", ...more },
  });
  return { exitCode: await program.exited, output: program.output() };
}

/** Backs up into a folder of this name. @returns the backup */
async function backUp(to: string, ...words: string[]): Promise<string> {
  const { exitCode, output } = await run("backup", "live", ["--to", data(to), ...words]);
  expect([exitCode, output]).toEqual([0, expect.stringContaining("at least")]);
  const names = readdirSync(data(to));
  expect(names).toEqual([expect.stringMatching(/^sluice-\d{8}T\d{6}Z$/)]);
  return join(data(to), names[0] ?? "");
}

describeUnless(unlessInstalled("tar"), "a backup", () => {
  test("made while calls run restores every finished call, with correct books", async () => {
    let isOver = false;
    let callsMeanwhile = 0;
    const calling = (async () => {
      while (!isOver) {
        await chat({ url: sluice.url, apiKey: user.apiKey }, { model: "gpt-4o-mini", stream: true });
        callsMeanwhile += 1;
      }
    })();
    const backup = await backUp("plain");
    isOver = true;
    await calling;
    expect(callsMeanwhile).toBeGreaterThan(0);
    const recorded = await rig.db.sql`select actor_name, after from audit_log where action = 'backup.make'`;
    expect([...recorded]).toEqual([{ actor_name: "backup", after: { kind: "files", isEncrypted: false } }]);
    const text = readFileSync(join(backup, "README.txt"), "utf8");
    expect(text).toContain("NOT ENCRYPTED");
    expect(text).toContain("THE MASTER KEY IS NOT HERE");
    expect(readdirSync(backup).map((name) => statSync(join(backup, name)).mode & 0o077)).toEqual([0, 0, 0, 0]);

    const restoredAt = Date.now();
    const restored = await run("restore", "second", ["--from", backup]);
    expect([restored.exitCode, restored.output]).toEqual([0, expect.stringMatching(/invariants, 0 violated/)]);
    const rows = Number(/restore +(\d+) calls restored/.exec(restored.output)?.[1]);
    expect(rows).toBeGreaterThanOrEqual(callsBefore);
    expect(rows).toBeLessThanOrEqual(callsBefore + callsMeanwhile);

    const again = await run("restore", "second", ["--from", backup]);
    expect([again.exitCode, again.output]).toEqual([1, expect.stringContaining("already exists")]);

    // The restored data is not only correct but works: the same key, the same quota.
    const revived = await startEmbeddedPostgres({ home: data("second/postgres"), isDurable: false });
    try {
      const second = await rig.startProcess({ DATABASE_URL: revived.url });
      expect((await chat({ url: second.url, apiKey: user.apiKey }, { model: "gpt-4o-mini" })).status).toBe(200);
      expect(await second.stop()).toBe(0);
      // Accounts made from now on have the numbers of lost ones, whose responses may still be in a shared store.
      const database = openDatabase({ url: revived.url, poolMax: 1, applicationName: "test" });
      const cleared = await database.sql<{ generation: bigint }>`select generation from response_cache`;
      await database.close(0);
      expect(cleared[0]?.generation).toBeGreaterThanOrEqual(BigInt(restoredAt));
    } finally {
      await revived.stop();
    }
  });

  testUnless(
    unlessInstalled("openssl"),
    "that is encrypted shows nothing, and needs the command to come back",
    async () => {
      const backup = await backUp("sealed", "--encrypt", secretCommand);
      const files = readdirSync(backup).filter((name) => name.endsWith(".tar.gz"));
      expect(files).toHaveLength(2);
      for (const name of files) {
        expect(readFileSync(join(backup, name)).subarray(0, 8).toString()).toBe("Salted__");
      }
      const without = await run("restore", "third", ["--from", backup]);
      expect([without.exitCode, without.output]).toEqual([1, expect.stringContaining("is encrypted")]);
      const restored = await run("restore", "third", ["--from", backup, "--decrypt", `${secretCommand} -d`]);
      expect([restored.exitCode, restored.output]).toEqual([0, expect.stringMatching(/invariants, 0 violated/)]);
    },
  );

  test("that was damaged is refused before anything is touched", async () => {
    const backup = await backUp("damaged");
    const file = join(backup, "base.tar.gz");
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const flipped = await run("restore", "fourth", ["--from", backup]);
    expect([flipped.exitCode, flipped.output]).toEqual([1, expect.stringContaining("does not have its checksum")]);
    truncateSync(file, 100);
    const cut = await run("restore", "fourth", ["--from", backup]);
    expect([cut.exitCode, cut.output]).toEqual([1, expect.stringContaining("another length")]);
    expect(readdirSync(folder)).not.toContain("fourth");
  });
});

const systemPostgres = findSystemPostgres();

const unlessPostgres = systemPostgres === null ? "no Postgres is installed beside the embedded one" : null;

describeUnless(unlessPostgres, "a dump", () => {
  test("of your own Postgres is restored into an empty database, and into no other, without the bodies of calls", async () => {
    await using server = await SystemPostgres.start(systemPostgres ?? "");
    const [live, empty] = [await server.createDatabase("live"), await server.createDatabase("empty")];
    await migrate(live, () => undefined);
    const database = { url: live, name: "live", drop: async () => undefined };
    const scene = await SluiceRig.create(provider.url, { ...database, [Symbol.asyncDispose]: database.drop });
    try {
      const { apiKey } = await scene.addUser();
      const { url } = await scene.startProcess();
      await chat({ url, apiKey }, { model: "gpt-4o-mini" });
      await scene.waitForUsageRows(1);
      const requestId = await storedPayload(scene);

      const made = await run("backup", "unused", ["--to", data("dumps")], { DATABASE_URL: live });
      expect([made.exitCode, made.output]).toEqual([0, expect.stringContaining("with at least 1 calls")]);
      const backup = join(data("dumps"), readdirSync(data("dumps"))[0] ?? "");
      expect(readFileSync(join(backup, "README.txt"), "utf8")).toContain("Bodies of calls and their keys");
      const onto = await run("restore", "unused", ["--from", backup], { DATABASE_URL: live });
      expect([onto.exitCode, onto.output]).toEqual([1, expect.stringContaining("is not empty")]);
      const restored = await run("restore", "unused", ["--from", backup], { DATABASE_URL: empty });
      expect([restored.exitCode, restored.output]).toEqual([0, expect.stringMatching(/invariants, 0 violated/)]);
      expect(restored.output).toContain("1 calls restored");

      // The restored service works, and bodies that were readable before can't be read there, with the same master key.
      const revived = openDatabase({ url: empty, poolMax: 2, applicationName: "test" });
      try {
        expect(await payloadRows(revived)).toEqual({ keys: 0, segments: 0, traces: 1 });
        const second = await scene.startProcess({ DATABASE_URL: empty });
        expect((await chat({ url: second.url, apiKey }, { model: "gpt-4o-mini" })).status).toBe(200);
        const { cookie } = await loginAdmin({ db: revived });
        const answer = await fetch(`${second.url}/backend/admin/trace/payload/`, {
          method: "POST",
          headers: { cookie, "content-type": "application/json", origin: second.url },
          body: JSON.stringify({ request_id: requestId, reason: "to see what a restored dump shows" }),
        });
        expect([404, 410]).toContain(answer.status);
        expect(await answer.json()).toMatchObject({
          error: { code: expect.stringMatching(/^payload_(not_stored|expired)$/) },
        });
        expect(await second.stop()).toBe(0);
      } finally {
        await revived.close(1_000);
      }
    } finally {
      await scene.close();
    }
  });
});

/** Waits until the body of the only call is in the database. @returns its request id */
async function storedPayload({ db }: SluiceRig): Promise<string> {
  for (;;) {
    const [place] = await listPlaces(db);
    const [trace] = await db.sql<{ id: string }>`select request_id::text as id from trace_record`;
    if (place !== undefined && trace !== undefined) {
      expect(await payloadRows(db)).toMatchObject({ segments: 1 });
      return trace.id;
    }
    await Bun.sleep(20);
  }
}

async function payloadRows(db: Database): Promise<Record<string, number> | undefined> {
  const [row] = await db.sql<Record<string, number>>`
    select (select count(*)::int from payload_day_key) as keys, (select count(*)::int from payload_segment) as segments,
      (select count(*)::int from trace_record) as traces`;
  return row;
}

import { afterAll, beforeAll, expect, test } from "bun:test";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { seal } from "@sluice/control-plane/platform/crypto/seal.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let provider: SandboxProvider;

beforeAll(async () => {
  provider = await startSandboxProvider({ port: 0 });
  rig = await SluiceRig.create(provider.url);
});

afterAll(async () => {
  await rig.close();
  await provider.stop();
});

test("a master key that decrypts nothing in the database ends the start with a sentence, which contains no key", async () => {
  const other = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64");
  const failure = await rig.startProcess({ MASTER_KEY: other }).then(
    () => "started",
    (error: unknown) => String(error),
  );
  expect(failure).toMatch(/ended with 1 .*The master key [0-9a-f]{8} decrypts nothing in this database/s);
  expect(failure).not.toContain(other);
});

test("a start reports the missing key of an admin's authenticator", async () => {
  const missing = new MasterKey(crypto.getRandomValues(new Uint8Array(32)));
  const sealed = seal(missing.sealing, Buffer.from("code"), "any");
  await rig.db.sql`
    insert into shared_admin_credentials (username, password_hash, agent, totp_sealed) values ('a', 'none', 1, ${sealed})`;
  const replica = await rig.startProcess();
  await replica.logged("secrets.key_missing");
  await replica.logged(missing.id);
});

test("commits are confirmed once they are written, whatever the server's default is", async () => {
  const [name] = await rig.db.sql<{ name: string }>`select current_database() as name`;
  await rig.db.query(`alter database "${name?.name}" set synchronous_commit = off`, []);
  const db = openDatabase({ url: rig.database.url, poolMax: 1, applicationName: "test" });
  try {
    expect(await db.sql<{ synchronous_commit: string }>`show synchronous_commit`).toEqual([
      { synchronous_commit: "on" },
    ]);
  } finally {
    await db.close(500);
  }
});

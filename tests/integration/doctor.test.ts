import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { masterKeyBytes, SluiceRig } from "../support/service/sluice.ts";

type Finding = { readonly level: string; readonly area: string; readonly text: string; readonly cure: string };

const command = join(import.meta.dir, "../../control-plane/src/commands/doctor.ts");
let rig: SluiceRig;
let provider: Bun.Server<undefined>;

beforeAll(async () => {
  provider = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("", { status: 404 }) });
  rig = await SluiceRig.create(`http://127.0.0.1:${provider.port}`);
});
afterAll(async () => {
  await rig.close();
  await provider.stop(true);
});

async function examine(env: Record<string, string> = {}): Promise<{ exitCode: number; findings: readonly Finding[] }> {
  const child = Bun.spawn([process.execPath, command, "--json"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      NODE_ENV: "test",
      DATABASE_URL: rig.database.url,
      DATA_DIR: join(import.meta.dir, "../../.data/doctor-test"),
      MASTER_KEY: masterKeyBytes.toString("base64"),
      PUBLIC_BASE_URL: `http://127.0.0.1:${provider.port}`,
      ...env,
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, exitCode] = [await new Response(child.stdout).text(), await child.exited];
  return { exitCode, findings: (JSON.parse(out) as { findings: Finding[] }).findings };
}

/** The server of the tests is not durable, which the command must say. */
const ofTheTests = "fsync or full_page_writes is off";
const problemsOf = (findings: readonly Finding[]): string[] =>
  findings
    .filter(({ level, text }) => level === "problem" && !text.startsWith(ofTheTests))
    .map(({ area, text }) => `${area}: ${text}`);

test("what is in order is said to be, and a public address that leads elsewhere is a problem", async () => {
  const { exitCode, findings } = await examine();
  expect(problemsOf(findings)).toEqual([`address: http://127.0.0.1:${provider.port}/healthz answers with status 404.`]);
  expect(findings.filter(({ area, level }) => area === "channels" && level === "ok")).toHaveLength(1);
  expect(exitCode).toBe(1);
});

test("a running service has no problem", async () => {
  const service = await rig.start("one-process");
  const { exitCode, findings } = await examine({ PUBLIC_BASE_URL: service.url });
  expect(problemsOf(findings)).toEqual([]);
  const isDurable = !findings.some(({ text }) => text.startsWith(ofTheTests));
  expect(exitCode).toBe(isDurable ? 0 : 1);
});

test("a file of certificates that can't be read is one problem among the findings", async () => {
  const { findings } = await examine({ UPSTREAM_CA_FILE: "/nowhere/ca.pem" });
  expect(problemsOf(findings).filter((each) => each.startsWith("channels:"))).toEqual([
    expect.stringMatching(/^channels: UPSTREAM_CA_FILE can't be read: .*ENOENT/),
  ]);
  expect(findings.some(({ area }) => area === "database")).toBe(true);
});

test("each problem comes with what solves it", async () => {
  const id = await rig.addChannel("gone", "http://127.0.0.1:9/v1", ["gpt-4o-mini"]);
  const { findings } = await examine();
  const gone = findings.find(({ area, text }) => area === "channels" && text.startsWith("gone"));
  expect(gone?.level).toBe("problem");
  expect(gone?.cure).toContain("address");
  await rig.db.sql`update channel set status = 'disabled' where id = ${id}::bigint`;
  expect(problemsOf((await examine()).findings).some((text) => text.includes("gone"))).toBe(false);
});

test("each credential of a channel is looked at, and not those that are switched off", async () => {
  const id = await rig.addChannel("several", `http://127.0.0.1:${provider.port}/v1`, ["gpt-4o-mini"]);
  await rig.db.sql`insert into channel_credential (channel_id, label, secret_sealed, status, refused_at, refused_reason)
    values (${id}::bigint, 'second', '\\x00', 'enabled', null, null), (${id}::bigint, 'off', '\\x00', 'disabled', null, null)`;
  await rig.db.sql`update channel_credential set refused_at = now(), refused_reason = 'credential_refused'
    where channel_id = ${id}::bigint and label = 'main'`;
  expect(problemsOf((await examine()).findings).filter((text) => text.includes("several"))).toEqual([
    "channels: The provider refuses the credential main of several.",
    "channels: The credential second of several cannot be decrypted.",
  ]);
  await rig.db.sql`update channel set status = 'disabled' where id = ${id}::bigint`;
});

test("a master key of another database, and a database that is away, are found", async () => {
  const other = Buffer.from(new Bun.CryptoHasher("sha256").update("another key").digest()).toString("base64");
  expect(problemsOf((await examine({ MASTER_KEY: other })).findings).join()).toContain(
    "opens nothing in this database",
  );
  const away = await examine({ DATABASE_URL: "postgres://nobody@127.0.0.1:9/none" });
  expect(problemsOf(away.findings).join()).toContain("can't be reached");
});

test("settings that are wrong are named, and nothing else is tried", async () => {
  const { findings } = await examine({ PORT: "eighty" });
  expect(findings).toHaveLength(1);
  expect(findings[0]?.text).toContain("PORT");
});

test("a database of a newer release is not used", async () => {
  await rig.db.sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9999999999999)`;
  expect(problemsOf((await examine()).findings).join()).toContain("newer release");
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { CredentialId } from "@sluice/contracts/ids";
import { sealFurtherCredential } from "@sluice/control-plane/gateway/channels/credentials.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { masterKeyBytes, SluiceRig } from "../support/service/sluice.ts";

type Finding = { readonly level: string; readonly area: string; readonly text: string; readonly cure: string };

const command = join(import.meta.dir, "../../control-plane/src/commands/doctor.ts");
let rig: SluiceRig;
let provider: Bun.Server<undefined>;

/** Lists models for the credential of the rig, refuses one that says so, and has nothing else. */
function answer(request: Request): Response {
  const shown = request.headers.get("authorization") ?? "";
  tried.push(`${request.method} ${new URL(request.url).pathname}`);
  if (!new URL(request.url).pathname.endsWith("/models") || request.method !== "GET") {
    return new Response("", { status: 404 });
  }
  return shown.includes("refused")
    ? Response.json(
        { error: { message: `Incorrect API key provided: ${shown.slice("Bearer ".length)}` } },
        { status: 401 },
      )
    : Response.json({ object: "list", data: [] });
}

const tried: string[] = [];

beforeAll(async () => {
  provider = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
  rig = await SluiceRig.create(`http://127.0.0.1:${provider.port}`);
});
afterAll(async () => {
  await rig.close();
  await provider.stop(true);
});

async function examine(
  env: Record<string, string> = {},
  words: readonly string[] = [],
): Promise<{ exitCode: number; findings: readonly Finding[] }> {
  const child = Bun.spawn([process.execPath, command, "--json", ...words], {
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
  const ofChannels = findings.filter(({ area, level }) => area === "channels" && level === "ok");
  expect(ofChannels.map(({ text }) => text)).toEqual([
    expect.stringContaining("can be reached"),
    expect.stringContaining("The provider lists its models for the credential main of"),
  ]);
  expect(exitCode).toBe(1);
});

test("a running service has no problem", async () => {
  const service = await rig.start("one-process");
  const { exitCode, findings } = await examine({ PUBLIC_BASE_URL: service.url });
  expect(problemsOf(findings)).toEqual([]);
  const isDurable = !findings.some(({ text }) => text.startsWith(ofTheTests));
  expect(exitCode).toBe(isDurable ? 0 : 1);
});

test("a program that answers every path with its page is not taken for ours", async () => {
  using other = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(`<!doctype html>${" ".repeat(100_000)}`, { headers: { "content-type": "text/html" } }),
  });
  const address = `http://127.0.0.1:${other.port}`;
  const { findings } = await examine({ PUBLIC_BASE_URL: address });
  expect(problemsOf(findings)).toEqual([
    `address: ${address} reaches another program: its /healthz does not respond as Sluice does.`,
  ]);
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

test("a credential that its provider refuses is a problem with what the provider said, without the credential", async () => {
  const id = await rig.addChannel("turned-away", `http://127.0.0.1:${provider.port}/v1`, ["gpt-4o-mini"]);
  const [row] = await rig.db.sql<{
    id: bigint;
  }>`insert into channel_credential (channel_id, label, secret_sealed, status)
    values (${id}::bigint, 'second', '\\x00', 'enabled') returning id`;
  const secret = "refused-0123456789-secret";
  const sealed = sealFurtherCredential(new MasterKey(masterKeyBytes), (row?.id ?? 0n) as CredentialId, secret);
  await rig.db.sql`update channel_credential set secret_sealed = ${sealed} where id = ${row?.id ?? 0n}`;
  const { findings } = await examine();
  const found = findings.find(({ level, text }) => level === "problem" && text.includes("second of turned-away"));
  expect(found?.text).toContain("status 401");
  expect(found?.text).toContain("Incorrect API key provided: [redacted]");
  expect(JSON.stringify(findings)).not.toContain(secret);
  await rig.db.sql`update channel set status = 'disabled' where id = ${id}::bigint`;
});

test("no credential leaves the host with --offline, and the servers are looked at all the same", async () => {
  tried.length = 0;
  const { findings } = await examine({}, ["--offline"]);
  expect(findings.some(({ text }) => text.includes("can be reached"))).toBe(true);
  expect(findings.some(({ text }) => text.includes("lists its models"))).toBe(false);
  expect(tried.filter((each) => each.includes("/models"))).toEqual([]);
});

test("with --quick, settings, database and host are looked at, and no other server is asked", async () => {
  tried.length = 0;
  const { findings } = await examine({}, ["--quick"]);
  expect([...new Set(findings.map(({ area }) => area))]).toEqual(["settings", "database", "host"]);
  expect(tried).toEqual([]);
});

test("a name without an address is a finding of its own", async () => {
  const id = await rig.addChannel("nameless", "http://nothing.invalid/v1", ["gpt-4o-mini"]);
  const problems = problemsOf((await examine({}, ["--offline"])).findings).filter((text) => text.includes("nameless"));
  expect(problems).toEqual([
    expect.stringMatching(/^channels: The name nothing\.invalid, the server of nameless, has no address: /),
  ]);
  await rig.db.sql`update channel set status = 'disabled' where id = ${id}::bigint`;
});

test("what the service may do in its database is tried: partitions, locks and messages", async () => {
  const texts = async () => (await examine({}, ["--offline"])).findings.map(({ level, text }) => `${level} ${text}`);
  const right = await texts();
  for (const part of [
    "can create the partitions",
    "Advisory locks can be taken",
    "Messages between connections arrive",
  ]) {
    expect(right.some((text) => text.startsWith("ok") && text.includes(part))).toBe(true);
  }
  await rig.db.sql`alter function ensure_day_partitions(text, date, integer) rename to other_partitions`;
  try {
    expect(
      (await texts()).some((text) => text.startsWith("problem") && text.includes("can't create the partitions")),
    ).toBe(true);
  } finally {
    await rig.db.sql`alter function other_partitions(text, date, integer) rename to ensure_day_partitions`;
  }
});

test("a master key of another database, and a database that is away, are found", async () => {
  const other = Buffer.from(new Bun.CryptoHasher("sha256").update("another key").digest()).toString("base64");
  expect(problemsOf((await examine({ MASTER_KEY: other })).findings).join()).toContain(
    "decrypts nothing in this database",
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

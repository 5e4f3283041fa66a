import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { findFreePort } from "@sluice/deploy/start/port";
import { consoleClient } from "../support/accounts/console-client.ts";
import { issueInvoices } from "../support/payments/invoice-terms.ts";
import { createEmptyDatabase } from "../support/postgres/empty-database.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { firstObstacle, testUnless, unlessInstalled, unlessLinux, unlessRoot } from "../support/service/obstacles.ts";
import {
  buildOneFile,
  callOneFile as call,
  copyLibraries,
  inRoot,
  makeFolders,
  oneFileName as name,
} from "../support/service/one-file.ts";
import { repositoryRoot, type StartedProgram, startProgram, waitUntilGone } from "../support/service/start-process.ts";
import { startInContainer, type UnpackedImage } from "../support/shipping/container.ts";
import { withoutPages } from "../support/web/without-pages.ts";

let folder: string;
let binary: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "one file "));
  await buildOneFile(join(folder, "release"), "--image");
  // Alone in a folder of its own, with nothing of the checkout.
  mkdirSync(join(folder, "home"));
  binary = join(folder, "home", "sluice");
  cpSync(join(folder, "release", name), binary);
  const server = await createTestDatabase();
  database = await createEmptyDatabase(server.url);
}, 300_000);

afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

function run(words: readonly string[], env: Record<string, string> = {}): StartedProgram {
  const cwd = join(folder, "home");
  return startProgram({ command: [binary, ...words], cwd, env: { DATABASE_URL: database.url, ...env } });
}

async function outputOf(words: readonly string[], env: Record<string, string> = {}): Promise<[number, string]> {
  const program = run(words, env);
  return [(await program.exited) ?? -1, program.output()];
}

/** Buys credit as the first user, and returns the invoice, which a thread of its own draws. */
async function drawInvoice(url: string, welcome: string): Promise<string> {
  const [, email = "", password = ""] = /^\s*User\s+(\S+), password (\S+)/m.exec(welcome) ?? [];
  const login = await fetch(`${url}/backend/auth/login/`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ email, password }),
  });
  const cookie = login.headers.getSetCookie().map((each) => each.split(";")[0]);
  const user = consoleClient(url, cookie.join("; "));
  const db = openDatabase({ url: database.url, poolMax: 1, applicationName: "test", statementTimeoutMs: 10_000 });
  try {
    await issueInvoices(db);
    await db.sql`insert into plan (plan_code, name, kind, quota, price_usd, features)
      values ('small', 'Credit', 'wallet_balance', 5000000, 10, '[]')`;
  } finally {
    await db.close(1);
  }
  const placed = await user.post("/backend/billing/order/create/", { plan_code: "small" });
  const { order_no: orderNo } = placed.body["order"] as { order_no: string };
  await user.post("/backend/payment/mock-settle/", { order_no: orderNo });
  const listed = await user.get("/backend/billing/invoice/list/");
  const [invoice] = listed.body["invoices"] as { number: string }[];
  return await (await user.file("/backend/billing/invoice/file/", { number: invoice?.number ?? "" })).text();
}

describe("the service as one file", () => {
  test("comes with its checksum, and with the packages in it and their licences", () => {
    const bytes = readFileSync(join(folder, "release", name));
    const sum = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    expect(readFileSync(join(folder, "release", `${name}.sha256`), "utf8")).toBe(`${sum}  ${name}\n`);
    const { components } = JSON.parse(readFileSync(join(folder, "release", `${name}.cdx.json`), "utf8")) as {
      components: { name: string; licenses?: unknown }[];
    };
    const names = components.map((each) => each.name);
    expect(names).toEqual(expect.arrayContaining(["bun", "elysia", "drizzle-orm", "zod", "solid-js"]));
    // It has its licence, MIT, in a file alone.
    const unnamed = components.filter(({ licenses }) => licenses === undefined);
    expect(unnamed.map((each) => each.name)).toEqual(["png-js"]);
  });

  test("says what it was built from, and lists its commands", async () => {
    const { version } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as { version: string };
    const [code, said] = await outputOf(["--version"]);
    expect([code, said.split("\n")[0]]).toEqual([0, `sluice ${version}`]);
    expect(said).toMatch(/^commit [0-9a-f]{40}(-changed)?$/m);
    for (const words of [[], ["help"], ["--help"]]) {
      const [ended, help] = await outputOf(words);
      expect([ended, help]).toEqual([0, expect.stringMatching(/^ {2}start {2,}Starts the service/m)]);
      expect(help).toMatch(/^ {2}keys create /m);
    }
  });

  test("says what each command takes, and what those of a word are", async () => {
    const [code, help] = await outputOf(["admin", "create", "--help"]);
    expect([code, help]).toEqual([0, expect.stringContaining("sluice admin create --username <username> [options]")]);
    const [ended, group] = await outputOf(["admin"]);
    expect([ended, group]).toEqual([0, expect.stringMatching(/admin create[\s\S]*admin totp-remove/)]);
    expect(group).not.toContain("keys create");
    expect((await outputOf(["complete", "secrets", ""]))[1].trim()).toBe("rotate");
    expect((await outputOf(["completion", "fish"]))[1]).toContain("complete -c sluice");
  });

  test("ends with 2 for a wrong command line, 1 for a failure, and 3 without a token", async () => {
    const offline = { DATABASE_URL: "postgres://127.0.0.1:1/none" };
    expect((await outputOf(["no-such-command"]))[0]).toBe(2);
    expect((await outputOf(["replicas", "--now"]))[0]).toBe(2);
    expect((await outputOf(["admin", "create"]))[0]).toBe(2);
    expect((await outputOf(["admin:create"]))[0]).toBe(2);
    expect((await outputOf(["admin:create", "--help"]))[0]).toBe(0);
    expect((await outputOf(["audit"], offline))[0]).toBe(1);
    expect((await outputOf(["audit-log"], { HOME: folder }))[0]).toBe(3);
  });

  test("its builder explains itself, and builds nothing for a wrong command line", async () => {
    const builder = [process.execPath, join(repositoryRoot, "binary/build.ts")];
    const help = startProgram({ command: builder, words: ["--help"], env: {} });
    expect([await help.exited, help.output()]).toEqual([0, expect.stringContaining("Usage: bun run release [target]")]);
    for (const words of [["--no-such-option"], ["linux-x86"], ["linux-x64", "linux-arm64"]]) {
      const refused = startProgram({ command: builder, words, env: {} });
      expect([await refused.exited, refused.output()]).toEqual([2, expect.stringMatching(/^[^\n]*--help\n$/)]);
    }
  });

  test("needs a database, and says so in one sentence", async () => {
    const [code, said] = await outputOf(["start"], { DATABASE_URL: "" });
    expect([code, said.trim().split("\n").length]).toEqual([1, 1]);
    expect(said).toContain("set DATABASE_URL to a Postgres of version 15 or later");
    expect(readdirSync(join(folder, "home"))).toEqual(["sluice"]);
  });

  test("migrates, answers a call, draws the pages, books the call, and ends on SIGTERM with nothing left", async () => {
    const port = await findFreePort();
    // A file of settings that happens to lie there changes nothing.
    writeFileSync(join(folder, "home", ".env"), "PORT=1\nLOG_LEVEL=loud\n");
    const service = run(["start"], { PORT: String(port), PAYMENT_MOCK: "1" });
    try {
      const said = await service.waitFor("Try it:");
      const [key = ""] = /sk-[\w-]+/.exec(said) ?? [];
      const url = `http://127.0.0.1:${port}`;
      expect(await call(url, key)).toEqual([200, expect.stringContaining("chat.completion")]);
      const health = (await (await fetch(`${url}/healthz`)).json()) as { commit: string };
      expect(health.commit).toMatch(/^[0-9a-f]{40}(-changed)?$/);
      expect(await (await fetch(`${url}/metrics`)).text()).toContain(`commit="${health.commit}"`);
      const page = await fetch(`${url}/pricing/`);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("gpt-4o-mini")]);
      const german = await fetch(`${url}/de/`);
      expect([german.status, await german.text()]).toEqual([200, expect.stringContaining('lang="de"')]);
      expect(await drawInvoice(url, said)).toStartWith("%PDF-");
      for (const command of ["backup", "export"]) {
        const [code, refused] = await outputOf([command, "--to", join(binary, "below-a-file")]);
        expect([code, refused]).toEqual([1, expect.stringMatching(new RegExp(`^${command}: ENOTDIR`, "m"))]);
      }
      const [, doctor] = await outputOf(["doctor"], { DATA_DIR: join(folder, "home", ".data") });
      expect(doctor).toMatch(/^ok +database +All \d+ migrations are applied$/m);
    } finally {
      service.signal("SIGTERM");
    }
    expect(await service.exited).toBe(0);
    expect(await waitUntilGone(folder, 10_000)).toEqual([]);
    const [code, said] = await outputOf(["audit"]);
    expect([code, said]).toEqual([0, expect.stringMatching(/^\d+ invariants, 0 violated$/m)]);
  });
});

/** The root of a machine that has the program and what ldd says it needs, and nothing else. */
function makeRoot(): string {
  const rootFolder = join(folder, "root");
  makeFolders(rootFolder);
  cpSync(binary, join(rootFolder, "bin", "sluice"));
  copyLibraries(rootFolder, [binary]);
  return rootFolder;
}

testUnless(
  firstObstacle(unlessLinux, unlessRoot, unlessInstalled("unshare", "chroot", "ldd")),
  "the file alone, with the libraries of C, /proc and /dev, is a machine on which it serves",
  async () => {
    const port = await findFreePort();
    const empty = await createEmptyDatabase(database.url);
    const service = startProgram({
      command: ["unshare", "--mount", "sh", "-c", inRoot, "sh", makeRoot(), "/bin/sluice"],
      env: { ...withoutPages, DATABASE_URL: empty.url, PORT: String(port), DATA_DIR: "/data" },
    });
    try {
      const [key = ""] = /sk-[\w-]+/.exec(await service.waitFor("Try it:")) ?? [];
      expect(await call(`http://127.0.0.1:${port}`, key)).toEqual([200, expect.stringContaining("chat.completion")]);
    } finally {
      service.signal("SIGTERM");
    }
    expect(await service.exited).toBe(0);
    await empty[Symbol.asyncDispose]();
  },
);

type Blob = { readonly digest: string; readonly size: number };

/** Reads the image as a registry would: each part by its digest, which has to be that of its bytes. */
function unpackImage(place: string): UnpackedImage {
  const layout = join(place, "layout");
  mkdirSync(layout, { recursive: true });
  Bun.spawnSync(["tar", "-xf", join(folder, "release", `${name}.oci.tar`), "-C", layout]);
  const read = ({ digest, size }: Blob): Uint8Array<ArrayBuffer> => {
    const bytes = readFileSync(join(layout, "blobs", digest.replace(":", "/")));
    expect([digest, size]).toEqual([`sha256:${digestOf(bytes)}`, bytes.length]);
    return bytes;
  };
  const readJson = (blob: Blob) => JSON.parse(Buffer.from(read(blob)).toString());
  const { manifests } = JSON.parse(readFileSync(join(layout, "index.json"), "utf8"));
  const { config, layers } = readJson(manifests[0]);
  const image = readJson(config);
  const packed = Bun.gunzipSync(read(layers[0]));
  expect(image.rootfs.diff_ids).toEqual([`sha256:${digestOf(packed)}`]);
  const files = join(place, "files");
  mkdirSync(files);
  Bun.spawnSync(["tar", "-xp", "--numeric-owner", "-C", files], { stdin: packed });
  expect(image.config.User).toBe("65532:65532");
  return { files, command: [...image.config.Entrypoint, ...image.config.Cmd], env: image.config.Env };
}

const digestOf = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

testUnless(
  firstObstacle(unlessLinux, unlessRoot, unlessInstalled("unshare", "chroot", "tar")),
  "the image is whole, and serves as an account without rights, on a root that can only be read",
  async () => {
    const image = unpackImage(join(folder, "image"));
    const [port, empty] = [await findFreePort(), await createEmptyDatabase(database.url)];
    const service = startInContainer(image, {
      ...withoutPages,
      ...{ DATABASE_URL: empty.url, PORT: String(port), PUBLIC_BASE_URL: "https://sluice.example" },
      MASTER_KEY: randomBytes(32).toString("base64"),
    });
    try {
      await service.waitFor("Next:");
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
      expect(readFileSync(`/proc/${service.pid}/status`, "utf8")).toMatch(/^Uid:\s65532\s65532\s65532\s65532$/m);
    } finally {
      service.signal("SIGTERM");
    }
    expect(await service.exited).toBe(0);
    await empty.drop();
  },
);

testUnless(unlessInstalled("skopeo"), "the image is one that other tools read", async () => {
  const { version } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as { version: string };
  const archive = `oci-archive:${join(folder, "release", `${name}.oci.tar`)}:${version}`;
  const program = startProgram({ command: ["skopeo", "inspect", archive], env: {} });
  expect(await program.exited).toBe(0);
  expect(JSON.parse(program.output())).toMatchObject({
    Os: "linux",
    Labels: { "org.opencontainers.image.version": version },
  });
});

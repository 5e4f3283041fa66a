import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import {
  describeUnless,
  firstObstacle,
  testUnless,
  unlessInstalled,
  unlessLinux,
  unlessRoot,
} from "../support/service/obstacles.ts";
import {
  buildOneFile,
  callOneFile as call,
  copyLibraries,
  inRoot,
  makeFolders,
  oneFileName,
} from "../support/service/one-file.ts";
import { type StartedProgram, startProgram, waitUntilGone } from "../support/service/start-process.ts";
import { withoutPages } from "../support/web/without-pages.ts";

const archiveName = `sluice-with-postgres-${process.platform}-${process.arch}.tar.gz`;
let folder: string;

/** @returns the program in the unpacked archive */
function unpackArchive(place: string): string {
  mkdirSync(place, { recursive: true });
  Bun.spawnSync(["tar", "-xzf", join(folder, "release", archiveName), "-C", place]);
  return join(place, "sluice-with-postgres", "sluice");
}

/** Beside the libraries: a shell, through which initdb works, and an account that Postgres may run as. */
function makeRootWithPostgres(): string {
  const rootFolder = join(folder, "root with postgres");
  makeFolders(rootFolder);
  const programs = join(dirname(unpackArchive(join(rootFolder, "opt"))), "postgres/bin");
  cpSync(realpathSync("/bin/sh"), join(rootFolder, "bin/sh"));
  writeFileSync(join(rootFolder, "etc/passwd"), "nobody:x:65534:65534::/:/\n");
  copyLibraries(rootFolder, [
    join(folder, "release", oneFileName),
    "/bin/sh",
    join(programs, "postgres"),
    join(programs, "initdb"),
  ]);
  return rootFolder;
}

describeUnless(firstObstacle(unlessLinux, unlessInstalled("tar", "gzip")), "the archive with Postgres", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "with postgres "));
    // The account of Postgres passes through.
    chmodSync(folder, 0o711);
    await buildOneFile(join(folder, "release"), "--with-postgres");
  });

  afterAll(() => {
    // Where the account of Postgres may not pass, the files of its databases are elsewhere.
    for (const name of new Bun.Glob("**/postgres/place.json").scanSync({ cwd: folder, dot: true })) {
      rmSync(JSON.parse(readFileSync(join(folder, name), "utf8")).directory, { recursive: true, force: true });
    }
    rmSync(folder, { recursive: true, force: true });
  });

  test("comes with its checksum, and names Postgres among what is in it", () => {
    const bytes = readFileSync(join(folder, "release", archiveName));
    const sum = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    expect(readFileSync(join(folder, "release", `${archiveName}.sha256`), "utf8")).toBe(`${sum}  ${archiveName}\n`);
    const contents = readFileSync(join(folder, "release", `${archiveName}.cdx.json`), "utf8");
    expect(JSON.parse(contents).components).toContainEqual(
      expect.objectContaining({ name: "postgresql", version: expect.stringMatching(/^\d+\.\d+\.\d+$/) }),
    );
  });

  testUnless(
    firstObstacle(unlessRoot, unlessInstalled("unshare", "chroot", "ldd")),
    "with the libraries of the system, a shell and an account for Postgres, an empty machine serves",
    async () => {
      const port = await findFreePort();
      const rootFolder = makeRootWithPostgres();
      const service = startProgram({
        command: ["unshare", "--mount", "sh", "-c", inRoot, "sh", rootFolder, "/opt/sluice-with-postgres/sluice"],
        env: { ...withoutPages, PORT: String(port), DATA_DIR: "/data" },
      });
      try {
        const [key = ""] = /sk-[\w-]+/.exec(await service.waitFor("Try it:")) ?? [];
        expect(await call(`http://127.0.0.1:${port}`, key)).toEqual([200, expect.stringContaining("chat.completion")]);
        expect(statSync(join(rootFolder, "data/postgres/cluster")).uid).toBe(65_534);
      } finally {
        service.signal("SIGTERM");
      }
      expect(await service.exited).toBe(0);
    },
  );

  test("with Postgres beside it, every command finds the database, whether the service runs or not", async () => {
    const place = join(folder, "with postgres");
    const program = unpackArchive(place);
    const port = await findFreePort();
    const inPlace = (words: readonly string[], env: Record<string, string> = {}): StartedProgram =>
      startProgram({ command: [program, ...words], cwd: place, env });
    const said = async (words: readonly string[], env: Record<string, string> = {}): Promise<[number, string]> => {
      const ended = inPlace(words, env);
      return [await ended.exited, ended.output()];
    };
    const isClean = [0, expect.stringMatching(/^\d+ invariants, 0 violated$/m)] as [number, string];
    expect(await said(["audit"])).toEqual([1, expect.stringContaining("There is no database yet")]);
    const service = inPlace(["start"], { ...withoutPages, PORT: String(port) });
    try {
      const [key = ""] = /sk-[\w-]+/.exec(await service.waitFor("Try it:")) ?? [];
      expect((await call(`http://127.0.0.1:${port}`, key))[0]).toBe(200);
      expect(await said(["admin", "create", "--username", "anna"])).toEqual([0, expect.stringContaining("anna")]);
    } finally {
      service.signal("SIGTERM");
    }
    expect(await service.exited).toBe(0);
    expect(await waitUntilGone(place, 10_000)).toEqual([]);
    expect(await said(["audit"])).toEqual(isClean);
    expect(await said(["backup", "--to", "backups"])).toEqual([0, expect.stringContaining("README.txt")]);
    const [name = ""] = readdirSync(join(place, "backups"));
    expect(readFileSync(join(place, "backups", name, "README.txt"), "utf8")).toContain("sluice restore --from");
    const elsewhere = { DATA_DIR: join(place, "restored") };
    expect(await said(["restore", "--from", join("backups", name)], elsewhere)).toEqual(isClean);
    expect(await waitUntilGone(place, 10_000)).toEqual([]);
  });
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import { createEmptyDatabase } from "../../support/postgres/empty-database.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.ts";
import {
  describeUnless,
  firstObstacle,
  unlessInstalled,
  unlessLinux,
  unlessRoot,
} from "../../support/service/obstacles.ts";
import { buildOneFile } from "../../support/service/one-file.ts";
import { repositoryRoot } from "../../support/service/start-process.ts";
import {
  containerBase,
  makeContainerBase,
  startInContainer,
  type UnpackedImage,
} from "../../support/shipping/container.ts";
import { withoutPages } from "../../support/web/without-pages.ts";

const needed = firstObstacle(unlessLinux, unlessRoot, unlessInstalled("buildah", "unshare", "chroot", "tar", "find"));
const target = `${process.platform}-${process.arch}`;
const commandMsMax = 170_000;

let folder: string;
let database: TestDatabase;

function run(command: readonly string[]): string {
  const result = Bun.spawnSync([...command], {
    env: { ...process.env, BUILDAH_ISOLATION: "chroot" },
    timeout: commandMsMax,
    stdout: "pipe",
    stderr: "pipe",
  });
  if (result.exitCode !== 0) {
    throw new Error(`${command.join(" ")} failed:\n${result.stdout.toString()}${result.stderr.toString()}`);
  }
  return result.stdout.toString();
}

/** buildah without a daemon, with a storage of its own. */
function buildah(...words: string[]): string {
  const storage = ["--root", join(folder, "storage"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"];
  return run(["buildah", ...storage, ...words]);
}

/** Type, mode and owner of everything in the image, by path. */
function listFiles(root: string): string[] {
  return run(["find", root, "-mindepth", "1", "-printf", "%P %y %m %U:%G\n"]).split("\n").toSorted();
}

function unpackRelease(): string {
  const [layout, files] = [join(folder, "layout"), join(folder, "release-files")];
  mkdirSync(layout);
  mkdirSync(files);
  run(["tar", "-xf", join(folder, "release", `sluice-${target}.oci.tar`), "-C", layout]);
  const read = (digest: string) => readFileSync(join(layout, "blobs", digest.replace(":", "/")));
  const [manifest] = JSON.parse(readFileSync(join(layout, "index.json"), "utf8")).manifests;
  const [layer] = JSON.parse(read(manifest.digest).toString()).layers;
  const packed = join(folder, "layer.tar.gz");
  writeFileSync(packed, read(layer.digest));
  run(["tar", "-xzpf", packed, "--numeric-owner", "-C", files]);
  return files;
}

describeUnless(needed ?? makeContainerBase(), "the Containerfile", () => {
  let image: UnpackedImage;
  let config: Record<string, unknown>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sluice-container-"));
    const release = join(folder, "release");
    const building = buildOneFile(release, "--image");
    const base = join(folder, "base");
    mkdirSync(base);
    cpSync(containerBase, join(base, "base.tar"));
    writeFileSync(join(base, "Containerfile"), "FROM scratch\nADD base.tar /\n");
    buildah("build", "--tag", "localhost/base", base);
    await building;
    buildah(
      ...["build", "--format", "docker", "--build-arg", "BASE=localhost/base", "--build-arg", `TARGET=${target}`],
      ...["--file", join(repositoryRoot, "deploy/container/Containerfile"), "--tag", "localhost/sluice", release],
    );
    config = JSON.parse(buildah("inspect", "--type", "image", "localhost/sluice")).Docker.config;
    const container = buildah("from", "localhost/sluice").trim();
    const { Entrypoint, Cmd, Env } = config as { Entrypoint: string[]; Cmd: string[]; Env: string[] };
    image = { files: buildah("mount", container).trim(), command: [...Entrypoint, ...Cmd], env: Env };
    database = await createEmptyDatabase((await createTestDatabase()).url);
  }, 170_000);

  afterAll(async () => {
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("makes the files of the image of a release: the same paths, modes and owners, and nothing of the base", () => {
    const files = listFiles(image.files);
    expect(files).toContain("usr/bin/sluice f 755 0:0");
    expect(files).toContain("data d 700 65532:65532");
    expect(files).toContain("tmp d 1777 0:0");
    expect(files).toEqual(listFiles(unpackRelease()));
  });

  test("says how it is run: account, volume, port, signal, and a check that asks the program itself", () => {
    expect(config).toMatchObject({
      User: "65532:65532",
      Volumes: { "/data": {} },
      ExposedPorts: { "3000/tcp": {} },
      StopSignal: "SIGTERM",
      Healthcheck: { Test: ["CMD", "/usr/bin/sluice", "probe"] },
    });
  });

  test("serves on a root that can only be read, is healthy then, and ends on SIGTERM", async () => {
    const port = await findFreePort();
    const env = {
      ...withoutPages,
      ...{ DATABASE_URL: database.url, PORT: String(port), PUBLIC_BASE_URL: "https://sluice.example" },
      MASTER_KEY: randomBytes(32).toString("base64"),
    };
    const probe = async (...words: string[]): Promise<number> =>
      (await startInContainer({ ...image, command: ["/usr/bin/sluice", "probe", ...words] }, env).exited) ?? -1;
    expect(await probe()).toBe(1);
    const service = startInContainer(image, env);
    try {
      await service.waitFor("Next:");
      expect([await probe(), await probe("--live")]).toEqual([0, 0]);
      expect(readFileSync(`/proc/${service.pid}/status`, "utf8")).toMatch(/^Uid:\s65532\s65532\s65532\s65532$/m);
    } finally {
      service.signal("SIGTERM");
    }
    expect(await service.exited).toBe(0);
    expect(await probe("--live")).toBe(1);
  });

  test("is not built from a file that is not the one of the checksum", () => {
    const release = join(folder, "changed");
    mkdirSync(release);
    for (const name of [`sluice-${target}`, `sluice-${target}.sha256`]) {
      cpSync(join(folder, "release", name), join(release, name));
    }
    writeFileSync(join(release, `sluice-${target}`), "x", { flag: "a" });
    expect(() =>
      buildah(
        ...["build", "--build-arg", "BASE=localhost/base", "--build-arg", `TARGET=${target}`],
        ...["--file", join(repositoryRoot, "deploy/container/Containerfile"), release],
      ),
    ).toThrow(/FAILED/);
  });
});

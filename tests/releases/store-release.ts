/**
 * `bun run release:store`: stores what a database of this release looks like, filled, as
 * `tests/fixtures/releases/<version>/database.sql.gz`. Done once for each release, after its last migration; from then on
 * every later program is tested to bring it up to date. It needs the programs of a Postgres that the system installed.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { migrate, ownSource } from "@sluice/control-plane/db/migrate.ts";
import { findSystemPostgres, SystemPostgres } from "../support/postgres/system-postgres.ts";
import { fillRelease } from "./fill-release.ts";
import { releaseFile } from "./stored-releases.ts";

/** As one text of plain statements, which any client can send: no owners, and nothing that only psql understands. */
async function dump(bin: string, url: string): Promise<string> {
  const words = ["--no-owner", "--inserts", "--rows-per-insert=200", `--dbname=${url}`];
  const child = Bun.spawn([join(bin, "pg_dump"), ...words], { stdout: "pipe", stderr: "inherit" });
  const text = await child.stdout.text();
  if ((await child.exited) !== 0) {
    throw new Error("pg_dump failed");
  }
  return text.replaceAll(/^\\(un)?restrict .*\n/gm, "");
}

async function store(): Promise<void> {
  const bin = findSystemPostgres();
  if (bin === null) {
    throw new Error("there is no Postgres of the system with pg_dump");
  }
  await using server = await SystemPostgres.start(bin);
  const url = await server.createDatabase("release");
  await migrate(url, () => undefined);
  const nothing = (): Promise<void> => Promise.resolve();
  await fillRelease({ url, name: "release", drop: nothing, [Symbol.asyncDispose]: nothing });
  const file = releaseFile(ownSource.release);
  await mkdir(new URL("./", file), { recursive: true });
  const bytes = Bun.gzipSync(await dump(bin, url), { level: 9 });
  await Bun.write(file, bytes);
  process.stdout.write(`${file.pathname}, ${bytes.length} bytes\n`);
}

await store();

/**
 * `bun run release:store`: stores in `tests/fixtures/releases/<version>` what a database of this release looks like,
 * filled, its description of the API and the names of its settings. Done once for each release, after its last
 * migration; from then on every later program is tested to bring the database up to date, and to take what clients and
 * operators send it. It needs the programs of a Postgres that the system installed.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { migrate, ownSource } from "@sluice/control-plane/db/migrate.ts";
import { readDescription } from "../support/api-fuzz/description.ts";
import { findSystemPostgres, SystemPostgres } from "../support/postgres/system-postgres.ts";
import { SluiceRig } from "../support/service/sluice.ts";
import { repositoryRoot } from "../support/service/start-process.ts";
import { fillRelease } from "./fill-release.ts";
import { releaseFile, variablesIn } from "./stored-releases.ts";

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
  const file = releaseFile(ownSource.release, "database.sql.gz");
  await mkdir(new URL("./", file), { recursive: true });
  const bytes = Bun.gzipSync(await dump(bin, url), { level: 9 });
  await Bun.write(file, bytes);
  process.stdout.write(`${file.pathname}, ${bytes.length} bytes\n`);
  await storePromises();
}

/** What clients and operators may rely on. */
async function storePromises(): Promise<void> {
  const rig = await SluiceRig.create("http://127.0.0.1:9");
  try {
    const { url } = await rig.startProcess();
    const api = Bun.gzipSync(JSON.stringify(await readDescription(url)), { level: 9 });
    await Bun.write(releaseFile(ownSource.release, "api.json.gz"), api);
  } finally {
    await rig.close();
  }
  const settings = await Bun.file(join(repositoryRoot, "deploy/env.example")).text();
  await Bun.write(releaseFile(ownSource.release, "variables.txt"), `${variablesIn(settings).join("\n")}\n`);
}

await store();

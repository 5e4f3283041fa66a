/**
 * `bun run backup --to FOLDER [--encrypt COMMAND]`: backs up the database while the service runs, into a new subfolder
 * of FOLDER. Your own Postgres (DATABASE_URL) is dumped with pg_dump; for the embedded one, which may be newer than the
 * installed pg_dump, the files are copied. The command reads from stdin and writes to stdout, such as `age -r age1...`.
 */
import { mkdir, rename } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { say } from "../start/progress.ts";
import { StartError } from "../start/start-error.ts";
import { backUpFiles } from "./cluster-files.ts";
import { dumpDatabase } from "./database-dump.ts";
import { writeManifest } from "./manifest.ts";
import { runWithDatabase } from "./service-database.ts";

async function backUp(to: string, encrypt: string | null): Promise<void> {
  const createdAt = new Date().toISOString();
  const name = `sluice-${createdAt.replaceAll(/[-:]|\.\d+/g, "")}`;
  const unfinished = join(resolve(to), `${name}.unfinished`);
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  if (encrypt === null) {
    say("backup", "will not be encrypted; --encrypt names a command that does that");
  }
  const manifest = await runWithDatabase(async ({ url, ownerUrl, home, store }) => {
    const facts = await store.readFacts();
    const files =
      home === null
        ? await dumpDatabase(ownerUrl ?? url, facts.postgres, unfinished, encrypt)
        : await backUpFiles(store, home, unfinished, encrypt);
    const kind = home === null ? ("dump" as const) : ("files" as const);
    return { format: 1 as const, kind, createdAt, ...facts, isEncrypted: encrypt !== null, files };
  });
  await writeManifest(unfinished, manifest);
  const folder = join(resolve(to), name);
  await rename(unfinished, folder);
  say("backup", `${folder}, with at least ${manifest.usageRows} calls; README.txt in it says what it holds`);
}

const { values } = parseArgs({ options: { to: { type: "string" }, encrypt: { type: "string" } } });
try {
  if (values.to === undefined) {
    throw new StartError("--to names the folder for backups.");
  }
  await backUp(values.to, values.encrypt ?? null);
} catch (error) {
  process.stderr.write(`backup: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

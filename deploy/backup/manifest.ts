import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commandLine } from "../start/service-root.ts";
import { StartError } from "../start/start-error.ts";

/** One file of a backup. */
export type BackupFile = { readonly name: string; readonly bytes: number; readonly sha256: string };

/** `dump`: written by pg_dump, for any Postgres. `files`: those of the embedded Postgres, with their log. */
export type BackupKind = "dump" | "files";

export type Manifest = {
  readonly format: 1;
  readonly kind: BackupKind;
  readonly createdAt: string;
  /** The major version of the server. */
  readonly postgres: number;
  /** The last applied migration: the release that restores must know it. */
  readonly lastMigration: string;
  readonly usageRows: string;
  readonly isEncrypted: boolean;
  readonly files: readonly BackupFile[];
};

const manifestName = "manifest.json";
const readmeName = "README.txt";

const bodies: Readonly<Record<BackupKind, string>> = {
  dump: "Bodies of calls and their keys are not in it: after a restore, the bodies of earlier calls can't be decrypted.\n",
  files: `It also holds the password of the embedded Postgres, which listens on 127.0.0.1 only.

IT HOLDS ENCRYPTED BODIES OF CALLS AND THE ENCRYPTED KEYS OF THEIR DAYS: anyone who also has the master key can read them for as long
as this copy exists, also after their retention is over in the database. Delete it no later than that.
`,
};

const readme = (manifest: Manifest): string => `A backup of the database of Sluice, made at ${manifest.createdAt}.

It holds what the database held at that moment: users with their addresses, hashes of passwords and API keys, orders and
payments, the ledger, usage, and the metadata of calls.
${bodies[manifest.kind]}
Encrypted in it, and useless without the master key: credentials of channels, payment and mail gateways and exit nodes, and secrets
of second factors. THE MASTER KEY IS NOT HERE. Keep a copy of it elsewhere: without it the accounts and
the money come back, but none of the encrypted values does. A backup from before a rotation of the master key needs the old one.

Not in it: provider keys of exit nodes (they are only on the nodes), the settings of the service, and the spool: calls of the
last moments before the backup that were not in the database yet. They are in DATA_DIR/spool of the machine that served them.

The files are ${manifest.isEncrypted ? "encrypted by the command that was given" : "NOT ENCRYPTED: anyone who reads them has the data of all users"}.
To restore: ${commandLine("restore")} --from <this folder>. docs/operating/backup.md says what to watch for.
`;

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  await writeFile(join(folder, readmeName), readme(manifest), { mode: 0o600 });
}

/** @throws StartError when the folder holds no backup that this release can read */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestName), "utf8").catch(() => null);
  if (text === null) {
    throw new StartError(`${folder} is not a backup: it has no ${manifestName}.`);
  }
  const manifest: Manifest = JSON.parse(text);
  if (manifest.format !== 1) {
    throw new StartError(`${folder} has a format unknown to this release.`);
  }
  return manifest;
}

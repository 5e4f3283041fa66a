import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * In development the first API key is stored, so that every later start can print a working command: the database only
 * has its hash. The file names the database that the key is valid in.
 */
export async function keepFirstKey(dataDirectory: string, databaseName: string, apiKey: string): Promise<void> {
  const content = `${JSON.stringify({ database: fingerprint(databaseName), apiKey })}\n`;
  await writeFile(keyFile(dataDirectory), content, { mode: 0o600 });
}

export async function readFirstKey(dataDirectory: string, databaseName: string): Promise<string | null> {
  try {
    const kept: { database?: unknown; apiKey?: unknown } = JSON.parse(await readFile(keyFile(dataDirectory), "utf8"));
    return kept.database === fingerprint(databaseName) && typeof kept.apiKey === "string" ? kept.apiKey : null;
  } catch {
    return null;
  }
}

/** In production no key is stored in plain text, even if this folder was used for development before. */
export async function forgetFirstKey(dataDirectory: string): Promise<void> {
  await rm(keyFile(dataDirectory), { force: true });
}

function keyFile(dataDirectory: string): string {
  return join(dataDirectory, "first-api-key.json");
}

function fingerprint(databaseName: string): string {
  return createHash("sha256").update(databaseName).digest("hex").slice(0, 16);
}

import { readFile } from "node:fs/promises";
import { z } from "zod";
import { readSql, type SqlPart } from "./sql-part.ts";

/** One SQL file of the journal, ready to be applied. */
export type Migration = {
  /** The file's name without `.sql`. */
  readonly tag: string;
  /** When it was generated, in milliseconds; the key under which the database remembers it. */
  readonly createdAt: bigint;
  /** SHA-256 of the file in hex. */
  readonly hash: string;
  /** The statements between the breakpoints of the file. */
  readonly parts: readonly SqlPart[];
};

const journalSchema = z.object({
  dialect: z.literal("postgresql"),
  entries: z.array(z.object({ tag: z.string().regex(/^[\w-]+$/), when: z.int().positive() })),
});

const breakpoint = "--> statement-breakpoint";

/**
 * Reads the migrations of a folder in the order of drizzle-kit's journal.
 * @throws Error when the journal or a file is missing, or the journal is not in order
 */
export async function readMigrations(folder: URL): Promise<Migration[]> {
  const journal = journalSchema.parse(JSON.parse(await readFile(new URL("meta/_journal.json", folder), "utf8")));
  const migrations: Migration[] = [];
  for (const { tag, when } of journal.entries) {
    const previous = migrations.at(-1);
    if (previous !== undefined && previous.createdAt >= BigInt(when)) {
      throw new Error(`the journal is not in order: ${tag} is not younger than ${previous.tag}`);
    }
    migrations.push(await readMigration(folder, tag, BigInt(when)));
  }
  return migrations;
}

async function readMigration(folder: URL, tag: string, createdAt: bigint): Promise<Migration> {
  const text = await readSql(new URL(`${tag}.sql`, folder));
  const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex");
  const parts: SqlPart[] = [];
  let line = 1;
  for (const part of text.split(breakpoint)) {
    if (part.trim() !== "") {
      parts.push({ text: part, line });
    }
    line += part.split("\n").length - 1;
  }
  return { tag, createdAt, hash, parts };
}

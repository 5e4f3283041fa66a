import { randomBytes } from "node:crypto";
import type { TestDatabase } from "./test-database.ts";

/** A database without any migration, on the server of `serverUrl`. */
export async function createEmptyDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `empty_${randomBytes(8).toString("hex")}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await runStatement(serverUrl, `create database ${name} template template0`);
  const drop = () => runStatement(serverUrl, `drop database if exists ${name} with (force)`);
  return { url: url.href, name, drop, [Symbol.asyncDispose]: drop };
}

async function runStatement(url: string, statement: string): Promise<void> {
  const sql = new Bun.SQL(url, { max: 1 });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.close();
  }
}

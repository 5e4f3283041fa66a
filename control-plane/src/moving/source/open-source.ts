import { statSync } from "node:fs";
import type { Source } from "./model.ts";
import { ServerSource } from "./server-store.ts";
import { SqliteSource } from "./sqlite-store.ts";

/** `user:password@tcp(host:port)/database?options`, as Go programs write the address of a MySQL server. */
const goAddress = /^([^:@/]+)(?::(.*))?@tcp\(([^)]+)\)\/([^?]+)(?:\?.*)?$/;

/** A MySQL address of a Go program as a URL; null for any other text. */
export function urlOfGoAddress(text: string): string | null {
  const [, user, password = "", host, database] = goAddress.exec(text) ?? [];
  if (user === undefined || host === undefined || database === undefined) {
    return null;
  }
  const login =
    password === "" ? encodeURIComponent(user) : `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return `mysql://${login}@${host}/${encodeURIComponent(database)}`;
}

/**
 * Opens the database of another gateway for reading: `sqlite:FILE`, `postgres://...`, `mysql://...`, or a MySQL address as
 * these programs have it in SQL_DSN.
 * @throws Error that says what is wrong with the address, or that the database can't be reached
 */
export async function openSource(address: string): Promise<Source> {
  if (address.startsWith("sqlite:")) {
    const path = address.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
      throw new Error(`the file ${path} does not exist`);
    }
    return new SqliteSource(path);
  }
  const url = /^(postgres|postgresql|mysql):\/\//.test(address) ? address : urlOfGoAddress(address);
  if (url === null) {
    throw new Error(
      "--from has to be sqlite:FILE, postgres://..., mysql://... or user:password@tcp(host:port)/database",
    );
  }
  return await ServerSource.open(url);
}

import { readdir, readFile } from "node:fs/promises";
import type { Description } from "./compare-api.ts";

const folder = new URL("../fixtures/releases/", import.meta.url);

/** What is stored of a release: its database, its description of the API, the names of its settings. */
type StoredFile = "database.sql.gz" | "api.json.gz" | "variables.txt";

export function releaseFile(release: string, name: StoredFile): URL {
  return new URL(`${release}/${name}`, folder);
}

/** The releases that something is stored of, oldest first. */
export async function listReleases(): Promise<string[]> {
  return (await readdir(folder)).sort(Bun.semver.order);
}

/** Makes an empty database what one of that release was. */
export async function loadRelease(url: string, release: string): Promise<void> {
  const text = Buffer.from(Bun.gunzipSync(await readFile(releaseFile(release, "database.sql.gz")))).toString("utf8");
  // What is stored changes the settings of its connection.
  await using sql = new Bun.SQL(url, { max: 1 });
  await sql.unsafe(text).simple();
}

/** The names of the variables that a release explains, in `deploy/env.example`. */
export async function loadVariables(release: string): Promise<string[]> {
  return (await readFile(releaseFile(release, "variables.txt"), "utf8")).trimEnd().split("\n");
}

/** The description of the API of a release. */
export async function loadApi(release: string): Promise<Description> {
  return JSON.parse(Buffer.from(Bun.gunzipSync(await readFile(releaseFile(release, "api.json.gz")))).toString("utf8"));
}

/** The variables that a text of the form of `deploy/env.example` explains, set or commented out. */
export function variablesIn(text: string): string[] {
  const names = [...text.matchAll(/^(?:# ?)?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = ""]) => name);
  return [...new Set(names)].sort();
}
